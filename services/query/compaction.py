"""Compaction: narrow frames of all runs of a source and month become one file per table."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from data_loaders.reading.scratch import scratch_folder
from services.query.month_writer import MonthWriter, fetch_table, rows_of_runs
from services.query.narrow import narrow_rows, narrow_version, run_rows
from services.query.tables import RUNS_TABLE
from storage.errors import RunDamaged, RunNotFound, StorageError
from storage.failures import frames_failed
from storage.frame_store import is_decodable
from storage.monthly_files import MONTHLY_FOLDER, MonthlyFile, MonthlyFiles, RunMonth
from storage.pending import alive, garbage, tidy
from storage.repository import Repository
from storage.run_list import RunList
from storage.stored_run import StoredRun

MIN_RUNS = 100
"""Runs of a month from which on the nightly compaction writes its file; fewer are read from packs."""
_BATCH_SIZE = 500
_LOG = logging.getLogger("tilescope")


@dataclass
class CompactedMonth:
    """Result of the compaction of a month: numbers of runs that were copied from the former file,
    read from their packs, and left out because they are damaged.
    """

    copied: int = 0
    read: int = 0
    left_out: int = 0


def due_months(repository: Repository, min_runs: int = 1) -> list[RunMonth]:
    """List the months with at least `min_runs` runs whose file is missing or outdated, oldest
    first; empty if there is no catalogue.
    """
    if not repository.catalogue.is_created():
        return []
    return MonthlyFiles(repository.catalogue).due(narrow_version(), min_runs)


def every_month(repository: Repository) -> list[RunMonth]:
    """List all months that have runs, oldest first; empty if there is no catalogue."""
    if not repository.catalogue.is_created():
        return []
    # No file is by this version, so that all months are due.
    return MonthlyFiles(repository.catalogue).due("")


def compact_month(
    repository: Repository, month: RunMonth, *, from_packs: bool = False
) -> CompactedMonth:
    """Write the new file of a month from its former file and the packs of further runs, or only
    from packs.

    The process may be ended at any time: the catalogue names the former file or, run by run, the
    new one, and the next ingest removes files that it does not name. Raises StorageError.
    """
    catalogue = repository.catalogue
    monthly = MonthlyFiles(catalogue)
    name = secrets.token_hex(12)
    prefix = f"{MONTHLY_FOLDER}/{name}"
    catalogue.reserve(garbage(prefix))
    try:
        with alive(catalogue), scratch_folder() as folder:
            writing = _Month(repository, monthly, month, name, folder)
            writing.write(from_packs=from_packs)
            _put(repository, prefix, writing.writer.close())
            monthly.publish(writing.record())
    except BaseException:
        _tidy_unpublished(repository, name)
        raise
    clean_months(repository)
    return writing.result


def clean_months(repository: Repository) -> None:
    """Retire the files without runs, and remove the files that were retired some minutes ago."""
    if not repository.catalogue.is_created():
        return
    monthly = MonthlyFiles(repository.catalogue)
    monthly.retire()
    monthly.remove_retired(repository.store)


def _tidy_unpublished(repository: Repository, name: str) -> None:
    """Remove the file of an interrupted compaction, unless it was published already."""
    # If the catalogue fails as well, the next ingest removes the file.
    with suppress(StorageError):
        if name not in MonthlyFiles(repository.catalogue).files():
            tidy(repository.catalogue, repository.store, f"{MONTHLY_FOLDER}/{name}")


def _put(repository: Repository, prefix: str, files: Mapping[str, Path]) -> None:
    try:
        for table, path in files.items():
            repository.store.files.put(f"{prefix}/{table}.parquet", path)
    except OSError as error:
        raise frames_failed(repository.store.url, error) from error


@dataclass
class _Month:
    """The new file of a month, in a local folder."""

    repository: Repository
    monthly: MonthlyFiles
    month: RunMonth
    name: str
    folder: Path
    result: CompactedMonth = field(default_factory=CompactedMonth)

    def __post_init__(self) -> None:
        self.writer = MonthWriter(self.folder)

    def write(self, *, from_packs: bool) -> None:
        """Write the rows of runs that have no current file, then copy the rows of the others."""
        version = narrow_version()
        files = {
            name: file
            for name, file in self.monthly.files().items()
            if file.made_by == version and not from_packs
        }
        copied: dict[str, list[str]] = {}
        for batch in self.monthly.claim(self.month, self.name):
            late = []
            for run_id, file in batch.items():
                if file in files:
                    copied.setdefault(str(file), []).append(run_id)
                else:
                    late.append(run_id)
            self._read(late)
        for file, run_ids in copied.items():
            self._copy(files[file], run_ids)

    def record(self) -> MonthlyFile:
        """Return the record of the file for the catalogue, after its tables were closed."""
        return MonthlyFile(
            self.name,
            self.month.source,
            self.month.month,
            narrow_version(),
            self.result.copied + self.result.read,
            self.result.left_out,
            self.writer.sizes(),
        )

    def _read(self, run_ids: list[str]) -> None:
        """Write the rows of runs from their packs; runs that cannot be read lose their mark."""
        damaged: list[str] = []
        read: list[StoredRun] = []
        for stored in RunList(self.repository.catalogue).runs(run_ids):
            try:
                if stored.damaged:
                    raise RunDamaged(f"run {stored.run_id} is damaged in the catalogue")
                rows = narrow_rows(self.repository, stored.run_id)
            except RunNotFound:
                continue
            except RunDamaged as error:
                _LOG.warning("%s", error)
                damaged.append(stored.run_id)
            except (StorageError, MemoryError):
                raise
            except Exception:
                # One run that the analysis cannot read must not keep its month from being written.
                _LOG.exception("run %s is left out of its monthly file", stored.run_id)
                damaged.append(stored.run_id)
            else:
                self.writer.write(rows)
                read.append(stored)
        # One table for all runs, because to make a frame of a run takes as long as to analyse it.
        if read:
            self.writer.write({RUNS_TABLE: run_rows(read)})
        self.result.read += len(read)
        self.monthly.release(damaged)
        self.result.left_out += len(damaged)

    def _copy(self, file: MonthlyFile, run_ids: list[str]) -> None:
        """Write the rows of runs from their former file; from their packs if it is damaged."""
        paths = self._fetch_former(file)
        if not paths and file.tables:
            _LOG.warning(
                "monthly file %s is damaged; its runs are read from their packs", file.prefix
            )
            for begin in range(0, len(run_ids), _BATCH_SIZE):
                self._read(run_ids[begin : begin + _BATCH_SIZE])
            return
        chosen = pa.array(run_ids, pa.string())
        for table, path in paths.items():
            for rows in rows_of_runs(path, chosen):
                self.writer.write({table: rows})
            path.unlink()
        self.result.copied += len(run_ids)

    def _fetch_former(self, file: MonthlyFile) -> dict[str, Path]:
        """Download the tables of a former file; empty if one of them is missing or damaged."""
        paths = {}
        try:
            for table in file.tables:
                paths[table] = self.folder / f"former-{file.file}-{table}.parquet"
                fetch_table(self.repository.store, file, table, paths[table])
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise frames_failed(self.repository.store.url, error) from error
        # All tables are checked before the first row is copied, so that no row is written twice.
        return paths if all(map(is_decodable, paths.values())) else {}
