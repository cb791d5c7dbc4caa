"""The columns of the list of runs that are shown if the user has not chosen any."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from schema.run_columns import AGAINST, RunColumn

MAX_WIDTH_PX = 1_155
"""Total width of these columns: the grid next to the facets on a screen of 1440 pixels."""
MAX_EMPTY_SHARE = 0.096
"""Maximum share of their cells that have no value: a list of many dashes hides its numbers.

Less than a tenth, so that the samples of all sources have at most a tenth beside runs of one source.
"""
MIN_FILLED_SHARE = 0.8
"""Minimum share of the runs that have a value in a column, but for verdicts and tags.

Columns of a single source, such as commits of captures, are empty for all runs of the other sources, so
that the part of a list in view may have many more dashes than the whole list.
"""


class Filled(NamedTuple):
    """Numbers of listed runs: all of them, and by column those with a value.

    A column that `with_value` does not name has a value for every run, if it has no `bit`.
    """

    runs: int
    with_value: Mapping[str, int]

    def count(self, column: RunColumn) -> int:
        """Count the runs with a value in a column."""
        return self.with_value.get(column.name, self.runs if column.bit is None else 0)

    def count_empty(self, column: RunColumn) -> int:
        """Count the runs without a value in a column; 0 if a missing value means that there is
        none.
        """
        return 0 if column.is_optional else self.runs - self.count(column)


def default_columns(columns: Iterable[RunColumn], filled: Filled | None) -> list[str]:
    """Select the names of the columns that are shown by default: columns with values, by rank, as
    many as fit into MAX_WIDTH_PX (1,155 px).

    Columns with the most empty cells are left out until at most 9.6 % of the cells (MAX_EMPTY_SHARE) are empty.
    `filled` is None if no run is listed.
    """
    candidates = sorted(
        (column for column in columns if _is_candidate(column, filled)),
        key=lambda column: column.rank,
    )
    if filled is None:
        return [column.name for column in _fit(candidates)]
    while True:
        shown = _fit(candidates)
        empty = {column.rank: filled.count_empty(column) for column in shown}
        cells = sum(not column.is_optional for column in shown) * filled.runs
        if sum(filled.count_empty(column) for column in shown) <= MAX_EMPTY_SHARE * cells:
            return [column.name for column in shown]
        # Of equally empty columns the one of the highest rank, which is the least important.
        _, worst = max((count, rank) for rank, count in empty.items())
        candidates = [column for column in candidates if column.rank != worst]


def _fit(candidates: Sequence[RunColumn]) -> list[RunColumn]:
    """Select the first columns that fit; columns of one rank come together or not at all."""
    shown: list[RunColumn] = []
    room = MAX_WIDTH_PX
    for _, ranked in groupby(candidates, key=lambda column: column.rank):
        together = [*ranked]
        width = sum(column.width for column in together)
        # If columns do not fit, narrower columns of a later rank still can.
        if width <= room:
            room -= width
            shown += together
    return shown


def _is_candidate(column: RunColumn, filled: Filled | None) -> bool:
    """Whether a column can be shown by default: some run fills it, and it is optional, the column
    AGAINST, or filled by at least MIN_FILLED_SHARE of the runs.

    If it is unknown which columns are filled (`filled` is None), every column but `created_at` can
    be shown.
    """
    if filled is None:
        return column.name != "created_at"
    count = filled.count(column)
    is_sparse = count < MIN_FILLED_SHARE * filled.runs
    return count > 0 and (not is_sparse or column.is_optional or column.name == AGAINST)
