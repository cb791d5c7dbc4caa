import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.aie.kernel_markers import (
    CAPTURE_ENDED,
    DUPLICATE_END,
    DUPLICATE_START,
    LOST_END,
    LOST_START,
    match_markers,
)


def matched(starts, ends, last=None):
    last = max([*starts, *ends], default=0) if last is None else last
    return match_markers(np.array(starts, np.int64), np.array(ends, np.int64), last)


def pairs(found):
    return list(zip(found.start.tolist(), found.end.tolist(), strict=True))


def left(found):
    return list(
        zip(found.left_ticks.tolist(), found.left_is_start.tolist(), found.left_reason, strict=True)
    )


def train(count, duration=100, gap=10):
    starts = [rank * (duration + gap) for rank in range(count)]
    return starts, [start + duration for start in starts]


def test_undisturbed_markers_pair_up():
    starts, ends = train(20)
    found = matched(starts, ends)
    assert pairs(found) == list(zip(starts, ends, strict=True))
    assert left(found) == []


def test_nothing_gives_nothing():
    assert pairs(matched([], [])) == left(matched([], [])) == []


def test_back_to_back_kernels_share_a_tick():
    starts, ends = train(10, gap=0)
    assert pairs(matched(starts, ends)) == list(zip(starts, ends, strict=True))


def test_order_of_the_ticks_and_exact_repeats_do_not_matter():
    starts, ends = train(10)
    assert pairs(matched(starts[::-1] + starts, ends[::-1])) == list(zip(starts, ends, strict=True))


@pytest.mark.parametrize("rank", [0, 7, 18])
def test_a_lost_end_costs_its_kernel(rank):
    starts, ends = train(20)
    found = matched(starts, ends[:rank] + ends[rank + 1 :])
    assert [start for start, _ in pairs(found)] == starts[:rank] + starts[rank + 1 :]
    assert left(found) == [(starts[rank], True, LOST_END)]


@pytest.mark.parametrize("rank", [0, 7, 19])
def test_a_lost_start_costs_its_kernel(rank):
    starts, ends = train(20)
    found = matched(starts[:rank] + starts[rank + 1 :], ends)
    assert [end for _, end in pairs(found)] == ends[:rank] + ends[rank + 1 :]
    assert left(found) == [(ends[rank], False, LOST_START)]


def test_a_capture_that_begins_with_an_end_loses_that_kernel_only():
    starts, ends = train(10)
    found = matched(starts[1:], ends)
    assert left(found) == [(ends[0], False, LOST_START)]
    assert len(pairs(found)) == 9


def test_the_last_start_of_a_cut_capture_is_no_lost_marker():
    starts, ends = train(10)
    found = matched(starts, ends[:-1], last=starts[-1] + 50)
    assert left(found) == [(starts[-1], True, CAPTURE_ENDED)]


def test_a_start_that_never_ends_long_before_the_capture_does_is_lost():
    starts, ends = train(10)
    found = matched(starts, ends[:-1], last=starts[-1] + 5_000)
    assert left(found) == [(starts[-1], True, LOST_END)]


@pytest.mark.parametrize("after", [1, 5, 24])
def test_a_repeated_marker_is_merged(after):
    starts, ends = train(20)
    found = matched([*starts, starts[5] + after], [*ends, ends[9] + 1])
    assert pairs(found) == list(zip(starts, ends, strict=True))
    assert sorted(left(found)) == [
        (starts[5] + after, True, DUPLICATE_START),
        (ends[9] + 1, False, DUPLICATE_END),
    ]


def test_an_end_and_a_start_repeated_after_the_next_start_are_merged():
    """They alternate with the others, so only durations and closeness show them."""
    starts, ends = train(20, gap=2)
    found = matched([*starts, starts[4] + 5], [*ends, ends[3] + 5])
    assert pairs(found) == list(zip(starts, ends, strict=True))
    assert sorted(found.left_reason) == [DUPLICATE_END, DUPLICATE_START]


def test_kernels_that_end_as_they_begin_are_pairs_of_no_length():
    found = matched([5, 20], [6, 21])
    assert pairs(found) == [(5, 6), (20, 21)]


KERNELS = st.lists(st.tuples(st.integers(95, 105), st.integers(1, 20)), min_size=12, max_size=40)


@given(KERNELS, st.data())
def test_each_lost_marker_costs_one_kernel(kernels, data):
    now, starts, ends = 1, [], []
    for duration, gap in kernels:
        starts.append(now)
        ends.append(now + duration)
        now += duration + gap
    lost = data.draw(st.sets(st.integers(0, len(kernels) - 1), max_size=len(kernels) // 4))
    of_start = data.draw(
        st.sets(st.sampled_from(sorted(lost)), max_size=len(lost)) if lost else st.just(set())
    )
    apart = all(rank + 1 not in lost for rank in lost)
    found = matched(
        [tick for rank, tick in enumerate(starts) if rank not in of_start],
        [tick for rank, tick in enumerate(ends) if rank not in lost - of_start],
    )
    if apart:
        assert pairs(found) == [
            pair for rank, pair in enumerate(zip(starts, ends, strict=True)) if rank not in lost
        ]
    assert len(found.left_ticks) + 2 * len(found.start) == 2 * len(kernels) - len(lost)


@given(st.sets(st.integers(0, 400), max_size=40), st.sets(st.integers(0, 400), max_size=40))
def test_any_markers_give_kernels_that_do_not_overlap_and_account_for_every_marker(starts, ends):
    found = matched(sorted(starts), sorted(ends))
    assert (found.start < found.end).all()
    assert (found.start[1:] >= found.end[:-1]).all()
    assert set(found.start.tolist()) <= starts
    assert set(found.end.tolist()) <= ends
    assert sorted(found.start.tolist() + found.left_ticks[found.left_is_start].tolist()) == sorted(
        starts
    )
    assert sorted(found.end.tolist() + found.left_ticks[~found.left_is_start].tolist()) == sorted(
        ends
    )
    assert len(found.left_reason) == len(found.left_ticks)
