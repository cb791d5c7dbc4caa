"""Choice of runs by filter or ids, divided into runs of monthly files and runs that are read from
their packs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, func, or_, select, true

from storage.catalogue import Catalogue
from storage.monthly_files import MonthlyFile, read_files
from storage.run_list import RunList
from storage.run_query import EVERY_RUN, RunFilter
from storage.stored_run import StoredRun
from storage.tables import LISTING

_MIN_SHARE = 0.01
"""Share of the runs of a monthly file from which on the file is read; for fewer runs their packs are
faster.
"""
_BATCH_SIZE = 200
_L = LISTING.c


@dataclass(frozen=True)
class ChosenFile:
    """A monthly file with chosen runs: these `run_ids`, or all of its runs if None."""

    file: MonthlyFile
    run_ids: list[str] | None


@dataclass(frozen=True)
class DividedRuns:
    """Chosen runs: those of monthly files, and the ids of the `others`, newest first; every run is in
    one of the two. `every` has the ids of all of them, if they were requested.
    """

    files: list[ChosenFile]
    others: list[str]
    every: list[str]


@dataclass(frozen=True)
class RunChoice:
    """Runs that match a filter, and that are among `run_ids` if there are any."""

    catalogue: Catalogue
    fits: RunFilter = EVERY_RUN
    run_ids: Sequence[str] = ()

    def count(self) -> int:
        """Count the chosen runs; 0 if there is no catalogue."""
        if self.run_ids:
            return len(self._few_ids())
        if not self.catalogue.is_created():
            return 0
        conditions, values = RunList(self.catalogue).conditions_of(self.fits)
        with self.catalogue.connect() as connection:
            query = select(func.count()).select_from(LISTING).where(*conditions)
            return connection.scalar(query, values) or 0

    def read(self, run_ids: Sequence[str]) -> Iterator[StoredRun]:
        """Yield runs by their ids in this order, with at most 200 in memory; runs that were deleted
        meanwhile are left out.
        """
        runs = RunList(self.catalogue)
        for begin in range(0, len(run_ids), _BATCH_SIZE):
            yield from runs.runs(run_ids[begin : begin + _BATCH_SIZE])

    def divide(
        self, made_by: str, *, every: bool = False, without: Collection[str] = ()
    ) -> DividedRuns:
        """Divide the chosen runs into those of monthly files by version `made_by` ("" for no files),
        except the files `without`, and others.

        All is read from one snapshot, so that a run which changes meanwhile is in one of the parts.
        """
        if self.run_ids or not self.catalogue.is_created():
            ids = self._few_ids()
            return DividedRuns([], ids, ids)
        conditions, values = RunList(self.catalogue).conditions_of(self.fits)
        ids_of = select(_L.run_id).where(*conditions)
        newest_first = ids_of.order_by(_L.date.desc(), _L.run_id.desc())
        with self.catalogue.connect_snapshot() as connection:
            files = {
                name: file
                for name, file in read_files(connection).items()
                if file.made_by == made_by and name not in without
            }
            chosen = _choose_files(connection, conditions, values, files) if files else []
            names = [part.file.file for part in chosen]
            is_other = or_(_L.monthly.is_(None), _L.monthly.not_in(names)) if names else true()
            others = list(connection.scalars(newest_first.where(is_other), values))
            if not names or not every:
                return DividedRuns(chosen, others, [] if names else others)
            return DividedRuns(chosen, others, list(connection.scalars(newest_first, values)))

    def _few_ids(self) -> list[str]:
        """Return the ids of the runs among `run_ids` that match the filter, newest first."""
        if not self.catalogue.is_created():
            return []
        conditions, values = RunList(self.catalogue).conditions_of(self.fits)
        ids = sorted(set(self.run_ids))
        rows = []
        with self.catalogue.connect() as connection:
            for begin in range(0, len(ids), _BATCH_SIZE):
                is_named = _L.run_id.in_(ids[begin : begin + _BATCH_SIZE])
                query = select(_L.date, _L.run_id).where(*conditions, is_named)
                rows += [(row.date, row.run_id) for row in connection.execute(query, values)]
        return [run_id for _, run_id in sorted(rows, reverse=True)]


def _choose_files(
    connection: Connection,
    conditions: list[ColumnElement[bool]],
    values: dict[str, object],
    files: Mapping[str, MonthlyFile],
) -> list[ChosenFile]:
    """Choose the files that have enough runs that meet the conditions."""
    counts = (
        select(_L.monthly, func.count().label("runs"))
        .where(_L.monthly.is_not(None), *conditions)
        .group_by(_L.monthly)
    )
    chosen = []
    for name, count in connection.execute(counts, values).all():
        if name not in files or count < _MIN_SHARE * files[name].runs:
            continue
        query = select(_L.run_id).where(*conditions, _L.monthly == name)
        # The count is the check: a run that changed or was deleted is no longer listed in its file.
        is_whole = count == files[name].runs
        ids = None if is_whole else list(connection.scalars(query, values))
        chosen.append(ChosenFile(files[name], ids))
    return chosen
