from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.aie import pairing
from data_loaders.aie.pairing import pair_intervals

TICKS = st.integers(0, 12) | st.integers(-5, 60)
FAR = st.integers(-(2**61) + 1, 2**61 - 1) | TICKS


def paired(entries, last=None):
    """Return (lane, start, end, opened, closed) rows of entries (lane, ts, begin)."""
    lane, ts, begin = zip(*entries, strict=True) if entries else ((), (), ())
    if last is None:
        last = [
            max((t for e, t, _ in entries if e == code), default=0)
            for code in range(max(lane, default=-1) + 1)
        ]
    got = pair_intervals(
        np.array(lane, np.int32),
        np.array(ts, np.int64),
        np.array(begin, bool),
        np.array(last, np.int64),
    )
    columns = (got.lane, got.start, got.end, got.opened, got.closed)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def queue_model(entries):
    """Pair with a queue per lane, entry by entry."""
    rows = []
    for code in sorted({lane for lane, _, _ in entries}):
        own = sorted((ts, begin) for lane, ts, begin in entries if lane == code)
        queue, last = deque(), own[-1][0]
        for ts, begin in own:
            if begin:
                queue.append(ts)
            elif queue:
                rows.append((code, queue.popleft(), ts, True, True))
            else:
                rows.append((code, ts, ts, False, True))
        rows += [(code, start, last, True, False) for start in queue]
    return rows


@given(
    entries=st.lists(st.tuples(st.integers(0, 4), TICKS, st.booleans()), max_size=60)
    | st.lists(st.tuples(st.integers(0, 4), FAR, st.booleans()), max_size=20),
    block=st.integers(1, 9) | st.just(1 << 17),
)
def test_pairs_are_those_of_a_queue_per_lane(entries, block):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairing, "BLOCK_ENTRIES", block)
        got = paired(entries)
    assert sorted(got) == sorted(queue_model(entries))
    assert [(lane, start) for lane, start, *_ in got] == sorted(
        (lane, start) for lane, start, *_ in got
    )
    ends = [(lane, end) for lane, _, end, *_ in got]
    assert ends == sorted(ends)


def test_file_order_does_not_matter():
    rng = np.random.default_rng(1)
    entries = [
        (int(rng.integers(3)), int(rng.integers(30)), bool(rng.integers(2))) for _ in range(200)
    ]
    shuffled = [entries[i] for i in rng.permutation(len(entries))]
    assert paired(entries) == paired(shuffled)


def test_first_in_first_out():
    entries = [(0, 1, True), (0, 2, True), (0, 5, False), (0, 9, False)]
    assert paired(entries) == [(0, 1, 5, True, True), (0, 2, 9, True, True)]


def test_at_equal_time_the_end_comes_first():
    entries = [(0, 1, True), (0, 3, True), (0, 3, False), (0, 4, False)]
    assert paired(entries) == [(0, 1, 3, True, True), (0, 3, 4, True, True)]
    assert paired([(0, 3, True), (0, 3, False)], last=[3]) == [
        (0, 3, 3, True, False),
        (0, 3, 3, False, True),
    ]


def test_an_open_interval_closes_at_its_lanes_last_time():
    entries = [(0, 1, True), (1, 4, True)]
    assert paired(entries, last=[10, 20]) == [(0, 1, 10, True, False), (1, 4, 20, True, False)]


def test_lanes_without_entries_and_no_entries_at_all():
    assert paired([], last=[]) == []
    assert paired([], last=[1, 2, 3]) == []
    assert paired([(2, 1, True), (2, 2, False)], last=[0, 0, 2, 0]) == [(2, 1, 2, True, True)]


def test_keys_that_do_not_fit_64_bits_are_sorted_all_the_same():
    far = 2**61 - 1
    entries = [(1, far, False), (0, -far, True), (1, -far, True), (0, far, False)]
    assert paired(entries) == [(0, -far, far, True, True), (1, -far, far, True, True)]
