"""Monthly files of the tables of a query, in place of the packs of their runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa

from services.query.loaded import LoadedTable
from services.query.month_writer import fetch_table
from services.query.narrow import NARROW_TABLES, narrow_version
from storage.failures import frames_failed
from storage.frame_store import FrameStore
from storage.run_choice import ChosenFile, DividedRuns, RunChoice

_IDS = pa.schema([("run_id", pa.string())])


class MonthLoader:
    """Finds the monthly files for the narrow tables of a query and places them in its folder.

    `count` is called with the bytes of a file before it is placed, and raises if they are too many.
    """

    def __init__(self, store: FrameStore, folder: Path, count: Callable[[int], None]) -> None:
        self._store, self._folder, self._count = store, folder, count

    def load(
        self, choice: RunChoice, names: Sequence[str]
    ) -> tuple[DividedRuns, dict[str, LoadedTable]]:
        """Divide the chosen runs and place the monthly files of the tables `names`; return both.

        The runs of a file that is missing or incomplete are read from their packs. Raises
        StorageError if the store fails.
        """
        narrow = [name for name in names if name in NARROW_TABLES]
        every = len(narrow) < len(names)
        version = narrow_version() if narrow else ""
        unusable: set[str] = set()
        while True:
            divided = choice.divide(version, every=every, without=unusable)
            tables = {name: LoadedTable() for name in narrow}
            failed = next((c for c in divided.files if not self._place(c, tables)), None)
            if failed is None:
                return divided, tables
            unusable.add(failed.file.file)

    def _place(self, chosen: ChosenFile, tables: dict[str, LoadedTable]) -> bool:
        """Place the tables of a file; return False if one of them is missing or incomplete."""
        for name, table in tables.items():
            if name not in chosen.file.tables:
                continue
            _, size = chosen.file.tables[name]
            path = self._folder / f"{name}-{chosen.file.file}.parquet"
            if not path.exists():
                self._count(size)
                if not self._fetch(chosen, name, path) or path.stat().st_size != size:
                    return False
            if chosen.run_ids is None:
                table.whole.append(path)
            else:
                table.parts.append((path, self._write_ids(chosen)))
        return True

    def _fetch(self, chosen: ChosenFile, name: str, path: Path) -> bool:
        try:
            fetch_table(self._store, chosen.file, name, path)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise frames_failed(self._store.url, error) from error
        return True

    def _write_ids(self, chosen: ChosenFile) -> Path:
        path = self._folder / f"runs-{chosen.file.file}.arrow"
        rows = pa.table([pa.array(chosen.run_ids, pa.string())], schema=_IDS)
        with pa.ipc.new_stream(path, _IDS) as writer:
            writer.write_table(rows)
        return path
