"""Pruning rules of the search: checks that a partial layout cannot be completed within the
capacity.
"""

from __future__ import annotations

from analysis.allocators.compiled import compile_inline
from analysis.allocators.components import Component
from analysis.allocators.search_state import (
    BEGIN,
    CAPACITY,
    CULPRIT,
    END,
    HIGH,
    LEFT,
    LIMIT,
    LIMIT_RANK,
    LOW,
    PLACE,
    RANK,
    State,
)
from schema.array_types import Ints


@compile_inline
def highest_floor(component: Component, state: State, section: int) -> int:
    """Compute the highest address (bytes) above which all bytes of a section's unplaced blocks
    still fit below the capacity, outside the bytes of fixed storages. It may be negative if they do
    not fit.
    """
    floor = state.registers[CAPACITY]
    left = state.left[section]
    at = component.taken_begin[section + 1]
    while at > component.taken_begin[section]:
        at -= 1
        high = component.taken_high[at]
        low = component.taken_low[at]
        if high < floor:
            if floor - high >= left:
                break
            left -= floor - high
            floor = low
        elif low < floor:
            floor = low
    return int(floor - left)


@compile_inline
def sections_hold(component: Component, state: State, low: int, high: int) -> bool:
    """Whether each section from `low` to `high`, both included, with unplaced blocks has a block
    among these that can begin low enough for all remaining bytes to fit. If not, the first failing
    section becomes register CULPRIT.
    """
    held = component.held_block
    bottom = component.held_bottom
    begin = component.held_begin
    for section in range(low, high + 1):
        if state.left[section] == 0:
            continue
        floor = highest_floor(component, state, section)
        seen = state.witness[section]
        if not state.done[held[seen]] and state.lowest[held[seen]] + bottom[seen] <= floor:
            continue
        holds = False
        for at in range(begin[section], begin[section + 1]):
            if not state.done[held[at]] and state.lowest[held[at]] + bottom[at] <= floor:
                state.witness[section] = at
                holds = True
                break
        if not holds:
            state.registers[CULPRIT] = section
            return False
    return True


@compile_inline
def culprit_holds(component: Component, state: State, placed: int) -> bool:
    """Whether the section that failed last still has an unplaced block that can begin low enough
    for all remaining bytes to fit.

    Most failures happen in the section that failed last, so it is checked first. True if the block
    `placed` uses this section, since that block may be the lowest, or if no bytes are left there.
    """
    section = state.registers[CULPRIT]
    if state.left[section] == 0 or component.first[placed] <= section <= component.last[placed]:
        return True
    floor = highest_floor(component, state, section)
    for at in range(component.held_begin[section], component.held_begin[section + 1]):
        block = component.held_block[at]
        if not state.done[block] and state.place[block] + component.held_bottom[at] <= floor:
            return True
    return False


@compile_inline
def can_be_lifted(component: Component, state: State, frame: Ints) -> bool:
    """Write the lowest remaining address of each unplaced block of a frame into `state.lowest`;
    False if some block has no address below the capacity.

    A block that was passed over has to be lifted by a block that is placed later. If no block can
    lift it, it could stay at its current address, and this branch has no better layout than
    branches tried before.
    """
    capacity = state.registers[CAPACITY]
    place = frame[PLACE]
    rank = frame[RANK]
    passed, left = 0, 0
    for at in range(frame[BEGIN], frame[END]):
        block = state.members[at]
        if state.done[block]:
            continue
        left += 1
        own = state.place[block]
        if own > place or (own == place and state.rank[block] > rank):
            state.lowest[block] = own
        else:
            state.lowest[block] = place
            state.passed[passed] = block
            passed += 1
    state.registers[LEFT] = left
    for at in range(passed):
        block = state.passed[at]
        best = capacity + 1
        for pair in range(component.pair_begin[block], component.pair_begin[block + 1]):
            other = component.pair_block[pair]
            if (
                not state.done[other]
                and state.lowest[other] < state.place[block] + component.pair_above[pair]
            ):
                best = min(best, state.lowest[other] + component.pair_below[pair])
        if best + component.size[block] > capacity:
            return False
        state.lowest[block] = best
    return True


@compile_inline
def set_limit(component: Component, state: State, frame: Ints) -> None:
    """Write the highest place and rank that the next block of a frame may have into columns LIMIT
    and LIMIT_RANK of the frame.

    It is at most the floor that a section needs, and at most the end of any block that could be
    placed now: above that end, the other block could be placed below it instead. A block that no
    other block can lift has to come next, at its current place.
    """
    capacity = state.registers[CAPACITY]
    limit = capacity
    limit_rank = len(state.rank)
    for section in range(frame[LOW], frame[HIGH] + 1):
        if state.left[section] > 0:
            limit = min(limit, highest_floor(component, state, section))
    for at in range(frame[BEGIN], frame[END]):
        block = state.members[at]
        own = state.place[block]
        rank = state.rank[block]
        if state.done[block] or own > limit:
            continue
        room = capacity - component.size[block]
        begins = component.pair_begin[block]
        ends = component.pair_begin[block + 1]
        # Try the block that could lift it at the last check first, then all blocks.
        for turn in range(begins - 1, ends):
            pair = state.blocker[block] if turn < begins else turn
            other = component.pair_block[pair]
            if state.done[other]:
                continue
            lowest = max(state.place[other], own)
            if (
                lowest < own + component.pair_above[pair]
                and lowest + component.pair_below[pair] <= room
            ):
                state.blocker[block] = pair
                own += component.size[block]
                rank = -1
                break
        if own < limit or (own == limit and rank < limit_rank):
            limit, limit_rank = own, rank
    frame[LIMIT], frame[LIMIT_RANK] = limit, limit_rank
