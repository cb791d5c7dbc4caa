"""State of a search: the registers, frames and lists on which the compiled functions work."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analysis.allocators.components import Component
from schema.array_types import Floats, Ints

RUNNING, FOUND, EXHAUSTED = 0, 1, 2
"""Status of a search: not finished, a layout was found, or no layout fits below the capacity."""
NOBODY = -1
"""Index that means no block, frame or key."""

(
    STANDING,
    CAPACITY,
    DEPTH,
    MOVED,
    DONE,
    RANKED,
    WAITING,
    WAITING_TOP,
    MEMBERS_TOP,
    TRIED,
    CULPRIT,
    LEFT,
    SALT,
    LOAD_AT,
) = range(14)
"""Registers.

STANDING is the status. CAPACITY is the highest end allowed, DEPTH the current frame. MOVED, DONE
and RANKED are the lengths of the undo trails. WAITING is the first interval in the waiting list,
WAITING_TOP and MEMBERS_TOP are the used lengths of `waiting` and `members`. TRIED counts
placements. CULPRIT is the section that failed last, LEFT the number of unplaced blocks in the frame
checked last. SALT numbers the search. LOAD_AT is the index of the key that is the load, NOBODY if
intervals keep their order.
"""
REGISTERS = 14
"""Number of registers."""

LOW, HIGH, PLACE, RANK, PARENT, BEGIN, END, SORT, NEXT = range(9)
"""Columns of a frame, and of an interval that waits to become a frame.

[LOW, HIGH] are its sections, PLACE and RANK those of the block placed last, PARENT is the frame to
return to. Its members are [BEGIN, END) of a list, SORT is 1 if they are sorted when the frame
begins. NEXT is the next entry of the waiting list.
"""
WAIT_COLUMNS = 9
"""Number of columns of a waiting interval."""
# NEXT, the last column of a waiting interval, has no meaning in a frame, so its index is used
# again.
_FIRST = 8
(
    WAS_MOVED,
    WAS_DONE,
    WAS_RANKED,
    WAS_WAITING,
    WAS_WAITING_TOP,
    WAS_MEMBERS_TOP,
    SINCE,
    FIRST_PLACE,
    FIRST_RANK,
    LIMIT,
    LIMIT_RANK,
    KEY,
    OTHER_KEY,
) = range(_FIRST, _FIRST + 13)
"""Additional columns of a frame.

WAS_ columns have the registers as they were when the frame began, SINCE the number of placements
tried until then. FIRST_PLACE and FIRST_RANK are the place and rank that it began with, LIMIT and
LIMIT_RANK the highest that its next block may have. KEY and OTHER_KEY are two hashes of the blocks
left to place.
"""
FRAME_COLUMNS = _FIRST + 13
"""Number of columns of a frame."""

KEYS = 3
"""Number of keys by which blocks are sorted."""
TABLE_SIZE = 1 << 16
"""Number of entries in the table of failed states; T_KEY, T_OTHER_KEY, T_PLACE and T_RANK are its
columns.
"""
T_KEY, T_OTHER_KEY, T_PLACE, T_RANK = range(4)
"""Columns of the table of failed states: two hashes, place and rank."""


class State(NamedTuple):
    """State of a search, with which it can be interrupted and continued; int64 arrays except for
    `keys` and `load_factor`.

    - `order` and `rank` decide between blocks with equal places; `twin` is the block of the same
      kind that has to be placed before a block.
    - `place` is the lowest place of a block above the placed blocks, `lowest` a lower bound for its
      final address, `done` is 1 if it is placed, `free_pairs` counts the unplaced blocks that it
      overlaps.
    - `left` are the bytes that unplaced blocks use in a section, `spans` counts the unplaced blocks
      that reach from a section into the next.
    - `witness` and `blocker` cache the entry that made the last check of a section or block
      succeed.
    - `keys` are three float64 values per block, by which intervals are sorted, highest first; the
      load is multiplied by `load_factor` (float64) to become a key.
    """

    order: Ints
    rank: Ints
    twin: Ints
    place: Ints
    lowest: Ints
    done: Ints
    free_pairs: Ints
    left: Ints
    spans: Ints
    witness: Ints
    blocker: Ints
    passed: Ints
    moved_block: Ints
    moved_from: Ints
    done_block: Ints
    ranked_block: Ints
    ranked_from: Ints
    frames: Ints
    waiting: Ints
    members: Ints
    table: Ints
    registers: Ints
    keys: Floats
    load_factor: Floats


_MAX_MEMBERS = 1 << 21
"""Maximum length of the member lists (50 MB with the arrays of that length), unless 16 lists of all
blocks are longer.
"""


def new_state(component: Component) -> State:
    """Allocate the arrays of the state for searches of a component, all 0 except for `load_factor`
    (1); `begin_search` sets it up.
    """
    blocks = len(component.size)
    sections = len(component.held_begin) - 1
    pairs = len(component.pair_block)
    members = max(16 * blocks, min(blocks * (blocks + 1) // 2, _MAX_MEMBERS))

    def zeros(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    per_block = {
        name: zeros(blocks)
        for name in ("order", "rank", "twin", "place", "lowest", "done", "free_pairs")
    }
    return State(
        **per_block,
        left=zeros(sections),
        spans=zeros(sections),
        witness=zeros(sections),
        blocker=zeros(blocks),
        passed=zeros(blocks),
        # A placed block lifts each block that it overlaps at most once before it is undone.
        moved_block=zeros(pairs + 1),
        moved_from=zeros(pairs + 1),
        done_block=zeros(blocks),
        # A list is sorted at most once before it is released.
        ranked_block=zeros(members),
        ranked_from=zeros(members),
        # The last frame is the start of the search.
        frames=zeros(blocks + 2, FRAME_COLUMNS),
        waiting=zeros(2 * blocks + 2, WAIT_COLUMNS),
        members=zeros(members),
        table=zeros(TABLE_SIZE, 4),
        registers=zeros(REGISTERS),
        keys=np.zeros((blocks, KEYS)),
        load_factor=np.ones(blocks),
    )
