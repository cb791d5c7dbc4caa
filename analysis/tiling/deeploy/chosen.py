"""Infer the tool's tile from the bytes of blocks, the count of tiles and the bytes moved."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np

from analysis.tiling.deeploy.model import Model, Part, Tiles
from analysis.tiling.deeploy.operators import Held, Operator
from analysis.tiling.deeploy.rounding import ROUNDED_TO
from schema.array_types import Bools, Ints

_MAX_COMBINATIONS = 2_000_000
"""Maximum number of combinations of sizes that are searched."""
_OF_INPUT = {"dim_im_in_x": "H", "dim_im_in_y": "W"}
_DIMENSIONS = {
    "O": "O",
    "M": "M",
    "ch_im_out": "C",
    "dim_im_out_x": "H",
    "dim_im_out_y": "W",
} | _OF_INPUT
"""Size in the code -> the dimension that is cut if the size differs from tile to tile."""


def chosen_tile(operator: Operator, model: Model) -> dict[str, int]:
    """Infer the tool's tile from the numbers of the run: dimension -> size.

    Dimensions that these numbers do not determine are missing; {} if no tile fits.
    """
    matches = _matching(operator, model, model.parts)
    if matches is None:
        # If the input's tile follows another rule than the model's, the other operands still
        # determine the rest.
        matches = _matching(
            operator, model, tuple(part for part in model.parts if not part.windowed)
        )
    if matches is None:
        return {}
    # Several tiles may match: only the dimensions in which all are equal are known.
    return {name: int(sizes[0]) for name, sizes in matches.items() if (sizes == sizes[0]).all()}


def _matching(operator: Operator, model: Model, parts: tuple[Part, ...]) -> dict[str, Ints] | None:
    """Find the tiles that fit the bytes of the blocks of `parts` and the other numbers of the run:
    dimension -> sizes, an element per tile. None if no tile fits, or for more than 2,000,000
    combinations.
    """
    held = {held.operand: held for held in operator.held}
    sizes = []
    for dimension in model.dimensions:
        own = np.arange(1, dimension.full + 1)
        for part in parts:
            if part.dimensions == [dimension.name]:
                own = own[_fits(model.tile_bytes(part, {dimension.name: own}), held[part.operand])]
        sizes.append(own)
    count = prod(map(len, sizes))
    if not 0 < count <= _MAX_COMBINATIONS:
        return None
    grids = np.meshgrid(*sizes, indexing="ij")
    tiles: dict[str, Ints] = {
        d.name: grid.ravel() for d, grid in zip(model.dimensions, grids, strict=True)
    }
    for part in parts:
        tiles = _select_tiles(tiles, _fits(model.tile_bytes(part, tiles), held[part.operand]))
    if not len(next(iter(tiles.values()))):
        return None
    return _narrow_tiles(operator, model, tiles)


def _fits(tile: Ints, held: Held) -> Bools:
    """Mask of the tiles (bytes) that fill the block with all their copies, exactly or each rounded
    up to 4 bytes (Tetris).
    """
    copies = held.copies or 1
    rounded = -(-tile // ROUNDED_TO) * ROUNDED_TO
    return np.asarray(
        (tile > 0) & ((copies * tile == held.bytes) | (copies * rounded == held.bytes))
    )


def _narrow_tiles(operator: Operator, model: Model, tiles: dict[str, Ints]) -> dict[str, Ints]:
    """Return the tiles (dimension -> sizes, an element per tile) with the run's count of tiles,
    bytes moved and sizes in the code; numbers that are unknown, or that no tile has, are ignored.
    """
    cost = model.cost(tiles)
    numbers = (
        (operator.tiles, cost.tiles),
        (operator.dma_in, cost.dma_in),
        (operator.dma_out, cost.dma_out),
    )
    agrees = np.ones(len(cost.bytes), bool)
    for recorded, computed in numbers:
        both = agrees & (computed == recorded) if recorded is not None else agrees
        agrees = both if both.any() else agrees
    return _select_tiles(tiles, _match_sizes(operator, model, tiles, agrees))


def _match_sizes(operator: Operator, model: Model, tiles: Tiles, agrees: Bools) -> Bools:
    """Mask of the tiles in mask `agrees` that also have the sizes in the code's tables; sizes that
    no tile has are ignored.
    """
    for name, size in operator.sizes.items():
        dimension = _DIMENSIONS.get(name, "")
        if dimension in tiles:
            own = tiles[dimension]
            cut = own < model.dimension(dimension).full
            both = agrees & (cut if name in _OF_INPUT else cut & (own == size))
            agrees = both if both.any() else agrees
    return agrees


def _select_tiles(tiles: Tiles, which: Bools) -> dict[str, Ints]:
    return {name: sizes[which] for name, sizes in tiles.items()}


def tile_shape(model: Model | None, tile: Mapping[str, int], held: Held) -> list[int] | None:
    """Return the shape of the tile that an operand's block holds; None if the tile is unknown or
    does not fill the block.

    Without a model, a block with room for the whole tensor holds the whole tensor.
    """
    part = (
        next((part for part in model.parts if part.operand == held.operand), None)
        if model
        else None
    )
    if model is not None and part is not None and held.access:
        shape = model.shape(part, tile)
        fits = shape is not None and _fits(np.array([prod(shape) * part.element_bytes]), held)[0]
        return shape if fits else None
    whole = prod(held.shape) * held.element_bytes if held.shape and held.element_bytes else 0
    fits = whole > 0 and bool(_fits(np.array([whole]), held)[0])
    return list(held.shape) if held.shape and fits else None
