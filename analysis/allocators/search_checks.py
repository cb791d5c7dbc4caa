"""What shows that a partial layout leads nowhere, compiled into the search."""

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
    """Return the highest floor above which all that is left to place in a section still fits."""
    floor = state.registers[CAPACITY]
    left = state.left[section]
    at = component.taken_begin[section + 1]
    while at > component.taken_begin[section]:
        at -= 1
        high, low = component.taken_high[at], component.taken_low[at]
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
    """Return whether in every section of [low, high] some block is low enough for all that is left to fit."""
    held, bottom, begin = component.held_block, component.held_bottom, component.held_begin
    for section in range(low, high + 1):
        if state.left[section] == 0:
            continue
        floor = highest_floor(component, state, section)
        seen = state.witness[section]
        if not state.done[held[seen]] and state.lowest[held[seen]] + bottom[seen] <= floor:
            continue
        found = False
        for at in range(begin[section], begin[section + 1]):
            if not state.done[held[at]] and state.lowest[held[at]] + bottom[at] <= floor:
                state.witness[section] = at
                found = True
                break
        if not found:
            state.registers[CULPRIT] = section
            return False
    return True


@compile_inline
def culprit_holds(component: Component, state: State, placed: int) -> bool:
    """Return whether the section that failed last has a block that is low enough.

    Most that fails fails there. Where the block being placed may be in it, it is not looked at.
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
    """Set the lowest address that is left for every block of a frame; return False where there is none for one.

    A block that was passed over has to be lifted by one that is placed later: if nobody can, it could have gone where
    it is, and what follows is no better than what was tried before.
    """
    capacity, place, rank = state.registers[CAPACITY], frame[PLACE], frame[RANK]
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
            if not state.done[other] and state.lowest[other] < state.place[block] + component.pair_above[pair]:
                best = min(best, state.lowest[other] + component.pair_below[pair])
        if best + component.size[block] > capacity:
            return False
        state.lowest[block] = best
    return True


@compile_inline
def set_limit(component: Component, state: State, frame: Ints) -> None:
    """Set how high the next block of a frame may lie.

    No higher than the floor that a section needs, nor than the end of any block where that block could go now: one that
    could have gone below is better there. A block that nobody can lift has to come next at its own place.
    """
    capacity = state.registers[CAPACITY]
    limit, limit_rank = capacity, len(state.rank)
    for section in range(frame[LOW], frame[HIGH] + 1):
        if state.left[section] > 0:
            limit = min(limit, highest_floor(component, state, section))
    for at in range(frame[BEGIN], frame[END]):
        block = state.members[at]
        own, rank = state.place[block], state.rank[block]
        if state.done[block] or own > limit:
            continue
        room = capacity - component.size[block]
        begins, ends = component.pair_begin[block], component.pair_begin[block + 1]
        # The one that could lift it when it was last looked at comes first, then all.
        for turn in range(begins - 1, ends):
            pair = state.blocker[block] if turn < begins else turn
            other = component.pair_block[pair]
            if state.done[other]:
                continue
            lowest = max(state.place[other], own)
            if lowest < own + component.pair_above[pair] and lowest + component.pair_below[pair] <= room:
                state.blocker[block] = pair
                own += component.size[block]
                rank = -1
                break
        if own < limit or (own == limit and rank < limit_rank):
            limit, limit_rank = own, rank
    frame[LIMIT], frame[LIMIT_RANK] = limit, limit_rank
