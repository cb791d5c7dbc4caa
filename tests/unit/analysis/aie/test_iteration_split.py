import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.aie.iteration_split import Work, pauses, split_iterations

NONE = np.empty(0, np.int64)


def work(counts, *, duration=100, gap=10, pause=5_000, certain=True, skip=()):
    """Return the kernels of iterations of so many kernels each, without those of rank `skip`; and the long pauses."""
    start, at, cuts = [], 0, []
    for count in counts:
        for _ in range(count):
            start.append(at)
            at += duration + gap
        cuts.append(len(start) - 1)
        at += pause
    keep = [rank for rank in range(len(start)) if rank not in skip]
    starts = np.array(start, np.int64)[keep]
    kernels = Work(
        starts, starts + duration, np.ones(len(starts), np.int64), certain, float(duration)
    )
    return kernels, np.array([keep.index(cut) for cut in cuts[:-1]], np.int64)


def counts(split):
    return np.bincount(split.iteration, minlength=len(split.complete)).tolist()


def test_where_pauses_and_count_agree_nothing_is_to_decide():
    kernels, pause = work([8, 8, 8])
    split = split_iterations(kernels, pause, 8, 3)
    assert counts(split) == [8, 8, 8]
    assert split.complete.all()
    assert (split.by, split.inside, split.silent, split.size) == ("both", 0, 0, 8)


def test_a_short_last_iteration_is_not_complete():
    kernels, pause = work([8, 8, 3])
    split = split_iterations(kernels, pause, 8, 3)
    assert counts(split) == [8, 8, 3]
    assert split.complete.tolist() == [True, True, False]


def test_the_count_rules_over_pauses_inside():
    kernels, pause = work([4, 4, 4, 4, 2])
    split = split_iterations(kernels, pause, 8, None)
    assert counts(split) == [8, 8, 2]
    assert (split.by, split.inside, split.silent) == ("count", 2, 0)


def test_the_count_rules_over_missing_pauses():
    kernels, _ = work([8, 8, 8], pause=0)
    split = split_iterations(kernels, NONE, 8, None)
    assert counts(split) == [8, 8, 8]
    assert (split.by, split.inside, split.silent) == ("count", 0, 2)
    assert split.complete.all()


@pytest.mark.parametrize("last", [6, 4])
def test_pauses_that_cut_the_iterations_run_show_that_the_settings_are_wrong(last):
    kernels, pause = work([6, 6, last])
    split = split_iterations(kernels, pause, 8, 3)
    assert counts(split) == [6, 6, last]
    assert (split.by, split.size) == ("pauses", 6)
    assert split.complete.tolist() == [True, True, last == 6]


def test_without_an_expected_count_the_usual_one_is_whole():
    kernels, pause = work([8, 8, 7, 8, 5])
    split = split_iterations(kernels, pause, None, None)
    assert counts(split) == [8, 8, 7, 8, 5]
    assert (split.by, split.size) == ("pauses", 8)
    assert split.complete.tolist() == [True, True, False, True, False]


def test_one_part_of_unknown_size_is_not_called_whole():
    kernels, pause = work([8])
    split = split_iterations(kernels, pause, None, 1)
    assert split.complete.tolist() == [False]
    assert split.size is None


def test_kernels_that_left_no_mark_leave_a_gap_that_counts():
    kernels, pause = work([8, 8, 8], certain=False, skip=(10,))
    split = split_iterations(kernels, pause, 8, 3)
    assert counts(split) == [8, 7, 8]
    assert split.complete.all()


def test_many_lost_kernels_without_pauses_are_cut_at_the_widest_gap():
    kernels, _ = work([20, 20, 20], pause=300, certain=False, skip=(3, 27, 45))
    split = split_iterations(kernels, NONE, 20, 3)
    assert counts(split) == [19, 19, 19]
    assert split.complete.all()


def test_where_a_pause_lies_near_the_count_it_is_taken():
    kernels, pause = work(
        [20, 20, 20], pause=3_000, certain=False, skip=(3, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36)
    )
    split = split_iterations(kernels, pause[[0]], 20, 3)
    assert counts(split)[0] == 19


def test_nothing_to_split():
    split = split_iterations(Work(NONE, NONE, NONE, True, 1.0), NONE, 8, 3)
    assert len(split.iteration) == len(split.complete) == 0


def spans_of(kernels, *extra):
    """Return stalls as (start, end) arrays."""
    start, end = zip(*extra, strict=True) if extra else ((), ())
    return np.array(start, np.int64), np.array(end, np.int64)


def test_a_gap_of_so_many_medians_is_a_pause_even_without_a_stall():
    kernels, _ = work([2, 2], pause=2_000)
    assert pauses(kernels, NONE, NONE, 20).tolist() == [1]
    assert pauses(kernels, NONE, NONE, 20.2).tolist() == []


def test_a_stall_between_kernels_is_a_pause_and_one_before_or_after_them_is_none():
    kernels, _ = work([2, 2], pause=2_500)
    first, last = int(kernels.end[1]), int(kernels.end[-1])
    assert pauses(
        kernels,
        *spans_of(kernels, (-9_000, 0), (first + 5, first + 2_405), (last, last + 9_000)),
        20,
    ).tolist() == [1]


def test_a_stall_that_covers_kernels_has_lost_its_end_and_counts_for_what_it_leaves_between_two():
    kernels, _ = work([4, 4, 4], pause=100)
    whole = (int(kernels.end[0]), int(kernels.start[-1]))
    assert pauses(kernels, *spans_of(kernels, whole), 20).tolist() == []


@given(
    parts=st.lists(st.integers(1, 12), min_size=1, max_size=8),
    expected=st.none() | st.integers(1, 12),
    total=st.none() | st.integers(1, 9),
    certain=st.booleans(),
    drop=st.sets(st.integers(0, 7)),
)
def test_any_split_covers_all_kernels_in_order_and_only_whole_iterations_are_complete(
    parts, expected, total, certain, drop
):
    kernels, pause = work(parts, certain=certain)
    pause = pause[[rank for rank in range(len(pause)) if rank not in drop]]
    split = split_iterations(kernels, pause, expected, total)
    assert split.iteration[0] == 0
    assert set(np.diff(split.iteration).tolist()) <= {0, 1}
    assert split.iteration[-1] + 1 == len(split.complete)
    if certain and split.size is not None:
        assert (np.array(counts(split))[split.complete] >= split.size).all()
    if certain and expected and split.by != "pauses":
        assert max(counts(split)) <= expected
