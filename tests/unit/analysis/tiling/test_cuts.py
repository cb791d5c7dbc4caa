"""One dimension against a loop over its tiles."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analysis.tiling.cuts import Window, sizes_to_try, tile_count

FULL = st.integers(1, 200)


@given(FULL, st.integers(1, 16))
def test_sizes_to_try_are_the_smallest_of_every_count(full, multiple):
    sizes = sizes_to_try(full, multiple)
    assert sizes[0] >= 1 and sizes[-1] == full and (np.diff(sizes) > 0).all()
    assert all(size % multiple == 0 or size == full for size in sizes)
    if multiple == 1:
        counts = tile_count(full, sizes)
        assert set(counts) == {-(-full // tile) for tile in range(1, full + 1)}
        assert all(
            size == 1 or -(-full // (size - 1)) > count
            for size, count in zip(sizes, counts, strict=True)
        )


@st.composite
def windows(draw):
    kernel, stride = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    before, after = draw(st.integers(0, kernel - 1)), draw(st.integers(0, kernel - 1))
    full = draw(st.integers(max(kernel - before - after, 1), 40))
    output = (full + before + after - kernel) // stride + 1
    return Window(full, kernel, stride, before, after, in_strides=draw(st.booleans())), output


@given(windows(), st.data())
def test_what_is_moved_is_a_sum_over_the_tiles(made, data):
    window, output = made
    tile = data.draw(st.integers(1, output))
    total = 0
    for start in range(0, output, tile):
        size = min(tile, output - start)
        begin = start * window.stride - window.before if start else 0
        wanted = size * window.stride + window.kernel - 1
        wanted -= window.before if start == 0 else 0
        wanted -= window.after if start + size == output else 0
        total += max(min(wanted, window.full - begin), 0)
    assert window.moved_inputs(output, np.array([tile, tile])).tolist() == [total, total]


@given(windows(), st.data())
def test_what_is_held_gives_the_output_by_the_rule_of_the_tool(made, data):
    window, output = made
    tile = data.draw(st.integers(1, output))
    held = int(window.held_inputs(output, np.array([tile]))[0])
    overlap = 0 if window.in_strides else window.kernel - 1
    fits = [
        size
        for size in range(1, window.full)
        if (size - overlap - window.kernel) // window.stride + 1 == tile
        and not (window.in_strides and size % window.stride)
    ]
    if tile < output:
        assert held == max(fits, default=0)
    else:
        assert held == (
            window.full
            if not window.in_strides or window.full % window.stride == 0 or not fits
            else max(fits)
        )


def test_a_float_convolution_keeps_room_for_both_overlaps():
    window = Window(full=32, kernel=3, stride=2, before=1, after=1, in_strides=False)
    assert window.held_inputs(16, np.array([1, 16])).tolist() == [6, 32]
    assert window.moved_inputs(16, np.array([1, 16])).tolist() == [62, 32]


def test_an_integer_convolution_holds_multiples_of_the_stride_and_reads_more():
    window = Window(full=49, kernel=10, stride=2, before=0, after=0, in_strides=True)
    assert window.held_inputs(20, np.array([20])).tolist() == [48]
    assert window.moved_inputs(20, np.array([20])).tolist() == [49]
