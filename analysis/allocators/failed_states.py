"""Table of failed states of the branch-and-bound search: unplaced blocks and their places, from which
no layout was found.
"""

from __future__ import annotations

import numpy as np

from analysis.allocators.compiled import compile_inline
from analysis.allocators.search_state import (
    BEGIN,
    END,
    FIRST_PLACE,
    FIRST_RANK,
    KEY,
    LOAD_AT,
    NOBODY,
    OTHER_KEY,
    PLACE,
    RANK,
    SALT,
    T_KEY,
    T_OTHER_KEY,
    T_PLACE,
    T_RANK,
    TABLE_SIZE,
    State,
)
from schema.array_types import Ints


@compile_inline
def enter_failed(state: State, frame: Ints) -> None:
    """Enter the state with which a frame began into the table, in place of an older entry."""
    row = state.table[frame[KEY] & (TABLE_SIZE - 1)]
    row[T_KEY] = frame[KEY]
    row[T_OTHER_KEY] = frame[OTHER_KEY]
    row[T_PLACE] = frame[FIRST_PLACE]
    row[T_RANK] = frame[FIRST_RANK]


@compile_inline
def set_keys(state: State, frame: Ints) -> None:
    """Compute two 64-bit hashes of the frame's unplaced blocks and their places, and write them
    into its columns KEY and OTHER_KEY.
    """
    # The salt differs in each search, so entries of earlier searches never match.
    key = np.uint64(state.registers[SALT])
    other_key = key
    for at in range(frame[BEGIN], frame[END]):
        block = state.members[at]
        if not state.done[block]:
            mixed = np.uint64(state.place[block]) * np.uint64(0x9E3779B97F4A7C15)
            mixed += np.uint64(block) * np.uint64(0xC2B2AE3D27D4EB4F)
            mixed ^= mixed >> np.uint64(29)
            mixed *= np.uint64(0xBF58476D1CE4E5B9)
            mixed ^= mixed >> np.uint64(32)
            key += mixed
            mixed *= np.uint64(0x94D049BB133111EB)
            mixed ^= mixed >> np.uint64(31)
            other_key += mixed
    frame[KEY] = np.int64(key)
    frame[OTHER_KEY] = np.int64(other_key)


@compile_inline
def has_failed(state: State, frame: Ints) -> bool:
    """Whether the table of failed states has the frame's unplaced blocks at the same places,
    searched from the same or an earlier candidate on.

    If intervals are sorted again, the ranks of two frames may belong to different orders, so they
    are not compared.
    """
    row = state.table[frame[KEY] & (TABLE_SIZE - 1)]
    if row[T_KEY] != frame[KEY] or row[T_OTHER_KEY] != frame[OTHER_KEY]:
        return False
    if row[T_PLACE] != frame[PLACE]:
        return bool(row[T_PLACE] < frame[PLACE])
    one_order = state.registers[LOAD_AT] == NOBODY or frame[PLACE] < 0
    return bool(one_order and row[T_RANK] <= frame[RANK])
