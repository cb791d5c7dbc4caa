"""Memory blocks as rectangles in step x address: the one meaning of lifetimes that every view and number shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from schema.array_types import Ints
from schema.memory import KEPT_FROM
from schema.time_units import STEPS

NOT_PLACED = -1
"""`low` and `high` of a segment whose block has no address."""


@dataclass(frozen=True)
class Segments:
    """Parts of lifetimes, half-open: `row` is the position of the block in its frame; all int64, one length.

    `start` and `end` are steps, `low` and `high` bytes of the arena (NOT_PLACED where there is no address).
    """

    row: Ints
    start: Ints
    end: Ints
    low: Ints
    high: Ints

    def __len__(self) -> int:
        return len(self.row)

    def take(self, chosen: npt.NDArray[np.bool_] | Ints) -> Segments:
        """Return the segments that a mask or positions choose."""
        return Segments(self.row[chosen], self.start[chosen], self.end[chosen], self.low[chosen], self.high[chosen])


def segments(blocks: pd.DataFrame, steps: Ints | int) -> Segments:
    """Return when and where the rows of frame `allocations` are alive; `steps` is the length, per row or of all.

    A hold block or a constant lives throughout, once. A wrap is two segments, from start to the last step and from
    0 to end. A block of an inner plan is an arena of its one step. What never lives has no segment.
    """
    length = np.broadcast_to(np.asarray(steps, dtype=np.int64), len(blocks))
    start, end = blocks["start"].to_numpy(np.int64), blocks["end"].to_numpy(np.int64)
    always = blocks["hold"].to_numpy(bool) | (blocks["kind"] == "constant").to_numpy(bool)
    inner = (blocks["plan"] == "inner").to_numpy(bool) & ~always
    wraps = blocks["wraps"].to_numpy(bool) & ~always & ~inner
    first_start = np.where(always, 0, start)
    first_end = np.where(always | wraps, length, np.where(inner, start + 1, end))
    wrapped = np.flatnonzero(wraps)
    row = np.concatenate([np.arange(len(blocks), dtype=np.int64), wrapped])
    begins = np.concatenate([first_start, np.zeros(len(wrapped), dtype=np.int64)])
    ends = np.concatenate([first_end, np.minimum(end, start)[wrapped]])
    address = blocks["address"].to_numpy(np.int64, na_value=NOT_PLACED)[row]
    size = blocks["size"].to_numpy(np.int64)[row]
    placed = address != NOT_PLACED
    high = np.where(placed, address + size, NOT_PLACED)
    return Segments(row, begins, ends, address, high).take(ends > begins)


@dataclass(frozen=True)
class MapFacts:
    """What the maps of a run are like; each fact stands by itself, for a source may have times and addresses.

    `unit` is what a step is (steps of a plan, or ns); `addressed`: blocks have addresses, or want them, so that a map
    shows places and not a picture of lifetimes; `devices`: attempts are devices, and blocks their buffers.
    """

    unit: str = STEPS
    addressed: bool = True
    devices: bool = False


STEP_MAPS = MapFacts()
"""Blocks with addresses, alive in steps of a plan."""


@dataclass(frozen=True)
class AttemptMap:
    """One attempt, level or problem, ready to be drawn and asked.

    `attempt` is its row of frame `attempts`; `blocks` its rows of `allocations`, indexed from 0; `segments` theirs;
    `occupancy` its rows of that frame; `steps` and `uses` its rows of `steps` and `buffer_uses` (empty where there
    are none); `facts` what its steps and blocks are.
    """

    attempt: Mapping[str, object]
    blocks: pd.DataFrame
    segments: Segments
    occupancy: pd.DataFrame
    steps: pd.DataFrame
    uses: pd.DataFrame
    facts: MapFacts = STEP_MAPS

    @property
    def number(self) -> int:
        """Return the attempt's rank."""
        return int(str(self.attempt["attempt"]))

    @property
    def length(self) -> int:
        """Return its steps, at least 1."""
        return max(1, self.whole("steps") or 0)

    @cached_property
    def is_placed(self) -> npt.NDArray[np.bool_]:
        """Tell which blocks have a place; those that failed have none, whatever address was tried."""
        return np.asarray(self.blocks["address"].notna() & (self.blocks["status"] != "failed"), dtype=np.bool_)

    @cached_property
    def is_unsolved(self) -> bool:
        """Tell whether it is a problem of which no block has an address yet."""
        return bool((self.blocks["status"] == "unplaced").any()) and bool(self.blocks["address"].isna().all())

    def whole(self, column: str) -> int | None:
        """Return a whole number of the attempt's row, None where it is null."""
        value = self.attempt[column]
        return None if pd.isna(value) else int(value)  # type: ignore[call-overload]

    @property
    def label(self) -> str:
        """Return what people call it: `kept 1`, the level, else `attempt 3`."""
        level = self.attempt["level"]
        named = self.number < KEPT_FROM and not pd.isna(level)
        return str(level) if named else attempt_words(self.number)


def unplaced_blocks(amap: AttemptMap) -> Ints:
    """Return the positions of the blocks that have no place, constants aside."""
    return np.flatnonzero(~amap.is_placed & (amap.blocks["kind"] != "constant").to_numpy(bool))


def attempt_words(number: int) -> str:
    """Return what people call the attempt of a rank: `attempt 3`, and `kept 1` where it is an answer of the lab."""
    return f"attempt {number}" if number < KEPT_FROM else f"kept {number - KEPT_FROM}"
