"""Cut a dimension into tiles: count of tiles, sizes to try, and the inputs of a window over it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from schema.array_types import Ints


def tile_count(full: int | Ints, tile: Ints) -> Ints:
    """Compute for each tile size the number of tiles that cover a length: full / tile,
    rounded up.
    """
    return -(-full // tile)


def sizes_to_try(full: int, multiple: int = 1) -> Ints:
    """Compute the smallest tile for every possible count of tiles over a length of `full`,
    ascending, without duplicates.

    Sizes are rounded up to a multiple of `multiple`, at most `full`. Other sizes are not worth a
    try: a larger tile with the same count holds more and moves the same.
    """
    counts = np.unique(tile_count(full, np.arange(1, full + 1)))
    smallest = -(-full // counts)
    return np.unique(np.minimum(-(-smallest // multiple) * multiple, full))


@dataclass(frozen=True)
class Window:
    """Inputs of a convolution along a dimension: count, kernel, stride, padding at both ends.

    `in_strides`: tiles of the input are multiples of the stride, as Deeploy's integer kernels
    require; its other kernels leave room for the kernel's overlap on both sides.
    """

    full: int
    kernel: int
    stride: int
    before: int
    after: int
    in_strides: bool

    def held_inputs(self, output: int, tiles: Ints) -> Ints:
        """Compute for each output tile size in `tiles` the number of inputs that the level holds; 0
        if no input tile gives it. `output` is the whole output.

        Deeploy: output = (input - overlap - kernel) // stride + 1, where overlap is kernel - 1, or
        0 if `in_strides`; an input that is not cut has its padding instead. Of the inputs that fit,
        the largest counts.
        """
        overlap = 0 if self.in_strides else self.kernel - 1
        least = (tiles - 1) * self.stride + self.kernel + overlap
        most = np.minimum(least + self.stride - 1, self.full - 1)
        if self.in_strides:
            most -= most % self.stride
        cut = np.where(most >= least, most, 0)
        whole_fits = not self.in_strides or self.full % self.stride == 0
        return np.where((tiles == output) & (whole_fits | (cut == 0)), self.full, cut)

    def moved_inputs(self, output: int, tiles: Ints) -> Ints:
        """Compute for each output tile size in `tiles` the number of inputs that are read for all
        its tiles together. `output` is the whole output.

        Deeploy: tile x stride + kernel - 1, minus the padding at the first and the last tile,
        limited to the remaining inputs.
        """
        sizes, places = np.unique(tiles, return_inverse=True)
        return np.array([self._moved_by_tile(output, int(size)) for size in sizes], np.int64)[
            places
        ]

    def _moved_by_tile(self, output: int, tile: int) -> int:
        starts = np.arange(0, output, tile)
        sizes = np.minimum(tile, output - starts)
        first = starts == 0
        last = starts + sizes == output
        begin = np.where(first, 0, starts * self.stride - self.before)
        wanted = sizes * self.stride + self.kernel - 1 - first * self.before - last * self.after
        return int(np.clip(np.minimum(wanted, self.full - begin), 0, None).sum())
