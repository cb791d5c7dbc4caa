"""Index of a run's memory frames by attempt, with which the map of an attempt is built in
milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import STEP_MAPS, AttemptMap, MapFacts, segments
from analysis.memory.attempts import with_numbers
from analysis.memory.gaps import without_gaps
from analysis.memory.occupancy import occupancy
from schema.array_types import Ints

_OF_ALL = -1
"""Attempt of the rows that belong to every attempt."""


@dataclass(frozen=True)
class _ByAttempt:
    """Frame sorted by attempt, with the attempt of each row; rows of `_OF_ALL` come first."""

    frame: pd.DataFrame
    attempt: Ints

    @classmethod
    def of(cls, frame: pd.DataFrame) -> _ByAttempt:
        """Sort a frame by its column `attempt`, unless it is sorted already; rows of one attempt
        keep their order.
        """
        attempt = frame["attempt"].to_numpy(np.int64, na_value=_OF_ALL)
        if (np.diff(attempt) < 0).any():
            order = np.argsort(attempt, kind="stable")
            frame = frame.iloc[order]
            attempt = attempt[order]
        return cls(frame, attempt)

    def rows(self, attempt: int) -> pd.DataFrame:
        """Return the frame's rows that belong to every attempt, then the attempt's own rows,
        indexed from 0; empty if there are none.
        """
        shared, begin, end = np.searchsorted(self.attempt, [0, attempt, attempt + 1])
        chosen = np.r_[0:shared, begin:end] if shared else slice(begin, end)
        return self.frame.iloc[chosen].reset_index(drop=True)


@dataclass(frozen=True)
class MemoryIndex:
    """All attempts of a run; `numbers` is frame `attempts` with the columns that the analysis
    fills.
    """

    numbers: pd.DataFrame
    facts: MapFacts
    _blocks: _ByAttempt
    _steps: _ByAttempt
    _uses: _ByAttempt
    _occupancy: _ByAttempt | None = None

    @classmethod
    def of(
        cls,
        attempts: pd.DataFrame,
        allocations: pd.DataFrame,
        steps: pd.DataFrame,
        uses: pd.DataFrame,
        facts: MapFacts = STEP_MAPS,
        *,
        stored_occupancy: pd.DataFrame | None = None,
    ) -> MemoryIndex:
        """Build the index of all attempts from frames `attempts`, `allocations`, `steps` and
        `buffer_uses`.

        Numbers are computed if any attempt has no number of blocks yet; else the existing numbers
        stay, whichever method computed them. `stored_occupancy` has the rows of frame `occupancy`
        of the attempts whose rows are stored.
        """
        numbers = (
            with_numbers(attempts, allocations) if attempts["blocks"].isna().any() else attempts
        )
        return cls(
            numbers,
            facts,
            _ByAttempt.of(allocations),
            _ByAttempt.of(steps),
            _ByAttempt.of(uses),
            None if stored_occupancy is None else _ByAttempt.of(stored_occupancy),
        )

    def map(self, attempt: int) -> AttemptMap:
        """Build the map of the attempt of this rank; raises KeyError if there is none."""
        positions = np.flatnonzero(self.numbers["attempt"].to_numpy(np.int64) == attempt)
        if not len(positions):
            raise KeyError(attempt)
        own = self.numbers.iloc[positions[:1]]
        blocks, steps, uses = (
            frame.rows(attempt) for frame in (self._blocks, self._steps, self._uses)
        )
        stored = self._stored_occupancy(attempt)
        return made_map(own, blocks, steps, uses, self.facts, stored_occupancy=stored)

    def _stored_occupancy(self, attempt: int) -> pd.DataFrame | None:
        """Return the stored rows of frame `occupancy` of an attempt, `None` if there are none."""
        rows = None if self._occupancy is None else self._occupancy.rows(attempt)
        return rows if rows is not None and len(rows) else None

    def together(self, attempt: int) -> list[int]:
        """Return the numbers of the attempts that are shown together with the attempt of this rank.

        For a level of a plan these are all levels, in order, otherwise only the attempt itself;
        devices and tiles of an array are shown individually.
        """
        is_level = self.numbers["level"].notna()
        own = self.numbers["attempt"] == attempt
        if self.facts.devices or self.facts.tiles or not (is_level & own).any():
            return [attempt]
        return [int(number) for number in self.numbers.loc[is_level, "attempt"]]


def made_map(
    attempt: pd.DataFrame,
    blocks: pd.DataFrame,
    steps: pd.DataFrame,
    uses: pd.DataFrame,
    facts: MapFacts,
    *,
    stored_occupancy: pd.DataFrame | None = None,
) -> AttemptMap:
    """Build the map of an attempt from its single row of frame `attempts` and its rows of the other
    frames; `blocks` are indexed from 0. Gaps are cut out of the segments. The occupancy is computed
    unless `stored_occupancy` has its rows.
    """
    row = attempt.iloc[0].to_dict()
    rows = occupancy(blocks, attempt) if stored_occupancy is None else stored_occupancy
    bare = AttemptMap(row, blocks, segments(blocks, 0), rows, steps, uses, facts)
    return replace(bare, segments=without_gaps(blocks, segments(blocks, bare.length))[0])
