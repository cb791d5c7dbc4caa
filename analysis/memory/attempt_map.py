"""Memory blocks as rectangles in step and address: the definition of lifetimes that all views and
numbers share.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from schema.array_types import Bools, Ints
from schema.memory import SAVED_RANK_BASE
from schema.time_units import STEPS

NOT_PLACED = -1
"""Value of `low` and `high` of a segment if its block has no address."""


@dataclass(frozen=True)
class Segments:
    """Parts of lifetimes as half-open intervals; int64 arrays of equal length.

    `row` is the row of the block in its frame. `start` and `end` are steps, `low` and `high` bytes
    of the arena (NOT_PLACED if the block has no address).
    """

    row: Ints
    start: Ints
    end: Ints
    low: Ints
    high: Ints

    def __len__(self) -> int:
        return len(self.row)

    def take(self, chosen: Bools | Ints) -> Segments:
        """Return the segments that a mask or indices select."""
        return Segments(
            self.row[chosen],
            self.start[chosen],
            self.end[chosen],
            self.low[chosen],
            self.high[chosen],
        )


def segments(blocks: pd.DataFrame, steps: Ints | int) -> Segments:
    """Compute the segments (parts of lifetimes) of blocks, which are rows of frame `allocations`;
    `steps` is the length of the attempt in steps, per row or for all.

    A hold block or a constant is alive in all steps. A wrapped block has two segments, from start
    to the last step and from 0 to end. A block of an inner plan is alive in its own step only. A
    block that is never alive has no segment; without an address, low and high are NOT_PLACED (-1).
    """
    length = np.broadcast_to(np.asarray(steps, dtype=np.int64), len(blocks))
    start = blocks["start"].to_numpy(np.int64)
    end = blocks["end"].to_numpy(np.int64)
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
    """Properties that all maps of a run share; they are independent, since a source may have both
    times and addresses.

    `unit` is the unit of a step (steps of a plan, or ns). `addressed`: blocks have or need
    addresses, so a map shows places; otherwise it shows lifetimes only. `devices`: attempts are
    devices, and blocks are their buffers. `allocator`: a caching allocator gave out the addresses
    while the program ran, so they are no plan. `tiles`: attempts are the memories of the tiles of
    an array, which are shown one at a time.
    """

    unit: str = STEPS
    addressed: bool = True
    devices: bool = False
    allocator: bool = False
    tiles: bool = False


STEP_MAPS = MapFacts()
"""Facts of maps in which blocks have addresses and are alive in steps of a plan."""


@dataclass(frozen=True)
class AttemptMap:
    """Memory map of an attempt, memory level or problem.

    `attempt` is its row of frame `attempts`; `blocks` are its rows of `allocations`, indexed from
    0, `segments` their segments. `occupancy`, `steps` and `uses` are its rows of frames
    `occupancy`, `steps` and `buffer_uses`, empty if there are none. `facts` are the properties of
    its steps and blocks.
    """

    attempt: Mapping[str, object]
    blocks: pd.DataFrame
    segments: Segments
    occupancy: pd.DataFrame
    steps: pd.DataFrame
    uses: pd.DataFrame
    facts: MapFacts = STEP_MAPS

    @property
    def address_limit(self) -> int | None:
        """Capacity in bytes as the end of the addresses; None if it is unknown, or if a caching
        allocator gave out the addresses, so that they have no extent.
        """
        is_given_out = self.facts.allocator and self.whole("extent") is None
        return None if is_given_out else self.whole("capacity")

    @property
    def arena_capacity(self) -> int | None:
        """Capacity above the constants in bytes; None if the capacity is unknown."""
        capacity = self.whole("capacity")
        return None if capacity is None else capacity - (self.whole("static_bytes") or 0)

    @property
    def number(self) -> int:
        """Rank of the map's attempt; above SAVED_RANK_BASE (10^9) for saved placements."""
        return int(str(self.attempt["attempt"]))

    @property
    def length(self) -> int:
        """Number of time steps (or ns) of the map's attempt, at least 1, also if it is unknown."""
        return max(1, self.whole("steps") or 0)

    @cached_property
    def is_placed(self) -> Bools:
        """Mask of the map's blocks that have a place; a failed block has no place, even if the log
        has the address that was tried.
        """
        return np.asarray(
            self.blocks["address"].notna() & (self.blocks["status"] != "failed"), dtype=np.bool_
        )

    @cached_property
    def is_unsolved(self) -> bool:
        """Whether the map is a problem to solve: some block has status `unplaced`, and no block has
        an address.
        """
        return bool((self.blocks["status"] == "unplaced").any()) and bool(
            self.blocks["address"].isna().all()
        )

    def whole(self, column: str) -> int | None:
        """Read an integer column of the attempt's row in frame `attempts`; `None` if it is null.

        Raises KeyError for an unknown column.
        """
        value = self.attempt[column]
        return None if pd.isna(value) else int(value)  # type: ignore[call-overload]

    @property
    def label(self) -> str:
        """Display name of the map's attempt: its memory level if it has any, else `attempt 3`;
        `kept 1` for a saved placement.
        """
        level = self.attempt["level"]
        named = self.number < SAVED_RANK_BASE and not pd.isna(level)
        return str(level) if named else attempt_words(self.number)


def unplaced_blocks(amap: AttemptMap) -> Ints:
    """List the rows of the map's blocks that have no place (no address, or failed), without
    constants; empty if all have a place.
    """
    return np.flatnonzero(~amap.is_placed & (amap.blocks["kind"] != "constant").to_numpy(bool))


def attempt_words(number: int) -> str:
    """Display name of the attempt of this rank: `attempt 3`; `kept 1` for ranks above
    SAVED_RANK_BASE (10^9), which are saved placements of the lab.
    """
    return f"attempt {number}" if number < SAVED_RANK_BASE else f"kept {number - SAVED_RANK_BASE}"
