"""Where a search stands: registers, frames and lists that the compiled steps work on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analysis.memory.allocators.components import Component
from schema.array_types import Ints

RUNNING, FOUND, EXHAUSTED = 0, 1, 2
"""How a search stands: not at its end, it has a layout, there is none below the capacity."""
NOBODY = -1

STANDING, CAPACITY, DEPTH, MOVED, DONE, WAITING, WAITING_TOP, MEMBERS_TOP, TRIED, CULPRIT, LEFT, SALT = range(12)
"""Registers. MOVED and DONE are the lengths of the trails, WAITING the stretch in front of those that wait, TRIED the
placements so far, CULPRIT the section that failed last, LEFT the blocks not placed of the stretch looked at last, SALT
the number of the search."""

LOW, HIGH, PLACE, RANK, PARENT, BEGIN, END, NEXT = range(8)
"""Columns of a frame, and of a stretch that waits to become one: its sections [LOW, HIGH]; place and rank of the block
placed last; the frame to go back to; its members, [BEGIN, END) of a list; of what waits, who is next."""
WAIT_COLUMNS = 8
_FIRST = 7
(
    WAS_MOVED,
    WAS_DONE,
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
) = range(_FIRST, _FIRST + 12)
"""More columns of a frame: registers as they were when it began; place and rank that it began with; the highest place
and rank that its next block can have; two hashes of what was left to place."""
FRAME_COLUMNS = _FIRST + 12

TABLE_SIZE = 1 << 16
"""Entries of the table of what was searched in vain: OTHER_KEY and so on below are its columns."""
T_KEY, T_OTHER_KEY, T_PLACE, T_RANK = range(4)


class State(NamedTuple):
    """Where a search stands, so that it can be left and taken up again; all int64.

    `order` and `rank` say who comes first of equal places; `twin` is the block of the same kind that has to be placed
    before. `place` is the lowest place that each block can have on top of what is placed, `lowest` what its address
    will be at least, `done` whether it is placed, `free_pairs` how many blocks that are not placed it meets. `left`
    are the bytes that the blocks not placed use in a section, `spans` how many of them reach from a section into the
    next. `witness` and `blocker` remember who let a section and a block pass the last time they were looked at.
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
    frames: Ints
    waiting: Ints
    members: Ints
    table: Ints
    registers: Ints


def new_state(component: Component) -> State:
    """Return room for the searches of a component."""
    blocks, sections, pairs = len(component.size), len(component.held_begin) - 1, len(component.pair_block)

    def zeros(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    per_block = {name: zeros(blocks) for name in ("order", "rank", "twin", "place", "lowest", "done", "free_pairs")}
    return State(
        **per_block,
        left=zeros(sections),
        spans=zeros(sections),
        witness=zeros(sections),
        blocker=zeros(blocks),
        passed=zeros(blocks),
        # A block lifts each that it meets once at most before it is taken back.
        moved_block=zeros(pairs + 1),
        moved_from=zeros(pairs + 1),
        done_block=zeros(blocks),
        # The last frame is the one that a search begins with.
        frames=zeros(blocks + 2, FRAME_COLUMNS),
        waiting=zeros(2 * blocks + 2, WAIT_COLUMNS),
        members=zeros(16 * blocks),
        table=zeros(TABLE_SIZE, 4),
        registers=zeros(12),
    )
