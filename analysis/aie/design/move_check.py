"""Check of proposed moves by the lab: the tile is placed again, and the pairs in its banks counted.

Moves are searched by the rules of the design; the lab has its own rules and code, so that a mistake
in either is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from analysis.aie.design.memory_pairs import Buffer, find_pairs
from analysis.aie.design.moves import Move
from analysis.allocators.problem import build_problem, check_fixed
from analysis.memory.attempt_map import AttemptMap
from analysis.memory.shared_banks import Banks, shared_banks


@dataclass(frozen=True)
class MoveCheck:
    """Result of the check: pairs with traced conflicts before and after the moves.

    `reason` says why the moves cannot be made; "" if the lab accepts them.
    """

    before: int
    after: int
    reason: str = ""

    @property
    def is_accepted(self) -> bool:
        """Whether the blocks fit without overlap, and fewer traced pairs share a bank."""
        return not self.reason and self.after < self.before


def check_moves(
    core: str,
    amap: AttemptMap,
    buffers: Sequence[Buffer],
    moves: Sequence[Move],
    traced_banks: Sequence[int],
) -> MoveCheck:
    """Place the blocks of a tile with the moves made, by the lab's rules, and count the pairs of
    the core that had traced conflicts and still share a bank.

    `amap` is the map of the tile, `buffers` are its rows of `design_buffers`.
    """
    names = sorted(
        {
            (pair.first, pair.second)
            for pair in find_pairs(buffers, core)
            if pair.bank in traced_banks
        }
    )
    places = {move.buffer: move.address for move in moves}
    blocks = amap.blocks
    is_moved = blocks["name"].isin(list(places))
    # Only moved blocks must be aligned: the others stay where the compiler has put them.
    alignment = np.where(is_moved, amap.whole("align_bytes") or 1, 1)
    aligned = replace(amap, blocks=blocks.assign(alignment=alignment))
    named = dict(zip(blocks["block"].tolist(), blocks["name"].tolist(), strict=True))
    fixed = {block: places.get(name) for block, name in named.items()}
    try:
        problem = build_problem(aligned, fixed)
        check_fixed(problem)
    except ValueError as error:
        return MoveCheck(len(names), len(names), str(error))
    capacity = amap.whole("capacity")
    if capacity is not None and problem.extent(problem.fixed) > capacity:
        return MoveCheck(len(names), len(names), "a block lies beyond the end of the memory")
    address = dict(zip([named[block] for block in problem.block], problem.fixed, strict=True))
    return MoveCheck(len(names), _count_sharing(amap, address, names))


def _count_sharing(
    amap: AttemptMap, address: dict[str, int], names: Sequence[tuple[str, str]]
) -> int:
    """Count the pairs whose blocks share a bank at these addresses."""
    banks = Banks(amap.whole("banks") or 0, amap.whole("bank_bytes") or 0)
    if not names or not banks.width:
        return len(names)
    size = dict(zip(amap.blocks["name"], amap.blocks["size"], strict=True))
    sides = list(zip(*names, strict=True))
    low = [np.array([address[name] for name in side], np.int64) for side in sides]
    length = [np.array([size[name] for name in side], np.int64) for side in sides]
    touched = shared_banks(banks, (low[0], low[1]), (length[0], length[1]))
    return int((touched.count > 0).sum())
