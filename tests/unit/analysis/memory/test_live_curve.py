import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.memory.live_curve import DeviceCurves, bin_curve, live_curve, sum_curves
from tests.support.memory import attempts, block, blocks

END = 40


def lives(most=12):
    spans = st.tuples(st.integers(0, END - 1), st.integers(1, END), st.integers(0, 100))
    return st.lists(spans.map(lambda s: (s[0], min(END, s[0] + s[1]), s[2])), max_size=most)


def curve(spans, attempt=0):
    return live_curve(frame(spans, attempt), END)


def frame(spans, attempt=0):
    return blocks(
        [
            block(f"buffer {n}", *span[:2], size=span[2], attempt=attempt)
            for n, span in enumerate(spans)
        ]
    )


def held(spans, time):
    return sum(size for start, end, size in spans if start <= time < end)


@given(lives())
def test_a_curve_holds_at_every_time_what_is_alive_then(spans):
    found = curve(spans)
    for time in range(END):
        at = found.index(time)
        assert found.bytes[at] == held(spans, time)
        assert found.blocks[at] == sum(start <= time < end for start, end, _ in spans)
    assert found.at[0] == 0
    assert (np.diff(found.at) > 0).all()


@given(lives())
def test_the_peak_is_the_first_time_with_the_most_bytes(spans):
    found, every = curve(spans), [held(spans, time) for time in range(END)]
    assert (found.peak, found.peak_time) == (max(every), every.index(max(every)))


@given(lives(), st.integers(0, END - 1), st.integers(1, END), st.integers(1, 50))
def test_parts_of_a_window_have_the_most_of_their_times(spans, begin, width, parts):
    end = min(END, begin + width)
    found = bin_curve(curve(spans), (begin, end), parts)
    assert (found.edge[0], found.edge[-1]) == (begin, end)
    assert len(found.highest) == min(parts, end - begin)
    for low, high, most, time, count in zip(
        found.edge[:-1], found.edge[1:], found.highest, found.time, found.blocks, strict=True
    ):
        assert most == max(held(spans, at) for at in range(low, high))
        assert low <= time < high
        assert held(spans, time) == most
        assert count == sum(start <= time < stop for start, stop, _ in spans)


@pytest.mark.slow
@given(lives(), lives())
def test_the_sum_of_curves_is_the_curve_of_all(one, other):
    both, together = sum_curves([curve(one), curve(other)], END), curve([*one, *other])
    for time in range(END):
        a, b = both.index(time), together.index(time)
        assert (both.bytes[a], both.blocks[a]) == (together.bytes[b], together.blocks[b])


def test_what_changes_in_a_window_begins_with_what_holds_at_its_begin():
    found = curve([(5, 20, 8), (10, 30, 8)])
    assert found.at[found.changes((7, 10))].tolist() == [5]
    assert found.at[found.changes((0, 11))].tolist() == [0, 5, 10]
    assert found.at[found.changes((35, 40))].tolist() == [30]


def test_a_device_has_its_own_curve_and_all_have_their_sum():
    rows = [block("a", 0, 10, size=8, attempt=0), block("b", 5, 15, size=4, attempt=1)]
    found = DeviceCurves.of(blocks(rows), attempts(3, steps=END, level=["CPU", "NPY", "NULL"]))
    assert {number: one.peak for number, one in found.devices.items()} == {0: 8, 1: 4, 2: 0}
    assert (found.total.peak, found.total.peak_time) == (12, 5)
    assert found.labels == {0: "CPU", 1: "NPY", 2: "NULL"}
    assert found.sum_devices([1, 2]).peak == 4


def test_a_buffer_freed_when_another_comes_is_not_alive_with_it():
    assert curve([(0, 10, 8), (10, 20, 8)]).peak == 8


def test_a_run_without_devices_has_an_empty_sum():
    found = DeviceCurves.of(blocks([]), attempts(0))
    assert found.devices == {}
    assert found.total.peak == 0


@pytest.mark.parametrize("size", [2**61, 2**62 - 1])
def test_large_buffers_are_exact(size):
    assert curve([(0, 10, size)]).peak == size
