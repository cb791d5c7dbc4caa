"""Compiled main loop of the search over canonical orders: each block in turn at its lowest possible
place.

A layout is the order of its blocks by address, and by rank for equal addresses. A branch may be cut
if another branch has a layout with a lower sum of addresses, since the layout with the lowest sum
is never cut.
"""

from __future__ import annotations

from analysis.allocators.compiled import compile_cached
from analysis.allocators.components import Component
from analysis.allocators.search_checks import can_be_lifted, culprit_holds, sections_hold
from analysis.allocators.search_state import (
    BEGIN,
    CAPACITY,
    DEPTH,
    END,
    EXHAUSTED,
    FOUND,
    HIGH,
    LEFT,
    LOAD_AT,
    LOW,
    MEMBERS_TOP,
    NOBODY,
    PARENT,
    PLACE,
    RANK,
    RUNNING,
    SALT,
    STANDING,
    TRIED,
    WAITING,
    State,
)
from analysis.allocators.search_steps import (
    candidate,
    go_back,
    lift,
    next_stretch,
    raise_place,
    split_frame,
    take,
    take_free,
    undo,
)


@compile_cached
def begin_search(component: Component, state: State, capacity: int, load_at: int) -> int:
    """Set up a search for a layout below `capacity` bytes, in the order of `state.order` and
    `state.rank`; return its status (RUNNING, FOUND or EXHAUSTED).

    If `load_at` is the index of a key, intervals are sorted again by the keys when they split off,
    with that key replaced by the current load. If it is NOBODY, they keep the order.
    """
    registers = state.registers
    blocks = len(component.size)
    salt = registers[SALT]
    registers[:] = 0
    registers[SALT] = salt + 1
    registers[CAPACITY] = capacity
    registers[LOAD_AT] = load_at
    registers[DEPTH], registers[WAITING] = NOBODY, NOBODY
    registers[MEMBERS_TOP], registers[LEFT] = blocks, blocks
    fits = _empty(component, state)
    last = len(state.left) - 1
    if not fits or not sections_hold(component, state, 0, last):
        registers[STANDING] = EXHAUSTED
        return EXHAUSTED
    for block in range(blocks):
        # When a block overlaps no other block, its lowest place is final and needs no search.
        if state.free_pairs[block] == 0:
            take(component, state, block)
    first = state.frames[blocks + 1]
    first[LOW], first[HIGH], first[BEGIN], first[END] = 0, last, 0, blocks
    first[PLACE] = -1
    first[RANK] = -1
    split_frame(component, state, first, NOBODY)
    registers[STANDING] = RUNNING if next_stretch(component, state) else FOUND
    return int(registers[STANDING])


@compile_cached
def _empty(component: Component, state: State) -> bool:
    """Reset the state in place to no placed block; return True if every block by itself fits below
    the capacity.
    """
    fits = True
    state.left[:] = 0
    state.spans[:] = 0
    state.done[:] = 0
    for section in range(len(state.witness)):
        state.witness[section] = component.held_begin[section]
    for block in range(len(component.size)):
        state.place[block] = raise_place(component, block, 0)
        state.lowest[block] = state.place[block]
        fits = fits and state.place[block] + component.size[block] <= state.registers[CAPACITY]
        state.blocker[block] = component.pair_begin[block]
        state.free_pairs[block] = component.pair_begin[block + 1] - component.pair_begin[block]
        state.members[block] = state.order[block]
        for at in range(component.use_begin[block], component.use_begin[block + 1]):
            state.left[component.use_section[at]] += component.use_size[at]
        for section in range(component.first[block], component.last[block]):
            state.spans[section] += 1
    return fits


@compile_cached
def go_on(component: Component, state: State, budget: int) -> tuple[int, int]:
    """Continue a search for at most `budget` placements; return its status (RUNNING, FOUND or
    EXHAUSTED) and the number of placements tried in this call.

    If the status is FOUND, `state.place` has the addresses of the blocks.
    """
    registers = state.registers
    until = registers[TRIED] + budget
    while registers[STANDING] == RUNNING and registers[TRIED] < until:
        frame = state.frames[registers[DEPTH]]
        block = candidate(state, frame)
        if block == NOBODY:
            if frame[PARENT] == NOBODY:
                registers[STANDING] = EXHAUSTED
            else:
                go_back(component, state, frame)
            continue
        registers[TRIED] += 1
        frame[PLACE] = state.place[block]
        frame[RANK] = state.rank[block]
        good = lift(component, state, block) and culprit_holds(component, state, block)
        if good and take(component, state, block):
            good = take_free(component, state, block)
        good = good and can_be_lifted(component, state, frame)
        if not good or not sections_hold(component, state, frame[LOW], frame[HIGH]):
            undo(component, state, frame)
            continue
        split_frame(component, state, frame, registers[DEPTH])
        if not next_stretch(component, state):
            registers[STANDING] = FOUND
    return registers[STANDING], budget - (until - registers[TRIED])
