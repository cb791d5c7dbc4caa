"""A GEMM on an array of cores against a walk over its tiles."""

import tracemalloc
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.aie.gemm import Gemm
from analysis.tiling.array_gemm import (
    MAX_CHOICES,
    STACK_BYTES,
    Whole,
    array_tile,
    array_tiling,
    whole_of,
)

POWERS = st.sampled_from([1, 2, 4])


def whole(m=512, k=512, n=512, rows=4, cols=4):
    return Whole(m, k, n, rows, cols, 2, (4, 4, 4))


def test_the_example_of_the_design():
    tile = array_tile(whole(), 64, 64, 32)
    assert (tile.core_bytes, tile.core_fits) == (33_792, True)
    assert tile.memtile_bytes == 2 * 2 * (64 * 64 + 64 * 32 + 4 * 64 * 32)
    assert (tile.tiles_per_core, tile.kernels_per_core, tile.macs_per_kernel) == (8, 64, 131_072)
    assert tile.dma_in_bytes == 2 * (512 * 512 * 4 + 512 * 512 * 2)
    assert tile.dma_out_bytes == 2 * 512 * 512
    assert tile.intensity == 2 * 512**3 / (tile.dma_in_bytes + tile.dma_out_bytes)


@given(st.tuples(POWERS, POWERS, POWERS), POWERS, POWERS, st.tuples(POWERS, POWERS, POWERS))
def test_traffic_is_a_sum_over_blocks_of_the_array(sizes, rows, cols, tiles):
    (m, k, n), (down, along, across) = sizes, tiles
    gemm = whole(m * rows * down, k * along, n * cols * across, rows, cols)
    read = cores = 0
    for _ in range(down):
        for _ in range(across):
            # a block of the array: every core one tile of C, A shared along a row, B along a column
            for _ in range(along):
                read += rows * m * k + cols * k * n
                cores += m * k + k * n
    found = array_tile(gemm, m, k, n)
    assert found.dma_in_bytes == 2 * read
    assert found.core_in_bytes == 2 * cores
    assert found.kernels_per_core == down * across * along
    assert found.core_out_bytes * rows * cols == found.dma_out_bytes


@given(st.tuples(*[st.integers(1, 9)] * 6), st.integers(1, 3), st.integers(1, 3))
def test_a_tile_that_does_not_divide_counts_what_it_begins(sizes, rows, cols):
    big, tile = (
        sizes[:3],
        [min(part, size) for part, size in zip(sizes[3:], sizes[:3], strict=True)],
    )
    found = array_tile(whole(*big, rows, cols), *tile)
    along = [len(range(0, size, part)) for size, part in zip(big, tile, strict=True)]
    every = gemm(**dict(zip("MKNmkn", (*big, *tile), strict=True)), rows=rows, cols=cols)
    if along[0] * along[2] % (rows * cols) == 0:
        assert found.kernels_per_core == every.kernels_per_iteration
    assert found.tiles_per_core * rows * cols >= along[0] * along[2]
    assert found.kernels_per_core == found.tiles_per_core * along[1]
    # Every block of the array reads its rows of A and its columns of B once.
    a, b = (
        len(range(0, size, part * by))
        for size, part, by in ((big[2], tile[2], cols), (big[0], tile[0], rows))
    )
    assert found.dma_in_bytes == 2 * (big[0] * big[1] * a + big[1] * big[2] * b)


def test_choices_divide_the_gemm_and_hold_the_own_one():
    tiling = array_tiling(whole(), (64, 64, 32))
    assert (tiling.own.m, tiling.own.k, tiling.own.n) == (64, 64, 32)
    assert all(128 % tile.m == 512 % tile.k == 128 % tile.n == 0 for tile in tiling.choices)
    best = [tile for tile in tiling.choices if tile.best]
    assert best and all(a.moved_bytes >= b.moved_bytes for a, b in pairwise(best))


def test_a_tile_that_does_not_divide_stands_alone():
    tiling = array_tiling(whole(m=510), (32, 32, 32))
    assert [(tile.m, tile.k, tile.n) for tile in tiling.choices] == [(32, 32, 32)]


def test_a_smaller_memory_has_room_for_less():
    few, many = (
        sum(tile.fits for tile in array_tiling(whole(), (64, 64, 32), kib * 1024).choices)
        for kib in (16, 64)
    )
    assert 0 < few < many


def test_a_larger_memory_shows_larger_tiles():
    least, most = (max(tile.core_bytes for tile in tried(kib).choices) for kib in (64, 256))
    assert least <= 2 * 64 * 1024 + STACK_BYTES < most <= 2 * 256 * 1024 + STACK_BYTES


def tried(kib):
    return array_tiling(whole(), (64, 64, 32), kib * 1024)


@given(
    st.tuples(*[st.integers(1, 60)] * 3), st.integers(1, 3), st.integers(1, 3), st.integers(1, 1500)
)
def test_choices_are_all_divisors_that_twice_the_memory_holds(sizes, rows, cols, local):
    m, k, n = sizes
    found = array_tiling(Whole(m * rows, k, n * cols, rows, cols, 2, (1, 2, 1)), (1, 1, 1), local)
    every = product(range(1, m + 1), range(2, k + 1, 2), range(1, n + 1))
    plain = {
        (a, b, c)
        for a, b, c in every
        if not (m % a or k % b or n % c) and 4 * (a * b + b * c + a * c) <= 2 * local
    }
    made = {(tile.m, tile.k, tile.n) for tile in found.choices}
    assert made <= plain | {(1, 1, 1)}
    assert len(made) >= min(len(plain), MAX_CHOICES)


@pytest.mark.slow
def test_of_very_many_choices_the_best_ones_are_looked_at(monkeypatch):
    # 720720 has 240 divisors
    gemm = Whole(720_720, 720_720, 720_720, 1, 1, 2, (1, 1, 1))
    every = array_tiling(gemm, (1, 1, 1)).choices
    monkeypatch.setattr("analysis.tiling.array_gemm._MAX_COMPARED", 1 << 12)
    few = array_tiling(gemm, (1, 1, 1)).choices
    best, also = (
        {(tile.m, tile.k, tile.n) for tile in tiles if tile.best} for tiles in (every, few)
    )
    assert best == also
    assert len(few) >= MAX_CHOICES


@pytest.mark.slow
def test_the_sizes_with_most_divisors_are_answered_within_little_memory():
    size = 735_134_400
    tracemalloc.start()
    tiling = array_tiling(Whole(size, size, size, 1, 1, 1, (1, 1, 1)), (1, 1, 1), 1 << 30)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(tiling.choices) >= MAX_CHOICES
    assert most < 300 * 1024**2


def test_huge_sizes_are_answered():
    tiling = array_tiling(whole(10**9, 10**9, 10**9, 1, 1), (1, 1, 1))
    assert tiling.own.macs_per_kernel == 1 and len(tiling.choices) <= 401


def gemm(**changed):
    sizes = {
        "M": 64,
        "K": 64,
        "N": 64,
        "m": 32,
        "k": 32,
        "n": 32,
        "rows": 1,
        "cols": 1,
        "warmup": 0,
        "iterations": 1,
    }
    return Gemm(**sizes | changed, clock_hz=1e9, peak_macs_per_cycle=64.0, boundary_factor=20.0)


def test_data_type_and_device_decide_bytes_and_micro_kernel():
    assert whole_of(gemm(), "int8", "npu2 · 4x4") == Whole(64, 64, 64, 1, 1, 1, (8, 8, 8))
    assert whole_of(gemm(), "bf16", "npu1") == Whole(64, 64, 64, 1, 1, 2, (4, 8, 4))
    assert whole_of(gemm(k=None), "bf16", "npu1") is None


@pytest.mark.parametrize("size", ["m", "k", "n"])
def test_a_tile_larger_than_the_gemm_is_no_tiling(size):
    assert whole_of(gemm(**{size: 64}), "bf16", "npu1") is not None
    assert whole_of(gemm(**{size: 65}), "bf16", "npu1") is None
