"""Where a search stands: registers, frames and lists that the compiled steps work on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analysis.allocators.components import Component
from schema.array_types import Floats, Ints

RUNNING, FOUND, EXHAUSTED = 0, 1, 2
"""How a search stands: not at its end, it has a layout, there is none below the capacity."""
NOBODY = -1

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
"""Registers. MOVED, DONE and RANKED are the lengths of the trails, WAITING the stretch in front of those that wait,
TRIED the placements so far, CULPRIT the section that failed last, LEFT the blocks not placed of the stretch looked at
last, SALT the number of the search, LOAD_AT which of the keys is the load, NOBODY where stretches keep their order."""
REGISTERS = 14

LOW, HIGH, PLACE, RANK, PARENT, BEGIN, END, SORT, NEXT = range(9)
"""Columns of a frame, and of a stretch that waits to become one: its sections [LOW, HIGH]; place and rank of the block
placed last; the frame to go back to; its members, [BEGIN, END) of a list; whether they are sorted when it begins; of
what waits, who is next."""
WAIT_COLUMNS = 9
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
"""More columns of a frame: registers as they were when it began; place and rank that it began with; the highest place
and rank that its next block can have; two hashes of what was left to place."""
FRAME_COLUMNS = _FIRST + 13

KEYS = 3
TABLE_SIZE = 1 << 16
"""Entries of the table of what was searched in vain: OTHER_KEY and so on below are its columns."""
T_KEY, T_OTHER_KEY, T_PLACE, T_RANK = range(4)


class State(NamedTuple):
    """Where a search stands, so that it can be left and taken up again; all int64 but for the keys.

    `order` and `rank` say who comes first of equal places; `twin` is the block of the same kind that has to be placed
    before. `place` is the lowest place that each block can have on top of what is placed, `lowest` what its address
    will be at least, `done` whether it is placed, `free_pairs` how many blocks that are not placed it meets. `left`
    are the bytes that the blocks not placed use in a section, `spans` how many of them reach from a section into the
    next. `witness` and `blocker` remember who let a section and a block pass the last time they were looked at. `keys`
    are three float64 per block, which a stretch is sorted by, the highest first; `load_factor` is what its load is
    multiplied by to become a key.
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


_MOST_MEMBERS = 1 << 21
"""Room for the lists of members, unless 16 lists of all blocks need more: 50 MB with what goes along."""


def new_state(component: Component) -> State:
    """Return room for the searches of a component."""
    blocks, sections, pairs = len(component.size), len(component.held_begin) - 1, len(component.pair_block)
    members = max(16 * blocks, min(blocks * (blocks + 1) // 2, _MOST_MEMBERS))

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
        # A list is sorted once at most before it is given back.
        ranked_block=zeros(members),
        ranked_from=zeros(members),
        # The last frame is the one that a search begins with.
        frames=zeros(blocks + 2, FRAME_COLUMNS),
        waiting=zeros(2 * blocks + 2, WAIT_COLUMNS),
        members=zeros(members),
        table=zeros(TABLE_SIZE, 4),
        registers=zeros(REGISTERS),
        keys=np.zeros((blocks, KEYS)),
        load_factor=np.ones(blocks),
    )
