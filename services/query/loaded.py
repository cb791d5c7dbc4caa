"""Files of the tables of a query, which the process of the query reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from services.query.arrow_tables import arrow_schema
from services.query.tables import QueryTable


@dataclass
class LoadedTable:
    """Files of a table, whose rows together are the table.

    `rows` is an Arrow stream of the rows that were read for this query. `whole` are Parquet files of
    months whose rows all count, `parts` Parquet files of which the rows of some runs count, each
    with an Arrow stream of the ids of these runs.
    """

    rows: Path | None = None
    whole: list[Path] = field(default_factory=list)
    parts: list[tuple[Path, Path]] = field(default_factory=list)

    def record(self) -> dict[str, Any]:
        """Return the paths as JSON types, as the process of the query receives them."""
        return {
            "rows": None if self.rows is None else str(self.rows),
            "whole": [str(path) for path in self.whole],
            "parts": [[str(path), str(ids)] for path, ids in self.parts],
        }


@dataclass
class LoadedTables:
    """The loaded tables by name, their bytes, and sentences about runs that were left out."""

    tables: dict[str, LoadedTable] = field(default_factory=dict)
    bytes: int = 0
    notes: list[str] = field(default_factory=list)


class TableWriter:
    """Writer of the Arrow stream of a table.

    `count` is called with the bytes of rows before they are written, and raises if they are too
    many.
    """

    def __init__(self, path: Path, table: QueryTable, count: Callable[[int], None]) -> None:
        self.table, self._count = table, count
        self._writer = pa.ipc.new_stream(path, arrow_schema(table))

    def write(self, rows: pa.Table) -> None:
        """Add rows with the columns of the table."""
        self._count(rows.nbytes)
        self._writer.write_table(rows)

    def close(self) -> None:
        """End the stream."""
        self._writer.close()
