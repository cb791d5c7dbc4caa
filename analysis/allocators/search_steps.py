"""Steps of the branch-and-bound search: place and undo blocks, split independent time intervals,
and return from failed states.
"""

from __future__ import annotations

from analysis.allocators.compiled import compile_cached, compile_inline
from analysis.allocators.components import Component
from analysis.allocators.failed_states import enter_failed, has_failed, set_keys
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
    LEFT,
    LIMIT,
    LIMIT_RANK,
    LOAD_AT,
    LOW,
    MEMBERS_TOP,
    MOVED,
    NEXT,
    NOBODY,
    PARENT,
    PLACE,
    RANK,
    RANKED,
    SINCE,
    SORT,
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

_MIN_TRIED = 16
"""Minimum number of placements tried in a frame for an entry in the table: smaller searches are
quicker to repeat.
"""


@compile_inline
def raise_place(component: Component, block: int, place: int) -> int:
    """Compute the lowest aligned address at or above `place` (bytes) that is outside the block's
    barriers (ranges closed by fixed storages).
    """
    alignment = component.alignment[block]
    if alignment > 1:
        place = -(-place // alignment) * alignment
    for at in range(component.barrier_begin[block], component.barrier_begin[block + 1]):
        if component.barrier_low[at] < place < component.barrier_high[at]:
            place = -(-component.barrier_high[at] // alignment) * alignment
    return place


@compile_inline
def candidate(state: State, frame: Ints) -> int:
    """Find the number of the next block of a frame to try, NOBODY (-1) if there is none.

    It is the unplaced block with the lowest place, then the lowest rank, that comes after the block
    tried last and is within the frame's limit. A block waits for its twin of the same kind.
    """
    best, best_place = NOBODY, 0
    last = frame[PLACE]
    last_rank = frame[RANK]
    limit = frame[LIMIT]
    limit_rank = frame[LIMIT_RANK]
    for at in range(frame[BEGIN], frame[END]):
        block = state.members[at]
        if state.done[block]:
            continue
        place = state.place[block]
        rank = state.rank[block]
        # Members are sorted by rank, so the first block seen at a place has the lowest rank.
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
    """Raise the places of the unplaced blocks that overlap a placed block in time to above it;
    return whether they all fit below the capacity. It stops at the first block that does not.
    """
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
    """Mark a block as placed at its place; return True if some unplaced block that overlaps it in
    time now overlaps no other unplaced block.
    """
    registers = state.registers
    state.done[block] = 1
    state.done_block[registers[DONE]] = block
    registers[DONE] += 1
    for at in range(component.use_begin[block], component.use_begin[block + 1]):
        state.left[component.use_section[at]] -= component.use_size[at]
    for section in range(component.first[block], component.last[block]):
        state.spans[section] -= 1
    frees = False
    for at in range(component.pair_begin[block], component.pair_begin[block + 1]):
        other = component.pair_block[at]
        state.free_pairs[other] -= 1
        frees = frees or (state.free_pairs[other] == 0 and not state.done[other])
    return frees


@compile_inline
def take_free(component: Component, state: State, block: int) -> bool:
    """Place the blocks that overlap `block` and no other unplaced block, at their places; returns
    True.

    False if such a block should have been placed before `block`, which has a higher place or rank.
    """
    place = state.place[block]
    rank = state.rank[block]
    for at in range(component.pair_begin[block], component.pair_begin[block + 1]):
        other = component.pair_block[at]
        # A block that overlaps no unplaced block cannot be in the way of any, so it is placed at
        # once.
        if state.done[other] or state.free_pairs[other] > 0:
            continue
        if state.place[other] < place or (state.place[other] == place and state.rank[other] < rank):
            return False
        take(component, state, other)
    return True


@compile_inline
def undo(component: Component, state: State, frame: Ints) -> None:
    """Take back all placements, lifts and ranks since a frame began."""
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
    # The way back skips intervals that were solved in the meantime, so their ranks are restored
    # here as well.
    while registers[RANKED] > frame[WAS_RANKED]:
        registers[RANKED] -= 1
        state.rank[state.ranked_block[registers[RANKED]]] = state.ranked_from[registers[RANKED]]


@compile_cached
def split_frame(component: Component, state: State, frame: Ints, parent: int) -> None:
    """Split the remaining blocks of a frame into independent intervals of time and put these into
    the waiting list, shortest list of blocks first.

    No unplaced block spans two intervals, so each is searched by itself. If an interval has no
    layout, the frame `parent` has none.
    """
    registers = state.registers
    rest = registers[WAITING]
    stretches = 0
    section = frame[LOW]
    # If there is no space for separate member lists, intervals stay together: a failure in a shared
    # list could not be attributed to an interval.
    together = registers[MEMBERS_TOP] + frame[END] - frame[BEGIN] > len(state.members)
    while section <= frame[HIGH]:
        start, filled = section, False
        while True:
            filled = filled or state.left[section] > 0
            if section == frame[HIGH] or (state.spans[section] == 0 and not together):
                break
            section += 1
        section += 1
        if not filled:
            continue
        stretches += 1
        entry = registers[WAITING_TOP]
        registers[WAITING_TOP] += 1
        row = state.waiting[entry]
        row[LOW] = start
        row[HIGH] = section - 1
        row[PLACE] = frame[PLACE]
        row[RANK] = frame[RANK]
        row[PARENT] = parent
        row[SORT] = 0
        if not together:
            _gather(component, state, frame, row)
        else:
            row[BEGIN] = frame[BEGIN]
            row[END] = frame[END]
        row[NEXT] = registers[WAITING]
        registers[WAITING] = entry
    if stretches > 1:
        _shortest_first(state, rest)


@compile_inline
def _gather(component: Component, state: State, frame: Ints, row: Ints) -> None:
    """Write the begin and end of an interval's member list into `row`; if it has the whole interval
    and most of the frame's blocks, it shares the frame's list.

    An interval that will be sorted begins from place -1, since ranks of the frame have no meaning
    in it.
    """
    registers = state.registers
    whole = row[LOW] == frame[LOW] and row[HIGH] == frame[HIGH]
    row[BEGIN] = frame[BEGIN]
    row[END] = frame[END]
    if whole and 2 * registers[LEFT] > frame[END] - frame[BEGIN]:
        return
    if not whole and registers[LOAD_AT] != NOBODY:
        row[SORT] = 1
        row[PLACE] = -1
        row[RANK] = -1
    row[BEGIN] = registers[MEMBERS_TOP]
    for at in range(frame[BEGIN], frame[END]):
        block = state.members[at]
        if (
            not state.done[block]
            and component.first[block] >= row[LOW]
            and component.last[block] <= row[HIGH]
        ):
            state.members[registers[MEMBERS_TOP]] = block
            registers[MEMBERS_TOP] += 1
    row[END] = registers[MEMBERS_TOP]


@compile_inline
def _shortest_first(state: State, rest: int) -> None:
    """Sort the entries in front of entry `rest` of the waiting list by the length of their member
    lists, shortest first.
    """
    waiting = state.waiting
    head = rest
    entry = state.registers[WAITING]
    while entry != rest:
        following = waiting[entry, NEXT]
        length = waiting[entry, END] - waiting[entry, BEGIN]
        before, at = NOBODY, head
        while at != rest and waiting[at, END] - waiting[at, BEGIN] < length:
            before = at
            at = waiting[at, NEXT]
        waiting[entry, NEXT] = at
        if before == NOBODY:
            head = entry
        else:
            waiting[before, NEXT] = entry
        entry = following
    state.registers[WAITING] = head


@compile_cached
def next_stretch(component: Component, state: State) -> bool:
    """Take the first interval off the waiting list and begin a frame for it; False if the list is
    empty.
    """
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
    frame[WAS_MOVED] = registers[MOVED]
    frame[WAS_DONE] = registers[DONE]
    frame[WAS_WAITING] = registers[WAITING]
    frame[WAS_WAITING_TOP] = registers[WAITING_TOP]
    if frame[SORT]:
        sort_stretch(component, state, frame)
    frame[WAS_RANKED] = registers[RANKED]
    frame[WAS_MEMBERS_TOP] = registers[MEMBERS_TOP]
    frame[SINCE] = registers[TRIED]
    frame[FIRST_PLACE] = frame[PLACE]
    frame[FIRST_RANK] = frame[RANK]
    set_keys(state, frame)
    if has_failed(state, frame):
        frame[END] = frame[BEGIN]
    else:
        set_limit(component, state, frame)
    return True


@compile_inline
def go_back(component: Component, state: State, frame: Ints) -> None:
    """Return from an exhausted frame to its parent, and undo the parent's last block; a frame in
    which at least 16 placements were tried is entered into the table of failed states.
    """
    registers = state.registers
    if frame[END] > frame[BEGIN] and registers[TRIED] - frame[SINCE] >= _MIN_TRIED:
        enter_failed(state, frame)
    registers[DEPTH] = frame[PARENT]
    parent = state.frames[registers[DEPTH]]
    undo(component, state, parent)
    registers[WAITING] = parent[WAS_WAITING]
    registers[WAITING_TOP] = parent[WAS_WAITING_TOP]
    registers[MEMBERS_TOP] = parent[WAS_MEMBERS_TOP]
