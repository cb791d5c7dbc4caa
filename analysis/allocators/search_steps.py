"""Steps of the search: placing and taking back, stretches of time searched apart, what was searched in vain."""

from __future__ import annotations

import numpy as np

from analysis.allocators.compiled import compile_inline, compile_kept
from analysis.allocators.components import Component
from analysis.allocators.search_checks import set_limit
from analysis.allocators.search_sort import sort_stretch
from analysis.allocators.search_state import (
    BEGIN,
    CAPACITY,
    DEPTH,
    DONE,
    END,
    FIRST_PLACE,
    FIRST_RANK,
    HIGH,
    KEY,
    LEFT,
    LIMIT,
    LIMIT_RANK,
    LOAD_AT,
    LOW,
    MEMBERS_TOP,
    MOVED,
    NEXT,
    NOBODY,
    OTHER_KEY,
    PARENT,
    PLACE,
    RANK,
    RANKED,
    SALT,
    SINCE,
    SORT,
    T_KEY,
    T_OTHER_KEY,
    T_PLACE,
    T_RANK,
    TABLE_SIZE,
    TRIED,
    WAITING,
    WAITING_TOP,
    WAS_DONE,
    WAS_MEMBERS_TOP,
    WAS_MOVED,
    WAS_RANKED,
    WAS_WAITING,
    WAS_WAITING_TOP,
    State,
)
from schema.array_types import Ints

_WORTH_KEEPING = 16
"""Placements below which something is searched again sooner than found in the table."""


@compile_inline
def raise_place(component: Component, block: int, place: int) -> int:
    """Return the lowest place at or above one that is aligned and clear of what is fixed."""
    alignment = component.alignment[block]
    if alignment > 1:
        place = -(-place // alignment) * alignment
    for at in range(component.barrier_begin[block], component.barrier_begin[block + 1]):
        if component.barrier_low[at] < place < component.barrier_high[at]:
            place = -(-component.barrier_high[at] // alignment) * alignment
    return place


@compile_inline
def candidate(state: State, frame: Ints) -> int:
    """Return the next block of a frame to try: the lowest, of equals that of lowest rank, after the one tried last."""
    best, best_place = NOBODY, 0
    last, last_rank, limit, limit_rank = frame[PLACE], frame[RANK], frame[LIMIT], frame[LIMIT_RANK]
    for at in range(frame[BEGIN], frame[END]):
        block = state.members[at]
        if state.done[block]:
            continue
        place, rank = state.place[block], state.rank[block]
        # Members are sorted by rank, so that of equal places the first one seen has the lowest.
        if best != NOBODY and place >= best_place:
            continue
        if place < last or (place == last and rank <= last_rank):
            continue
        if place > limit or (place == limit and rank > limit_rank):
            continue
        twin = state.twin[block]
        if twin == NOBODY or state.done[twin]:
            best, best_place = block, place
    return best


@compile_inline
def lift(component: Component, state: State, block: int) -> bool:
    """Lift what lies above a block that is placed; return whether all of it still fits below the capacity."""
    registers = state.registers
    place = state.place[block]
    for at in range(component.pair_begin[block], component.pair_begin[block + 1]):
        other = component.pair_block[at]
        if state.done[other]:
            continue
        lowest = place + component.pair_above[at]
        if lowest > state.place[other]:
            lowest = raise_place(component, other, lowest)
            state.moved_block[registers[MOVED]] = other
            state.moved_from[registers[MOVED]] = state.place[other]
            registers[MOVED] += 1
            state.place[other] = lowest
            if lowest + component.size[other] > registers[CAPACITY]:
                return False
    return True


@compile_inline
def take(component: Component, state: State, block: int) -> bool:
    """Count a block as placed where it is; return whether one that it meets now meets nothing any more."""
    registers = state.registers
    state.done[block] = 1
    state.done_block[registers[DONE]] = block
    registers[DONE] += 1
    for at in range(component.use_begin[block], component.use_begin[block + 1]):
        state.left[component.use_section[at]] -= component.use_size[at]
    for section in range(component.first[block], component.last[block]):
        state.spans[section] -= 1
    alone = False
    for at in range(component.pair_begin[block], component.pair_begin[block + 1]):
        other = component.pair_block[at]
        state.free_pairs[other] -= 1
        alone = alone or (state.free_pairs[other] == 0 and not state.done[other])
    return alone


@compile_inline
def take_free(component: Component, state: State, block: int) -> bool:
    """Place what meets nothing any more beside a block; return False for what should have been placed before it."""
    place, rank = state.place[block], state.rank[block]
    for at in range(component.pair_begin[block], component.pair_begin[block + 1]):
        other = component.pair_block[at]
        if state.done[other] or state.free_pairs[other] > 0:
            continue
        if state.place[other] < place or (state.place[other] == place and state.rank[other] < rank):
            return False
        take(component, state, other)
    return True


@compile_inline
def undo(component: Component, state: State, frame: Ints) -> None:
    """Take back what was placed and lifted since a frame began."""
    registers = state.registers
    while registers[DONE] > frame[WAS_DONE]:
        registers[DONE] -= 1
        block = state.done_block[registers[DONE]]
        state.done[block] = 0
        for at in range(component.use_begin[block], component.use_begin[block + 1]):
            state.left[component.use_section[at]] += component.use_size[at]
        for section in range(component.first[block], component.last[block]):
            state.spans[section] += 1
        for at in range(component.pair_begin[block], component.pair_begin[block + 1]):
            state.free_pairs[component.pair_block[at]] += 1
    while registers[MOVED] > frame[WAS_MOVED]:
        registers[MOVED] -= 1
        state.place[state.moved_block[registers[MOVED]]] = state.moved_from[registers[MOVED]]
    # Stretches that were solved since are skipped on the way back, so that their ranks are put back here as well.
    while registers[RANKED] > frame[WAS_RANKED]:
        registers[RANKED] -= 1
        state.rank[state.ranked_block[registers[RANKED]]] = state.ranked_from[registers[RANKED]]


@compile_kept
def split_frame(component: Component, state: State, frame: Ints, parent: int) -> None:
    """Have the stretches wait into which what is left of a frame falls, the one with fewest members in front.

    Nothing that is not placed reaches from one into another, so that each is searched for itself; if there is no layout
    for one, there is none for the frame `parent`.
    """
    registers = state.registers
    rest, stretches, section = registers[WAITING], 0, frame[LOW]
    # Without room for lists of their own, stretches stay one: in a list of both, who fails would be the other one.
    one = registers[MEMBERS_TOP] + frame[END] - frame[BEGIN] > len(state.members)
    while section <= frame[HIGH]:
        start, filled = section, False
        while True:
            filled = filled or state.left[section] > 0
            if section == frame[HIGH] or (state.spans[section] == 0 and not one):
                break
            section += 1
        section += 1
        if not filled:
            continue
        stretches += 1
        entry = registers[WAITING_TOP]
        registers[WAITING_TOP] += 1
        row = state.waiting[entry]
        row[LOW], row[HIGH], row[PLACE], row[RANK], row[PARENT] = start, section - 1, frame[PLACE], frame[RANK], parent
        row[SORT] = 0
        if not one:
            _gather(component, state, frame, row)
        else:
            row[BEGIN], row[END] = frame[BEGIN], frame[END]
        row[NEXT] = registers[WAITING]
        registers[WAITING] = entry
    if stretches > 1:
        _shortest_first(state, rest)


@compile_inline
def _gather(component: Component, state: State, frame: Ints, row: Ints) -> None:
    """List the members of a stretch; where it is most of the frame, the frame's list will do.

    A stretch that is to be sorted begins below all: ranks of the frame mean nothing in it.
    """
    registers = state.registers
    whole = row[LOW] == frame[LOW] and row[HIGH] == frame[HIGH]
    row[BEGIN], row[END] = frame[BEGIN], frame[END]
    if whole and 2 * registers[LEFT] > frame[END] - frame[BEGIN]:
        return
    if not whole and registers[LOAD_AT] != NOBODY:
        row[SORT], row[PLACE], row[RANK] = 1, -1, -1
    row[BEGIN] = registers[MEMBERS_TOP]
    for at in range(frame[BEGIN], frame[END]):
        block = state.members[at]
        if not state.done[block] and component.first[block] >= row[LOW] and component.last[block] <= row[HIGH]:
            state.members[registers[MEMBERS_TOP]] = block
            registers[MEMBERS_TOP] += 1
    row[END] = registers[MEMBERS_TOP]


@compile_inline
def _shortest_first(state: State, rest: int) -> None:
    """Sort what waits in front of an entry by the length of its list."""
    waiting, head = state.waiting, rest
    entry = state.registers[WAITING]
    while entry != rest:
        following = waiting[entry, NEXT]
        length = waiting[entry, END] - waiting[entry, BEGIN]
        before, at = NOBODY, head
        while at != rest and waiting[at, END] - waiting[at, BEGIN] < length:
            before, at = at, waiting[at, NEXT]
        waiting[entry, NEXT] = at
        if before == NOBODY:
            head = entry
        else:
            waiting[before, NEXT] = entry
        entry = following
    state.registers[WAITING] = head


@compile_kept
def next_stretch(component: Component, state: State) -> bool:
    """Begin a frame for the stretch that waits in front; return False where none waits."""
    registers = state.registers
    entry = registers[WAITING]
    if entry == NOBODY:
        return False
    row = state.waiting[entry]
    registers[WAITING] = row[NEXT]
    registers[DEPTH] += 1
    frame = state.frames[registers[DEPTH]]
    for column in range(NEXT):
        frame[column] = row[column]
    frame[WAS_MOVED], frame[WAS_DONE] = registers[MOVED], registers[DONE]
    frame[WAS_WAITING], frame[WAS_WAITING_TOP] = registers[WAITING], registers[WAITING_TOP]
    if frame[SORT]:
        sort_stretch(component, state, frame)
    frame[WAS_RANKED] = registers[RANKED]
    frame[WAS_MEMBERS_TOP], frame[SINCE] = registers[MEMBERS_TOP], registers[TRIED]
    frame[FIRST_PLACE], frame[FIRST_RANK] = frame[PLACE], frame[RANK]
    _set_keys(state, frame)
    if _was_in_vain(state, frame):
        frame[END] = frame[BEGIN]
    else:
        set_limit(component, state, frame)
    return True


@compile_inline
def go_back(component: Component, state: State, frame: Ints) -> None:
    """Go back from a frame in which nothing is left to try to its parent, as that was before its last block."""
    registers = state.registers
    if frame[END] > frame[BEGIN] and registers[TRIED] - frame[SINCE] >= _WORTH_KEEPING:
        row = state.table[frame[KEY] & (TABLE_SIZE - 1)]
        row[T_KEY], row[T_OTHER_KEY] = frame[KEY], frame[OTHER_KEY]
        row[T_PLACE], row[T_RANK] = frame[FIRST_PLACE], frame[FIRST_RANK]
    registers[DEPTH] = frame[PARENT]
    parent = state.frames[registers[DEPTH]]
    undo(component, state, parent)
    registers[WAITING], registers[WAITING_TOP] = parent[WAS_WAITING], parent[WAS_WAITING_TOP]
    registers[MEMBERS_TOP] = parent[WAS_MEMBERS_TOP]


@compile_inline
def _set_keys(state: State, frame: Ints) -> None:
    """Set two hashes of the blocks that are left to place in a frame and of the places that they can have."""
    one = np.uint64(state.registers[SALT])
    other = one
    for at in range(frame[BEGIN], frame[END]):
        block = state.members[at]
        if not state.done[block]:
            mixed = np.uint64(state.place[block]) * np.uint64(0x9E3779B97F4A7C15)
            mixed += np.uint64(block) * np.uint64(0xC2B2AE3D27D4EB4F)
            mixed ^= mixed >> np.uint64(29)
            mixed *= np.uint64(0xBF58476D1CE4E5B9)
            mixed ^= mixed >> np.uint64(32)
            one += mixed
            mixed *= np.uint64(0x94D049BB133111EB)
            mixed ^= mixed >> np.uint64(31)
            other += mixed
    frame[KEY], frame[OTHER_KEY] = np.int64(one), np.int64(other)


@compile_inline
def _was_in_vain(state: State, frame: Ints) -> bool:
    """Return whether the same blocks with the same places were searched to the end, with as much to try or more.

    Where stretches are sorted again, ranks of two frames may be of two orders, and are not compared.
    """
    row = state.table[frame[KEY] & (TABLE_SIZE - 1)]
    if row[T_KEY] != frame[KEY] or row[T_OTHER_KEY] != frame[OTHER_KEY]:
        return False
    if row[T_PLACE] != frame[PLACE]:
        return bool(row[T_PLACE] < frame[PLACE])
    one_order = state.registers[LOAD_AT] == NOBODY or frame[PLACE] < 0
    return bool(one_order and row[T_RANK] <= frame[RANK])
