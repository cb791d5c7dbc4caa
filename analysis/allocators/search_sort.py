"""Sorts an interval of time that was split off by the load of its remaining blocks.

The first order is based on the sections that are critical at the beginning. Once the blocks that
span these are placed, other sections become critical.
"""

from __future__ import annotations

from analysis.allocators.compiled import compile_cached, compile_inline
from analysis.allocators.components import Component
from analysis.allocators.search_state import BEGIN, END, KEYS, LOAD_AT, RANKED, State
from schema.array_types import Ints


@compile_cached
def sort_stretch(component: Component, state: State, frame: Ints) -> None:
    """Sort the members of a frame in place by the keys of the search, highest first, with the load
    computed again, and rank them from 0 in that order.

    The frame must have a member list of its own. The sort is stable: blocks of the same kind keep
    their order, because a limit at such a block would otherwise cut its twin.
    """
    registers = state.registers
    members = state.members
    load_at = registers[LOAD_AT]
    for at in range(frame[BEGIN], frame[END]):
        block = members[at]
        load = 0
        for use in range(component.use_begin[block], component.use_begin[block + 1]):
            load = max(load, state.left[component.use_section[use]])
        state.keys[block, load_at] = load * state.load_factor[block]
        # Insertion sort: it is stable, and compiled code may not allocate arrays.
        spot = at
        while spot > frame[BEGIN] and _comes_before(state, block, members[spot - 1]):
            members[spot] = members[spot - 1]
            spot -= 1
        members[spot] = block
    for at in range(frame[BEGIN], frame[END]):
        block = members[at]
        state.ranked_block[registers[RANKED]] = block
        state.ranked_from[registers[RANKED]] = state.rank[block]
        registers[RANKED] += 1
        state.rank[block] = at - frame[BEGIN]


@compile_inline
def _comes_before(state: State, block: int, other: int) -> bool:
    """Whether a block has higher keys than another block; the first key that differs decides, and
    equal keys give False.
    """
    for key in range(KEYS):
        if state.keys[block, key] != state.keys[other, key]:
            return bool(state.keys[block, key] > state.keys[other, key])
    return False
