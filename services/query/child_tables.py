"""Tables of a query in its process: a view over Arrow files and Parquet files of months.

Importing pandas takes longer than most queries, so a query of Arrow files does not import it:
DuckDB does when it registers a Python object, and so does `pyarrow.dataset`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

if TYPE_CHECKING:
    import pyarrow.dataset as ds


def mapped_files(files: Mapping[str, Any]) -> list[str]:
    """Return the paths of a table's files that are mapped into memory."""
    rows = [files["rows"]] if files["rows"] is not None else []
    return rows + [ids for _, ids in files["parts"]]


def create_view(connection: duckdb.DuckDBPyConnection, name: str, files: Mapping[str, Any]) -> None:
    """Create the view of a table over its files, see `LoadedTable`.

    Arrow reads the files, so that DuckDB needs no access to the file system, and reads only the
    columns that a query uses.
    """
    parts = []
    if files["rows"] is not None:
        _map_view(connection, f"rows of {name}", files["rows"])
        parts.append(f'FROM "rows of {name}"')
    if files["whole"]:
        connection.register(f"months of {name}", _monthly_rows(files["whole"]))
        parts.append(f'FROM "months of {name}"')
    for rank, (path, ids) in enumerate(files["parts"]):
        connection.register(f"month {rank} of {name}", _monthly_rows(path))
        _map_view(connection, f"runs of month {rank} of {name}", ids)
        is_chosen = f'run_id IN (FROM "runs of month {rank} of {name}")'
        parts.append(f'FROM "month {rank} of {name}" WHERE {is_chosen}')
    connection.execute(f'CREATE VIEW "{name}" AS {" UNION ALL ".join(parts)}')


def _map_view(connection: duckdb.DuckDBPyConnection, name: str, path: str) -> None:
    connection.from_arrow(pa.ipc.open_stream(pa.memory_map(path)).read_all()).create_view(name)


def _monthly_rows(source: Sequence[str] | str) -> ds.Dataset:
    import pyarrow.dataset as ds  # noqa: PLC0415 - it imports pandas

    return ds.dataset(source, format=ds.ParquetFileFormat(page_checksum_verification=True))
