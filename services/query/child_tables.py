"""Tables of a query in its process: a view over Arrow files and Parquet files of months."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds

_PARQUET = ds.ParquetFileFormat(page_checksum_verification=True)


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
        connection.register(f"rows of {name}", _map_table(files["rows"]))
        parts.append(f'FROM "rows of {name}"')
    if files["whole"]:
        connection.register(f"months of {name}", ds.dataset(files["whole"], format=_PARQUET))
        parts.append(f'FROM "months of {name}"')
    for rank, (path, ids) in enumerate(files["parts"]):
        connection.register(f"month {rank} of {name}", ds.dataset(path, format=_PARQUET))
        connection.register(f"runs of month {rank} of {name}", _map_table(ids))
        is_chosen = f'run_id IN (FROM "runs of month {rank} of {name}")'
        parts.append(f'FROM "month {rank} of {name}" WHERE {is_chosen}')
    connection.execute(f'CREATE VIEW "{name}" AS {" UNION ALL ".join(parts)}')


def _map_table(path: str) -> pa.Table:
    return pa.ipc.open_stream(pa.memory_map(path)).read_all()
