"""Where the network's buffers lie: an outer plan in the home level, an inner one per step in the others.

As with MiniMalloc as the allocator: sizes are not rounded up, so that types of four bytes come to lie anywhere, and a
view is laid out like any other tensor, though the code uses the bytes of its source.
"""

from __future__ import annotations

from dataclasses import dataclass

from samples.allocator import Request, lowest_fit
from samples.deeploy_network import HOME, INPUT, NETWORK, OUTPUT, TENSORS, TILED, VIEWS, Node, Tensor


@dataclass(frozen=True)
class Block:
    """A buffer of a level from step `first` to `last`, inclusive, at bytes [low, high) of the arena."""

    name: str
    first: int
    last: int
    low: int
    high: int


def plan() -> dict[str, list[Block]]:
    """Return the blocks of every level, in Deeploy's order: the steps of inner plans, then the outer plan."""
    return {HOME: _outer(), **{level: _inner(level) for level in TILED}}


def arena(blocks: list[Block]) -> int:
    """Return the bytes of the level's arena."""
    return max((block.high for block in blocks), default=0)


def _outer() -> list[Block]:
    lives = [_life(tensor) for tensor in TENSORS]
    return _placed([(tensor.name, tensor.size, *life) for tensor, life in zip(TENSORS, lives, strict=True)])


def _life(tensor: Tensor) -> tuple[int, int]:
    """Return the first and last step of a tensor: the network's output outlives them, a source its views."""
    made = [step for step, node in enumerate(NETWORK) if node.output is tensor]
    seen = [tensor, *(view for view, source in VIEWS.items() if source is tensor)]
    used = [step for step, node in enumerate(NETWORK) if any(one in node.inputs for one in seen)]
    first = 0 if tensor is INPUT else made[0]
    return first, len(NETWORK) if tensor is OUTPUT else max(used)


def _inner(level: str) -> list[Block]:
    blocks = []
    for step, node in enumerate(NETWORK):
        asked = [
            (tensor.name, _bytes(node, tensor, level), step, step + (tensor is OUTPUT))
            for tensor in (*node.inputs, *node.constants, node.output)
        ]
        if node.buffer and level == TILED[-1]:
            asked.append((f"{node.name}_{node.buffer[0]}", node.buffer[1], step, step))
        blocks += _placed(asked)
    return blocks


def _bytes(node: Node, tensor: Tensor, level: str) -> int:
    """Return what a step has of a tensor: in L2 all of it, in L1 a tile."""
    return node.tile_bytes(tensor) if level == TILED[-1] else tensor.size


def _placed(asked: list[tuple[str, int, int, int]]) -> list[Block]:
    """Return blocks (name, size, first, last) with addresses, the largest placed first."""
    requests = [Request(size, ((first, last + 1),)) for _, size, first, last in asked]
    order = sorted(range(len(asked)), key=lambda rank: -requests[rank].size)
    lows = [low or 0 for low in lowest_fit(requests, order)]
    return [
        Block(name, first, last, low, low + size) for (name, size, first, last), low in zip(asked, lows, strict=True)
    ]
