"""Data of the page of allocators x runs: a row per run with the placements found so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.allocators.listed import LISTED
from services.lab.data import LabData
from services.lab.matrix_table import COLUMNS, REFUSED
from services.lab.searches import Task
from services.lab.server import Lab
from services.run.placement_question import LabProblem, LabQuestion
from storage.errors import StorageError

MAX_RUNS = 12
"""Maximum number of runs of a page: each is read and searched with every strategy."""
_NO_MAP = "it has no memory map"
MAX_LEVEL = 200
"""Maximum length of a level's name, in characters."""


@dataclass(frozen=True)
class MatrixRow:
    """A run with the attempt of the selected memory level, else with the attempt that its page
    shows first; `data` is `None` if it has no such attempt.

    `refusal` is the reason why the run cannot be searched, else "". `levels` are the names of all
    its memory levels.
    """

    run_id: str
    name: str
    data: LabData | None
    refusal: str
    levels: tuple[str, ...] = ()

    def cell(self, strategy: str, seed: int, effort: int) -> dict[str, Any]:
        """Return a record with COLUMNS; its status is `None` if the strategy was not searched yet,
        REFUSED with a `reason` if the run cannot be searched.
        """
        cell = dict.fromkeys(COLUMNS) | {"run_id": self.run_id, "strategy": strategy}
        if self.data is None or self.refusal:
            return cell | {"status": REFUSED, "reason": self.refusal}
        stored = self.data.stored_map
        cell |= {
            "attempt": self.data.asked.attempt,
            "label": None if stored is None else stored.label,
        }
        placement = self.data.find_placement(LabQuestion(self.data.asked, strategy, seed, effort))
        if placement is None:
            return cell
        return cell | {name: getattr(placement, name) for name in _PLACEMENT_FIELDS}


_PLACEMENT_FIELDS = ("status", "proof", "extent", "bound", "gap", "seconds", "effort")
"""Attributes of a placement that a cell has."""


def matrix_rows(
    lab: Lab, ids: Sequence[str], user: str, seed: int, effort: int, *, level: str = ""
) -> list[MatrixRow]:
    """Return a row for each of the first MAX_RUNS (12) ids, in their order, with the placements
    that take no time to compute; a run that cannot be read has a `refusal`.

    `level` is the memory level to place; "" for the attempt that each run's page shows first.
    """
    # The address may name any number of runs.
    return [_row(lab, run_id, user, seed, effort, level=level) for run_id in ids[:MAX_RUNS]]


def _row(lab: Lab, run_id: str, user: str, seed: int, effort: int, *, level: str) -> MatrixRow:
    try:
        data = lab.get(lab.resolve(run_id), LabProblem("", -1), None, user)
        levels = data.run.memory.levels
        if level in levels:
            number = data.run.memory.number_in(level)
            data = lab.get(data.run.run_id, LabProblem("", -1), number, user)
    except StorageError as error:
        return MatrixRow(run_id, run_id, None, str(error))
    run_id = data.run.run_id
    name = str(data.run.run["name"].iloc[0])
    if data.stored_map is None:
        return MatrixRow(run_id, name, None, _NO_MAP)
    if level and level not in levels:
        return MatrixRow(run_id, name, None, f"it has no memory level {level}", levels)
    searched = lab.add_instant_placements(data, seed, effort)
    return MatrixRow(run_id, name, searched, data.refusal, levels)


def matrix_levels(rows: Sequence[MatrixRow]) -> list[str]:
    """Return the names of the memory levels of all rows, without repeats, in their order."""
    return [level for level in dict.fromkeys(name for row in rows for name in row.levels) if level]


def matrix_of_rows(rows: Sequence[MatrixRow], seed: int, effort: int) -> list[dict[str, Any]]:
    """Return the cells as records, run by run, each with all strategies in the order of LISTED."""
    return [row.cell(strategy, seed, effort) for row in rows for strategy in LISTED]


def open_tasks(
    rows: Sequence[MatrixRow], seed: int, effort: int, *, can_compile: bool
) -> Iterator[Task]:
    """Yield the searches for cells without a result, run by run.

    Runs that cannot be searched are skipped, and without `can_compile` strategies that need a
    compiler.
    """
    for row in rows:
        for strategy, listed in LISTED.items():
            if row.data is None or row.refusal or (listed.proves and not can_compile):
                continue
            if row.data.find_placement(LabQuestion(row.data.asked, strategy, seed, effort)) is None:
                yield row.data.task(strategy, seed, effort)
