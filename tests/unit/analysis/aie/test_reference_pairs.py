import statistics

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analysis.aie.reference_pairs import (
    exclusive_pairs,
    greedy_pairs,
    reference_pairs,
    without_near_repeats,
)

TICKS = st.lists(st.integers(0, 60) | st.integers(0, 5_000), max_size=60).map(sorted)


def ints(values):
    return np.array(values, dtype=np.int64)


def pairs(result):
    return list(zip(*(column.tolist() for column in result), strict=True))


def greedy_model(starts, ends):
    found, i, j = [], 0, 0
    while i < len(starts) and j < len(ends):
        if ends[j] <= starts[i]:
            j += 1
        else:
            found.append((starts[i], ends[j]))
            i, j = i + 1, j + 1
    return found


def spaced_model(ticks, min_gap):
    kept = []
    for tick in ticks:
        if not kept or (tick > kept[-1] and tick - kept[-1] >= min_gap):
            kept.append(tick)
    return kept


def exclusive_model(starts, ends):
    found, j, previous = [], 0, None
    for start in starts:
        if previous is not None and start <= previous:
            continue
        while j < len(ends) and ends[j] <= start:
            j += 1
        if j == len(ends):
            break
        previous = ends[j]
        found.append((start, previous))
        j += 1
    return found


def script_model(starts, ends):
    """Return (pairs, kept, median) as the rules of the script say, written as loops."""
    preliminary = [end - start for start, end in greedy_model(starts, ends)]
    med0 = max(1, int(statistics.median(preliminary))) if preliminary else 1
    min_gap = max(1, int(0.25 * med0))
    found = exclusive_model(spaced_model(starts, min_gap), spaced_model(ends, min_gap))
    if not found:
        return [], [], None
    middle = statistics.median(end - start for start, end in found)
    low = max(1, int(middle * (1 / 3)))
    high = max(low + 1, int(3 * middle))
    kept = [low <= end - start <= high for start, end in found]
    return (
        found,
        kept,
        statistics.median(
            end - start for (start, end), keep in zip(found, kept, strict=True) if keep
        ),
    )


@given(TICKS, TICKS)
def test_greedy_pairs_are_those_of_two_pointers(starts, ends):
    assert pairs(greedy_pairs(ints(starts), ints(ends))) == greedy_model(starts, ends)


@given(TICKS, st.integers(1, 80))
def test_repeats_are_dropped_as_by_a_walk(ticks, min_gap):
    assert without_near_repeats(ints(ticks), min_gap).tolist() == spaced_model(ticks, min_gap)


@given(TICKS.map(set).map(sorted), TICKS.map(set).map(sorted))
def test_exclusive_pairs_are_those_of_a_walk(starts, ends):
    assert pairs(exclusive_pairs(ints(starts), ints(ends))) == exclusive_model(starts, ends)


@given(TICKS, TICKS)
def test_kernels_are_those_of_the_scripts_rules(starts, ends):
    got = reference_pairs(ints(starts), ints(ends))
    found, kept, median = script_model(starts, ends)
    assert pairs((got.start, got.end)) == found
    assert got.kept.tolist() == kept
    assert got.median == median


@given(
    st.lists(st.tuples(st.integers(5, 40), st.integers(0, 9)), min_size=1, max_size=40),
    st.sets(st.integers(0, 39)),
    st.sets(st.integers(0, 39)),
)
def test_captures_with_lost_markers_give_what_the_rules_give(kernels, no_start, no_end):
    now, starts, ends = 0, [], []
    for rank, (duration, gap) in enumerate(kernels):
        starts += [] if rank in no_start else [now]
        ends += [] if rank in no_end else [now + duration]
        now += duration + gap
    got = reference_pairs(ints(starts), ints(ends))
    found, kept, median = script_model(starts, ends)
    assert (pairs((got.start, got.end)), got.kept.tolist(), got.median) == (found, kept, median)


def test_the_median_of_an_even_count_may_be_a_half():
    assert reference_pairs(ints([0, 100]), ints([10, 111])).median == 10.5


def test_durations_at_the_limits_are_kept():
    starts = ints([0, 1000, 2000, 3000, 4000])
    ends = starts + ints([100, 100, 100, 33, 300])
    assert reference_pairs(starts, ends).kept.all()
    assert (
        reference_pairs(starts, starts + ints([100, 100, 100, 32, 301])).kept.tolist()
        == [True] * 3 + [False] * 2
    )


def test_nothing_gives_no_median():
    assert reference_pairs(ints([]), ints([])).median is None
    assert reference_pairs(ints([5]), ints([5])).median is None
