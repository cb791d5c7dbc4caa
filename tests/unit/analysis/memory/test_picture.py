from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.memory.picture import picture
from tests.support.devices import DEVICES
from tests.support.memory import amap, block

NONE = np.zeros(0, dtype=np.int64)
END = 100


def device(spans):
    rows = [
        block(f"buffer {n}", start, end, size=size, kind="buffer")
        for n, (start, end, size) in enumerate(spans)
    ]
    return replace(amap(rows, length=END, level="CPU", outcome="unsolved"), facts=DEVICES)


def names(found):
    return found.amap.blocks["name"].tolist()


def spans():
    one = st.tuples(st.integers(0, END - 1), st.integers(1, END), st.integers(1, 64))
    return st.lists(one.map(lambda s: (s[0], min(END, s[0] + s[1]), s[2])), min_size=1, max_size=15)


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["first_fit", "best_fit"])
@given(lives=spans(), most=st.integers(1, 20))
def test_drawn_buffers_that_live_together_lie_apart(layout, lives, most):
    found = picture(device(lives), (0, END), layout, NONE, most)
    parts = found.amap.segments
    assert (parts.low >= 0).all()
    for a in range(len(parts)):
        for b in range(a):
            together = parts.start[a] < parts.end[b] and parts.start[b] < parts.end[a]
            assert not together or parts.low[a] >= parts.high[b] or parts.low[b] >= parts.high[a]
    assert found.amap.whole("extent") == parts.high.max()
    assert found.amap.whole("bound") <= found.amap.whole("extent")


@pytest.mark.slow
@given(spans(), st.integers(1, 20), st.integers(0, END - 1), st.integers(1, END))
def test_the_largest_of_the_window_are_drawn_and_all_are_counted(lives, most, begin, width):
    window = (begin, min(END, begin + width))
    found = picture(device(lives), window, "first_fit", NONE, most)
    seen = sorted(
        (size for start, end, size in lives if start < window[1] and end > window[0]), reverse=True
    )
    assert (found.alive, found.alive_bytes) == (len(seen), sum(seen))
    assert found.steady == (len(lives) <= most)
    assert (found.drawn, found.drawn_bytes) == (min(most, len(seen)), sum(seen[:most]))


def test_a_buffer_that_is_wanted_is_drawn_whatever_its_size():
    small = device([(0, 10, 64), (0, 10, 32), (0, 10, 1), (50, 60, 64)])
    assert names(picture(small, (0, 20), "first_fit", np.array([2]), 2)) == ["buffer 0", "buffer 2"]
    assert names(picture(small, (0, 20), "first_fit", np.array([3]), 2)) == ["buffer 0", "buffer 1"]


def test_a_device_that_fits_keeps_its_places_in_any_window():
    whole = device([(0, 10, 64), (5, 30, 32), (20, 40, 16)])
    one, other = (picture(whole, window, "first_fit", NONE, 3) for window in ((0, 8), (20, 100)))
    assert one.amap.blocks["address"].tolist() == other.amap.blocks["address"].tolist()
    assert (one.alive, other.alive) == (2, 2)


def test_the_picture_has_the_peak_of_the_whole_device():
    whole = device([(0, 10, 64), (5, 30, 32), (20, 40, 16)])
    drawn = picture(whole, (0, END), "first_fit", NONE, 1).amap
    assert (drawn.whole("live_peak"), drawn.whole("peak_step")) == (96, 5)
    assert (drawn.facts, drawn.label) == (DEVICES, "CPU")


def test_nothing_alive_is_an_empty_picture():
    found = picture(device([(0, 10, 64), (0, 10, 64)]), (50, 60), "first_fit", NONE, 1)
    assert (found.alive, found.drawn, len(found.amap.blocks)) == (0, 0, 0)


def test_buffers_without_bytes_do_no_harm():
    found = picture(device([(0, 10, 0), (0, 10, 8)]), (0, END), "first_fit", NONE)
    assert (found.drawn, found.drawn_bytes) == (2, 8)
