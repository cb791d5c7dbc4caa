"""Writer of a monthly file: a Parquet file per narrow table, in row groups of bounded size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from services.query.narrow import NARROW_TABLES, narrow_schema
from storage.frame_store import FrameStore
from storage.monthly_files import MonthlyFile

_ROW_GROUP = 65_536
"""Rows of a row group, which a writer holds in memory: at most 60 MB of table `runs`."""


class MonthWriter:
    """Writer of the tables of a month to local files of a folder."""

    def __init__(self, folder: Path) -> None:
        self._tables = {
            name: _TableWriter(folder / f"{name}.parquet", name) for name in NARROW_TABLES
        }

    def write(self, rows: Mapping[str, pa.Table]) -> None:
        """Add rows (table -> rows with its columns); all rows of a run in a table come in one call."""
        for name, table in rows.items():
            self._tables[name].write(table)

    def close(self) -> dict[str, Path]:
        """End the files and return those with rows, by table."""
        for writer in self._tables.values():
            writer.close()
        return {name: writer.path for name, writer in self._tables.items() if writer.rows}

    def sizes(self) -> dict[str, list[int]]:
        """Map each table with rows to [rows, bytes] of its closed file."""
        return {
            name: [writer.rows, writer.path.stat().st_size]
            for name, writer in self._tables.items()
            if writer.rows
        }


@dataclass
class _TableWriter:
    """Writer of a table; its file is made with the first row group."""

    path: Path
    name: str
    rows: int = 0
    _waiting: list[pa.Table] = field(default_factory=list)
    _waiting_rows: int = 0
    _writer: pq.ParquetWriter | None = None

    def write(self, rows: pa.Table) -> None:
        schema = narrow_schema(self.name)
        # Slices, so that a run with many rows does not make a row group larger than the others.
        for begin in range(0, rows.num_rows, _ROW_GROUP):
            part = rows.slice(begin, _ROW_GROUP).cast(schema)
            self._waiting.append(part)
            self._waiting_rows += part.num_rows
            if self._waiting_rows >= _ROW_GROUP:
                self._flush()

    def close(self) -> None:
        self._flush()
        if self._writer is not None:
            self._writer.close()

    def _flush(self) -> None:
        if not self._waiting_rows:
            return
        if self._writer is None:
            self._writer = pq.ParquetWriter(
                self.path,
                narrow_schema(self.name),
                compression="zstd",
                store_schema=False,
                write_page_checksum=True,
            )
        self._writer.write_table(pa.concat_tables(self._waiting), row_group_size=2 * _ROW_GROUP)
        self.rows += self._waiting_rows
        self._waiting = []
        self._waiting_rows = 0


def fetch_table(store: FrameStore, file: MonthlyFile, table: str, target: Path) -> None:
    """Make the local file `target` with a table of a monthly file: a link if the store is a local
    folder, else a copy.

    Raises FileNotFoundError if the file was removed, OSError if the store fails.
    """
    local = Path(store.url) / file.path(table)
    if not store.files.remote and local.is_file():
        target.symlink_to(local.absolute())
    else:
        store.files.fetch(file.path(table), target)


def rows_of_runs(path: Path, run_ids: pa.Array) -> Iterator[pa.Table]:
    """Yield the rows of these runs from a local file of a table, a row group at a time."""
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            rows = file.read_row_group(group)
            yield rows.filter(pc.is_in(rows["run_id"], value_set=run_ids))
