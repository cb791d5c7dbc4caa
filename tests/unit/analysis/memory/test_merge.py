import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analysis.memory.attempt_map import Segments
from analysis.memory.merge import merge_segments


def parts(rows):
    start, steps, low, size = np.array(rows, dtype=np.int64).T
    return Segments(np.arange(len(rows)), start, start + steps, low, low + size)


def touching(bars, segments):
    """Return per bar how many segments touch it, and their byte-steps in it, counted one by one."""
    counts, weights = [], []
    for start, end, low, high in zip(bars.start, bars.end, bars.low, bars.high, strict=True):
        steps = np.minimum(segments.end, end) - np.maximum(segments.start, start)
        size = np.minimum(segments.high, high) - np.maximum(segments.low, low)
        touches = (steps > 0) & (size > 0)
        counts.append(int(touches.sum()))
        weights.append(int((steps * size)[touches].sum()))
    return counts, weights


SPANS = st.tuples(
    st.integers(0, 700), st.integers(1, 300), st.integers(0, 5000), st.integers(1, 900)
)


def test_one_segment_is_one_bar():
    bars = merge_segments(parts([(3, 4, 10, 20)]), 100)
    assert (bars.start.min(), bars.end.max(), bars.low.min(), bars.high.max()) == (3, 7, 10, 30)
    assert bars.bytes.sum() == 80
    assert set(bars.count) == {1}


def test_what_is_empty_has_no_bar():
    bars = merge_segments(parts([(0, 1, 0, 1), (99, 1, 95, 1)]), 100)
    assert sorted(zip(bars.start.tolist(), bars.low.tolist(), strict=True)) == [(0, 0), (99, 95)]


def test_fuller_and_emptier_stretches_are_told_apart():
    rows = [(step, 1, 0, 96) for step in range(128)] + [
        (step, 1, 0, 10) for step in range(128, 256)
    ]
    bars = merge_segments(parts(rows), 8)
    assert len(bars) <= 8
    fill = bars.bytes / ((bars.end - bars.start) * (bars.high - bars.low))
    assert fill[bars.end <= 128].min() > fill[bars.start >= 128].min()


@given(st.lists(SPANS, min_size=1, max_size=30), st.integers(1, 60))
def test_bars_tell_what_is_in_them_and_leave_nothing_out(rows, most):
    segments = parts(rows)
    bars = merge_segments(segments, most)
    assert 1 <= len(bars) <= most
    assert touching(bars, segments) == (bars.count.tolist(), bars.bytes.tolist())
    assert (bars.bytes > 0).all()
    assert (
        bars.bytes.sum() == ((segments.end - segments.start) * (segments.high - segments.low)).sum()
    )


@given(st.lists(SPANS, min_size=1, max_size=30), st.integers(1, 60))
def test_bars_do_not_overlap(rows, most):
    bars = merge_segments(parts(rows), most)
    for rank in range(len(bars)):
        steps = np.minimum(bars.end, bars.end[rank]) - np.maximum(bars.start, bars.start[rank])
        size = np.minimum(bars.high, bars.high[rank]) - np.maximum(bars.low, bars.low[rank])
        assert ((steps > 0) & (size > 0)).sum() == 1


@given(
    st.lists(st.tuples(*[st.integers(0, 2**61), st.integers(1, 2**60)] * 2), min_size=1, max_size=6)
)
def test_numbers_beyond_all_memory_stay_in_range(rows):
    segments = parts(rows)
    bars = merge_segments(segments, 10)
    assert (bars.end > bars.start).all()
    assert (bars.high > bars.low).all()
    assert (bars.bytes >= 0).all()
    assert bars.low.min() >= segments.low.min()
    assert bars.high.max() <= segments.high.max()
