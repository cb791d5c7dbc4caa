"""Tile sizes m, k, n of a GEMM on an array of AI Engine cores: bytes held and moved.

Design: mlir-aie `programming_examples/basic/matrix_multiplication/whole_array` with object FIFOs of
depth 2. C is cut into m x n tiles that cores share, A goes to rows and B to columns of cores, and
every panel is read again for each block of C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isqrt

import numpy as np

from analysis.aie.gemm import Gemm
from analysis.tiling.pareto import front, spread_rows
from schema.array_types import Ints

LOCAL_BYTES = 65_536
"""Data memory of a core; the program is in another memory."""
MEMTILE_BYTES = 524_288
STACK_BYTES = 1_024
# Depth of the object FIFOs in mlir-aie's whole_array design: two tiles of each operand.
_DEPTH = 2
# Bytes per element, of A, B and C alike; a trace does not contain it.
_ELEMENT = {"int8": 1, "int16": 2, "bf16": 2}
MAX_CHOICES = 400
_MAX_COMPARED = 1 << 20
"""Maximum number of choices that are compared at once; they take about 50 MB."""
_MICRO = {
    ("npu1", "bf16"): (4, 8, 4),
    ("npu1", "int8"): (4, 8, 8),
    ("npu1", "int16"): (4, 4, 4),
    ("npu2", "bf16"): (8, 8, 8),
    ("npu2", "int8"): (8, 8, 8),
    ("npu2", "int16"): (4, 4, 8),
}
"""Device and data type -> m, k, n of the micro-kernel, the smallest product of a core's kernel."""


@dataclass(frozen=True)
class Whole:
    """The GEMM of a run: M x K x N elements on `rows` x `cols` cores, bytes per element, and the m,
    k, n of the micro-kernel.
    """

    M: int
    K: int
    N: int
    rows: int
    cols: int
    element_bytes: int
    micro: tuple[int, int, int]


@dataclass(frozen=True)
class ArrayTile:
    """A choice of the tile m x k x n of a core, with the bytes that it holds and moves.

    A core computes `tiles_per_core` tiles in `kernels_per_core` kernels of `macs_per_kernel` MAC.
    `core_bytes` and `memtile_bytes` are held in a core and in a memory tile. The bytes moved are
    those of one iteration: `dma_...` from and to DDR, `core_...` of one core.
    `intensity` is in operations per byte.
    """

    m: int
    k: int
    n: int
    kernels_per_core: int
    tiles_per_core: int
    macs_per_kernel: int
    core_bytes: int
    core_fits: bool
    memtile_bytes: int
    memtile_fits: bool
    dma_in_bytes: int
    dma_out_bytes: int
    core_in_bytes: int
    core_out_bytes: int
    intensity: float
    best: bool = False

    @property
    def fits(self) -> bool:
        """Whether the tiles of this choice fit into the memory of a core and of a memory tile."""
        return self.core_fits and self.memtile_fits

    @property
    def moved_bytes(self) -> int:
        """Bytes that this choice moves from and to DDR in an iteration."""
        return self.dma_in_bytes + self.dma_out_bytes


@dataclass(frozen=True)
class ArrayTiling:
    """The choices of a run, sorted by bytes in local memory.

    `chosen` is the index of the run's own.
    """

    whole: Whole
    choices: tuple[ArrayTile, ...]
    chosen: int

    @property
    def own(self) -> ArrayTile:
        """The tile of the run itself, with its bytes: choice number `chosen`."""
        return self.choices[self.chosen]


def whole_of(gemm: Gemm, mac_dtype: str, hwid: str) -> Whole | None:
    """Build the record of a run's GEMM from its settings.

    None if a size is not set or below 1, or if the tile is larger than the GEMM. Unknown data types
    count as 2 bytes with a micro-kernel of 1 x 1 x 1; a hardware name without `npu2` counts as
    npu1.
    """
    sizes = (gemm.M, gemm.K, gemm.N, gemm.rows, gemm.cols)
    tile = (gemm.m, gemm.k, gemm.n)
    if any(size is None or size < 1 for size in (*sizes, *tile)):
        return None
    if any(int(part or 0) > int(size or 0) for part, size in zip(tile, sizes[:3], strict=True)):
        return None
    device = "npu2" if "npu2" in hwid.lower() else "npu1"
    micro = _MICRO.get((device, mac_dtype), (1, 1, 1))
    M, K, N, rows, cols = (int(size or 0) for size in sizes)
    return Whole(M, K, N, rows, cols, _ELEMENT.get(mac_dtype, 2), micro)


def array_tile(whole: Whole, m: int, k: int, n: int, local: int = LOCAL_BYTES) -> ArrayTile:
    """Compute the bytes that a tile of m x k x n holds and moves.

    Per core: two tiles of A, B and C, and the stack. Per memory tile: two tiles of B, two of A for
    each row of cores that shares it (several rows if there are fewer columns), and two of C for
    each row. From DDR: A once per block of columns, B once per block of rows; a broadcast tile
    counts once. Partial tiles count in full: a tile at the edge takes as many kernels as any other,
    and the numbers are those of the core with the most tiles.
    """
    size = whole.element_bytes
    sharing = max(1, whole.rows // whole.cols)
    tiles = _parts(_parts(whole.M, m) * _parts(whole.N, n), whole.rows * whole.cols)
    kernels = tiles * _parts(whole.K, k)
    core = _DEPTH * size * (m * k + k * n + m * n) + STACK_BYTES
    memtile = _DEPTH * size * (sharing * m * k + k * n + whole.rows * m * n)
    a = whole.M * whole.K * _parts(whole.N, n * whole.cols)
    b = whole.K * whole.N * _parts(whole.M, m * whole.rows)
    into = (a + b) * size
    out = whole.M * whole.N * size
    return ArrayTile(
        m=m,
        k=k,
        n=n,
        kernels_per_core=kernels,
        tiles_per_core=tiles,
        macs_per_kernel=m * k * n,
        core_bytes=core,
        core_fits=core <= local,
        memtile_bytes=memtile,
        memtile_fits=memtile <= MEMTILE_BYTES,
        dma_in_bytes=into,
        dma_out_bytes=out,
        core_in_bytes=kernels * (m * k + k * n) * size,
        core_out_bytes=tiles * m * n * size,
        intensity=2 * whole.M * whole.K * whole.N / (into + out),
    )


def _parts(length: int, part: int) -> int:
    """Compute the number of parts that cover a length: length / part, rounded up."""
    return -(-length // part)


def array_tiling(whole: Whole, own: tuple[int, int, int], local: int = LOCAL_BYTES) -> ArrayTiling:
    """List the choices of a GEMM: sizes that divide it among cores, in multiples of the
    micro-kernel, and the run's own size `own`; at least the latter.

    `local` is the memory of a core in bytes. Sizes that need more than twice the memory of a core
    or of a memory tile are left out, and beyond MAX_CHOICES (400) also some that are not on the
    Pareto front.
    """
    choices = {choice: array_tile(whole, *choice, local) for choice in (*_sizes(whole, local), own)}
    ordered = sorted(
        choices.values(), key=lambda tile: (tile.core_bytes, tile.moved_bytes, tile.m, tile.k)
    )
    moved = np.array([float(tile.moved_bytes) for tile in ordered])
    best = front(np.array([float(tile.core_bytes) for tile in ordered]), moved)
    tiles = tuple(
        replace(tile, best=bool(is_best)) for tile, is_best in zip(ordered, best, strict=True)
    )
    return ArrayTiling(
        whole, tiles, next(at for at, tile in enumerate(tiles) if (tile.m, tile.k, tile.n) == own)
    )


def fitting_tiles(whole: Whole) -> list[tuple[int, int, int]]:
    """List (m, k, n) of the choices of a GEMM that fit into cores and memory tiles, sorted; [] if M
    or N does not divide among the cores.
    """
    return sorted(size for size in _sizes(whole, LOCAL_BYTES) if array_tile(whole, *size).fits)


def _sizes(whole: Whole, local: int) -> list[tuple[int, int, int]]:
    """List (m, k, n) of at most MAX_CHOICES (400) choices: the Pareto front, and further choices
    spread evenly by bytes held. [] if M or N does not divide among the cores. `local` is the memory
    of a core in bytes.
    """
    if whole.M % whole.rows or whole.N % whole.cols:
        return []
    spans = (whole.M // whole.rows, whole.K, whole.N // whole.cols)
    # The tiles of a core are in a memory tile as well, so that a larger core memory would not allow
    # more.
    room = 2 * min(local, MEMTILE_BYTES) // (_DEPTH * whole.element_bytes)
    m, k, n = _triples(
        [_divisors(span, step) for span, step in zip(spans, whole.micro, strict=True)], room
    )
    held = m * k + k * n + m * n
    if not len(held):
        return []
    read = float(whole.M) * whole.K * (spans[2] // n) + float(whole.K) * whole.N * (spans[0] // m)
    rows = spread_rows(held, front(held.astype(np.float64), read), MAX_CHOICES)
    return [(int(m[row]), int(k[row]), int(n[row])) for row in rows]


def _triples(each: Sequence[Ints], room: int) -> tuple[Ints, Ints, Ints]:
    """Compute all m, k, n with m k + k n + m n <= room as three arrays; `each` has the values of m,
    of k and of n.

    Of more than 2^20 choices, only some values of k are used, always with the smallest k.
    """
    m, k, n = each
    m, k = (grid.ravel() for grid in np.meshgrid(m[m <= room], k[k <= room], indexing="ij"))
    inside = m * k <= room
    m = m[inside]
    k = k[inside]
    counts = np.searchsorted(n, (room - m * k) // (m + k), side="right")
    # Bytes moved do not depend on k, so that the best choices have the smallest k.
    nth = -(-int(counts.sum()) // _MAX_COMPARED)
    if nth > 1:
        used = (k == k.min()) | (np.arange(len(k)) % nth == 0)
        m = m[used]
        k = k[used]
        counts = counts[used]
    pair = np.repeat(np.arange(len(counts)), counts)
    return m[pair], k[pair], n[np.arange(len(pair)) - np.repeat(np.cumsum(counts) - counts, counts)]


def _divisors(span: int, step: int) -> Ints:
    """Compute the multiples of `step` that divide `span`, ascending, `span` itself included if it
    is a multiple; empty if there are none.
    """
    low = np.arange(1, isqrt(span) + 1, dtype=np.int64)
    low = low[span % low == 0]
    every = np.unique(np.concatenate([low, span // low]))
    return np.asarray(every[every % step == 0], dtype=np.int64)
