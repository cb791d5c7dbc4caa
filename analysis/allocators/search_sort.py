"""An order of its own for a stretch that was split off, by the load that is left in it.

The order of the beginning goes by the sections that are critical then. Once what spans them is placed, others are.
"""

from __future__ import annotations

from analysis.allocators.compiled import compile_inline, compile_kept
from analysis.allocators.components import Component
from analysis.allocators.search_state import BEGIN, END, KEYS, LOAD_AT, RANKED, State
from schema.array_types import Ints


@compile_kept
def sort_stretch(component: Component, state: State, frame: Ints) -> None:
    """Sort the members of a frame, which has a list of its own, by the keys of the search, and rank them by that.

    Of equals the order stays as it was: blocks of one kind keep theirs, or a limit at one would cut its twin.
    """
    registers, members = state.registers, state.members
    load_at = registers[LOAD_AT]
    for at in range(frame[BEGIN], frame[END]):
        block = members[at]
        load = 0
        for use in range(component.use_begin[block], component.use_begin[block + 1]):
            load = max(load, state.left[component.use_section[use]])
        state.keys[block, load_at] = load * state.load_factor[block]
        spot = at
        while spot > frame[BEGIN] and _comes_before(state, block, members[spot - 1]):
            members[spot] = members[spot - 1]
            spot -= 1
        members[spot] = block
    for at in range(frame[BEGIN], frame[END]):
        block = members[at]
        state.ranked_block[registers[RANKED]], state.ranked_from[registers[RANKED]] = block, state.rank[block]
        registers[RANKED] += 1
        state.rank[block] = at - frame[BEGIN]


@compile_inline
def _comes_before(state: State, block: int, other: int) -> bool:
    """Return whether the keys of a block are higher than those of another one, the first that differs deciding."""
    for key in range(KEYS):
        if state.keys[block, key] != state.keys[other, key]:
            return bool(state.keys[block, key] > state.keys[other, key])
    return False
