"""Cost model of tilings: bytes that the tiles of an operator hold and move.

Rules of Deeploy (TilerExtension, TilingCodegen): a level holds one tile of every operand, or two if
it is double-buffered. No tile is reused, so every operand is loaded for every tile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from analysis.tiling.cuts import Window, sizes_to_try, tile_count
from schema.array_types import Bools, Ints


@dataclass(frozen=True)
class Dimension:
    """A dimension of the output that may be cut, in multiples of `multiple`.

    `least_rest`: the last tile is whole or has at least this size.
    """

    name: str
    full: int
    multiple: int = 1
    least_rest: int = 1
    window: Window | None = None

    @property
    def sizes(self) -> Ints:
        """Tile sizes of the dimension to try, ascending: the smallest for every count of tiles, in
        its multiples.
        """
        return sizes_to_try(self.full, self.multiple)

    def allows(self, tiles: Ints) -> Bools:
        """Mask of the tile sizes that the tool could choose for the dimension: the last tile is
        whole or has at least `least_rest`, and with a window `held_inputs` is above 0.
        """
        rest = self.full % tiles
        fits = (rest == 0) | (rest >= self.least_rest)
        return np.asarray(
            fits if self.window is None else fits & (self.window.held_inputs(self.full, tiles) > 0)
        )


@dataclass(frozen=True)
class Part:
    """An operand: its shape, with names for dimensions that may be cut, bytes per element, and the
    number of buffers that hold copies of its tile.

    `windowed`: the operand is read through the window of its dimensions.
    """

    operand: str
    shape: tuple[int | str, ...]
    element_bytes: int
    copies: int
    written: bool = False
    windowed: bool = False

    @property
    def dimensions(self) -> list[str]:
        """Names of the dimensions along which the operand is cut, in the order of its shape; [] if
        it is never cut.
        """
        return [size for size in self.shape if isinstance(size, str)]

    @property
    def unit(self) -> int:
        """Bytes of the operand's tile if all its cut dimensions are 1."""
        return self.element_bytes * prod(size for size in self.shape if isinstance(size, int))


@dataclass(frozen=True)
class Cost:
    """Costs of choices, a row per choice: bytes held, tiles, bytes moved in and out."""

    bytes: Ints
    tiles: Ints
    dma_in: Ints
    dma_out: Ints


Tiles = Mapping[str, Ints]


@dataclass(frozen=True)
class Model:
    """An operator: its dimensions, its operands, and `fixed` bytes of other buffers.

    Each copy of a tile takes a multiple of `grain` bytes.
    """

    dimensions: tuple[Dimension, ...]
    parts: tuple[Part, ...]
    fixed: int = 0
    grain: int = 1

    def dimension(self, name: str) -> Dimension:
        """Return the model's dimension of this name; raises StopIteration if there is none."""
        return next(dimension for dimension in self.dimensions if dimension.name == name)

    def tile_bytes(self, part: Part, tiles: Tiles) -> Ints:
        """Compute the bytes of a single tile of an operand, an element per choice; `tiles` has the
        sizes by dimension.
        """
        sizes = [self._extent(part, name, tiles[name]) for name in part.dimensions]
        return np.asarray(prod(sizes, start=np.int64(part.unit)))

    def block_bytes(self, part: Part, tiles: Tiles) -> Ints:
        """Compute the bytes of the block that holds an operand's tiles, all copies included and
        each rounded up to `grain` bytes, an element per choice.
        """
        return part.copies * -(-self.tile_bytes(part, tiles) // self.grain) * self.grain

    def _extent(self, part: Part, name: str, tiles: Ints) -> Ints:
        dimension = self.dimension(name)
        window = dimension.window if part.windowed else None
        return tiles if window is None else window.held_inputs(dimension.full, tiles)

    def moved_bytes(self, part: Part, tiles: Tiles) -> Ints:
        """Compute the bytes of an operand that are moved for all tiles together, an element per
        choice: an operand is loaded for every tile, the result is stored once.
        """
        total = np.int64(part.unit) * np.ones_like(next(iter(tiles.values())))
        for dimension in self.dimensions:
            own = tiles[dimension.name]
            if dimension.name not in part.dimensions:
                total = total if part.written else total * tile_count(dimension.full, own)
            elif part.windowed and dimension.window is not None:
                total = total * dimension.window.moved_inputs(dimension.full, own)
            else:
                total = total * dimension.full
        return total

    def cost(self, tiles: Tiles) -> Cost:
        """Compute the costs of choices, an element per choice; `tiles` has an array per dimension
        with a size per choice.
        """
        ones = np.ones_like(next(iter(tiles.values())))
        held = sum((self.block_bytes(part, tiles) for part in self.parts), start=self.fixed * ones)
        count = prod((tile_count(d.full, tiles[d.name]) for d in self.dimensions), start=ones)
        moved = {part.operand: self.moved_bytes(part, tiles) for part in self.parts}
        into = sum((moved[part.operand] for part in self.parts if not part.written), start=0 * ones)
        out = sum((moved[part.operand] for part in self.parts if part.written), start=0 * ones)
        return Cost(held, count, into, out)

    def shape(self, part: Part, tile: Mapping[str, int]) -> list[int] | None:
        """Return the shape of an operand's tile as a list of elements per dimension; None if the
        tile lacks a dimension that cuts it.
        """
        if any(name not in tile for name in part.dimensions):
            return None
        sizes = {
            name: int(self._extent(part, name, np.array([tile[name]]))[0])
            for name in part.dimensions
        }
        return [sizes[size] if isinstance(size, str) else size for size in part.shape]

    def grid(self, sizes: Sequence[Ints]) -> dict[str, Ints]:
        """Map each dimension to an array of sizes with an element per combination that the tool
        could choose; `sizes` has the sizes to combine, in the order of the dimensions.
        """
        grids = [grid.ravel() for grid in np.meshgrid(*sizes, indexing="ij")]
        named = dict(zip((dimension.name for dimension in self.dimensions), grids, strict=True))
        allowed = np.logical_and.reduce([d.allows(named[d.name]) for d in self.dimensions])
        return {name: grid[allowed] for name, grid in named.items()}
