"""Memory plan of the sample network: an outer plan for L3, inner plans per step for L2 and L1.

With MiniMalloc, sizes are not rounded up, so that tensors with elements of four bytes may be
unaligned. With TetrisRandom they are rounded up, and each block is placed above all blocks that are
alive at the same time. A view gets memory of its own, although the code uses its source's bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal

from samples.allocator import Request, lowest_fit, stacked_fit
from samples.deeploy_network import (
    HOME,
    INPUT,
    NETWORK,
    OUTPUT,
    TENSORS,
    TILED,
    VIEWS,
    Node,
    Tensor,
)

Strategy = Literal["MiniMalloc", "TetrisRandom"]
"""The allocator of the plan."""
_TETRIS_ALIGNMENT, _TETRIS_SEED = 4, 1
"""Bytes to which Tetris rounds sizes up, and seed of its order."""


@dataclass(frozen=True)
class PlannedBuffer:
    """A buffer of a level in steps `first` to `last`, inclusive, at arena bytes [low, high)."""

    name: str
    first: int
    last: int
    low: int
    high: int


def plan(strategy: Strategy = "MiniMalloc") -> dict[str, list[PlannedBuffer]]:
    """Return the blocks of every level, each with its name, steps and addresses."""
    return {HOME: _outer(strategy), **{level: _inner(level, strategy) for level in TILED}}


def arena(blocks: list[PlannedBuffer]) -> int:
    """Return the bytes of a level's arena."""
    return max((block.high for block in blocks), default=0)


def _outer(strategy: Strategy) -> list[PlannedBuffer]:
    lives = [_life(tensor) for tensor in TENSORS]
    requests = [
        (tensor.name, tensor.size, *life) for tensor, life in zip(TENSORS, lives, strict=True)
    ]
    return _place_blocks(requests, strategy)


def _life(tensor: Tensor) -> tuple[int, int]:
    """Return the first and last step of a tensor.

    The network's output outlives all steps, and the source of a view lives as long as the view.
    """
    producers = [step for step, node in enumerate(NETWORK) if node.output is tensor]
    aliases = [tensor, *(view for view, source in VIEWS.items() if source is tensor)]
    readers = [
        step for step, node in enumerate(NETWORK) if any(alias in node.inputs for alias in aliases)
    ]
    first = 0 if tensor is INPUT else producers[0]
    return first, len(NETWORK) if tensor is OUTPUT else max(readers)


def _inner(level: str, strategy: Strategy) -> list[PlannedBuffer]:
    blocks = []
    for step, node in enumerate(NETWORK):
        requests = [
            # The network's output is alive after its last step too, as in the tool's plans.
            (tensor.name, _bytes(node, tensor, level), step, step + (tensor is OUTPUT))
            for tensor in (*node.inputs, *node.constants, node.output)
        ]
        if node.buffer and level == TILED[-1]:
            requests.append((f"{node.name}_{node.buffer[0]}", node.buffer[1], step, step))
        blocks += _place_blocks(requests, strategy)
    return blocks


def _bytes(node: Node, tensor: Tensor, level: str) -> int:
    """Return the bytes of a tensor that a step needs: all of it in L2, a tile in L1."""
    return node.tile_bytes(tensor) if level == TILED[-1] else tensor.size


def _place_blocks(
    requests: list[tuple[str, int, int, int]], strategy: Strategy
) -> list[PlannedBuffer]:
    """Place requests (name, size, first, last): largest first, or in random order for Tetris."""
    unit = _TETRIS_ALIGNMENT if strategy == "TetrisRandom" else 1
    rounded = [
        Request(-(-size // unit) * unit, ((first, last + 1),)) for _, size, first, last in requests
    ]
    ranks = range(len(requests))
    if strategy == "TetrisRandom":
        random = Random(_TETRIS_SEED)  # noqa: S311 - the same every time
        lows = stacked_fit(rounded, random.sample(ranks, len(ranks)))
    else:
        lows = lowest_fit(rounded, sorted(ranks, key=lambda rank: -rounded[rank].size))
    return [
        PlannedBuffer(name, first, last, low or 0, (low or 0) + request.size)
        for (name, _, first, last), request, low in zip(requests, rounded, lows, strict=True)
    ]
