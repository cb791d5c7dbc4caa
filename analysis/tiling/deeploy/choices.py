"""List the choices for an operator's tiling at its level, including the tool's choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from analysis.tiling.deeploy import conv, gemm
from analysis.tiling.deeploy.chosen import chosen_tile, tile_shape
from analysis.tiling.deeploy.model import Model
from analysis.tiling.deeploy.operators import Operator
from analysis.tiling.pareto import front, spread_rows

MAX_CHOICES = 400
"""Maximum number of choices per operator, including the front and the tool's choice."""
_MAX_COMBINATIONS = 200_000


@dataclass(frozen=True)
class Choice:
    """A tiling: sizes by dimension (empty if unknown), bytes held and moved, and whether it fits.

    `fits` is None if the level's size is unknown; bytes moved are None if no code shows those of
    the tool's choice. `best`: no other choice holds less and moves less. `own`: it is the tool's
    choice.
    """

    tile: Mapping[str, int]
    bytes: int
    tiles: int | None
    fits: bool | None
    dma_in: int | None
    dma_out: int | None
    best: bool = False
    own: bool = False

    @property
    def moved_bytes(self) -> int | None:
        """Bytes that this choice moves in and out together; None if either is unknown."""
        return None if self.dma_in is None or self.dma_out is None else self.dma_in + self.dma_out


@dataclass(frozen=True)
class Tiled:
    """An operator with the tool's choice; `model` is None if the rules of its kind are unknown.

    `shapes` has the shapes of the tool's tiles, in the order of `operator.held`.
    """

    operator: Operator
    model: Model | None
    shapes: Sequence[list[int] | None]
    own: Choice

    @property
    def share(self) -> float | None:
        """Share (1 is full) of the level's capacity that the tool's tiles of this operator and all
        static bytes take; None if the capacity is unknown or 0.
        """
        capacity = self.operator.capacity
        used = self.own.bytes + self.operator.static + self.operator.added_static
        return used / capacity if capacity else None


def tile_operator(operator: Operator) -> Tiled:
    """Determine the tool's choice for an operator.

    If the rules of its kind are unknown, `model` is None and only the numbers of the run are known.
    """
    model = _model(operator)
    tile = chosen_tile(operator, model) if model else {}
    shapes = [tile_shape(model, tile, held) for held in operator.held]
    return Tiled(operator, model, shapes, _own(operator, model, tile))


def list_choices(found: Tiled) -> tuple[list[Choice], int]:
    """Return the choices for a tiling sorted by bytes held, and the index of the tool's choice
    among them; only that choice if there is no model.
    """
    others = _others(found.operator, found.model, found.own.tile) if found.model else []
    choices = sorted(
        _mark_front([found.own, *others]),
        key=lambda choice: (choice.bytes, choice.moved_bytes or 0),
    )
    return choices, next(at for at, choice in enumerate(choices) if choice.own)


def _model(operator: Operator) -> Model | None:
    if operator.op_type in gemm.OPERATORS:
        return gemm.gemm_model(operator)
    return conv.conv_model(operator) if operator.op_type in conv.OPERATORS else None


def _own(operator: Operator, model: Model | None, tile: Mapping[str, int]) -> Choice:
    """Build the tool's choice: the numbers of the run, completed by the model's formulas if the
    whole tile is known.
    """
    tiles = operator.tiles
    into = operator.dma_in
    out = operator.dma_out
    if model is not None and len(tile) == len(model.dimensions):
        cost = model.cost({name: np.array([size]) for name, size in tile.items()})
        tiles = int(cost.tiles[0]) if tiles is None else tiles
        into, out = (int(cost.dma_in[0]), int(cost.dma_out[0])) if into is None else (into, out)
    return Choice(
        dict(tile), operator.bytes, tiles, fits(operator, operator.bytes), into, out, own=True
    )


def fits(operator: Operator, size: int) -> bool | None:
    """Whether tiles of `size` bytes fit into the level together with its constants; None if the
    capacity is unknown. All tiles of a step are alive at the same time.
    """
    return None if operator.capacity is None else size + operator.static <= operator.capacity


def _others(operator: Operator, model: Model, tile: Mapping[str, int]) -> list[Choice]:
    """List choices other than `tile`, the tool's: the Pareto front, then further choices spread
    evenly by bytes held, at most MAX_CHOICES - 1 (399). [] if the rules allow no tile.
    """
    sizes = [dimension.sizes for dimension in model.dimensions]
    while np.prod([len(own) for own in sizes]) > _MAX_COMBINATIONS:
        longest = max(range(len(sizes)), key=lambda axis: len(sizes[axis]))
        # Drop every second size, but never the largest: that is the whole dimension.
        sizes[longest] = sizes[longest][::-1][::2][::-1]
    tiles = model.grid(sizes)
    cost = model.cost(tiles)
    if not len(cost.bytes):
        return []
    rows = spread_rows(cost.bytes, front(cost.bytes, cost.dma_in + cost.dma_out), MAX_CHOICES - 1)
    choices = []
    for at in rows:
        named = {name: int(own[at]) for name, own in tiles.items()}
        held, count, into, out = (
            int(column[at]) for column in (cost.bytes, cost.tiles, cost.dma_in, cost.dma_out)
        )
        choices.append(Choice(named, held, count, fits(operator, held), into, out))
    return [choice for choice in choices if choice.tile != tile]


def _mark_front(choices: list[Choice]) -> list[Choice]:
    """Return the choices in their order with `best` set if no other choice holds fewer bytes
    without moving more, or moves fewer without holding more; False if the bytes moved are unknown.
    """
    with_transfers = [choice for choice in choices if choice.moved_bytes is not None]
    held = np.array([choice.bytes for choice in with_transfers], np.int64)
    moved = np.array([choice.moved_bytes for choice in with_transfers], np.int64)
    best = iter(front(held, moved).tolist() if with_transfers else [])
    return [
        replace(choice, best=choice.moved_bytes is not None and next(best)) for choice in choices
    ]
