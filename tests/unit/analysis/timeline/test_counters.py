"""Counters of a timeline: what is drawn of them, and the queues and rates that are computed."""

import numpy as np
import pandas as pd
import pytest

from analysis.timeline.counters import BYTES, CALLS, MAX_TRACKS, RATE, CounterTrack, counter_tracks
from schema.frames import complete, empty

NUMBER = np.arange(2_000)
SAW = CounterTrack("GPU 0", "saw", "", 7 * NUMBER + 100, ((NUMBER * 37) % 101).astype(float))


def frames(**given: dict[str, list]) -> dict[str, pd.DataFrame]:
    named = {name: complete(name, columns) for name, columns in given.items()}
    return {name: empty(name) for name in ("counters", "launches", "kernels")} | named


def values_in(track: CounterTrack, begin: float, end: float) -> list[float]:
    """Return the values that a counter has in [begin, end)."""
    stops = [*track.at[1:].tolist(), np.inf]
    spans = zip(track.at.tolist(), stops, track.value.tolist(), strict=True)
    return [value for start, stop, value in spans if start < end and stop > begin]


@pytest.mark.parametrize("window", [(0, 14_100), (100, 9_000), (3_333, 3_777), (13_000, 99_999)])
@pytest.mark.parametrize("columns", [1, 7, 100])
def test_stretches_have_the_lowest_and_highest_value_of_their_time(window, columns):
    steps = SAW.steps(window, columns)
    assert 0 < len(steps) <= max(columns, len(values_in(SAW, *window)))
    stops = [*steps.start[1:].tolist(), window[1]]
    for start, stop, low, high in zip(
        steps.start.tolist(), stops, steps.low.tolist(), steps.high.tolist(), strict=True
    ):
        inside = values_in(SAW, start, stop)
        assert (low, high) == (min(inside), max(inside))


def test_few_values_are_exact_and_begin_with_the_window():
    steps = SAW.steps((103, 120), 10)
    assert steps.start.tolist() == [103, 107, 114]
    assert steps.low.tolist() == steps.high.tolist() == [0, 37, 74]
    assert len(SAW.steps((0, 90), 10)) == 0


def test_waiting_executions_rise_with_a_launch_and_fall_when_they_begin():
    launches = {
        "kernel": [0, 1, 2, 3],
        "number": [0, 1, 2, 3],
        "device": ["GPU 0"] * 4,
        "name": ["a"] * 4,
        "start": [10, 20, 30, 900],
        "copy": [False] * 4,
    }
    kernels = {
        "track": ["stream 7"] * 3 + ["stream 8"],
        "kernel": [0, 1, 2, 0],
        "name": ["a"] * 4,
        "start": [25, 40, 60, 500],
        "end": [35, 50, 70, 600],
        "kept": [True] * 4,
        "launch": [0, 1, 2, 3],
        "class": ["compute"] * 4,
    }
    (queue,) = counter_tracks(frames(launches=launches, kernels=kernels))
    assert (queue.track, queue.unit) == ("stream 7", CALLS)
    assert queue.at.tolist() == [10, 20, 25, 30, 40, 60]
    assert queue.value.tolist() == [1, 2, 1, 2, 1, 0]
    assert queue.limits == (0, 2)


def test_rates_of_copies_that_run_together_are_added():
    kernels = {
        "track": ["stream 7", "stream 8", "stream 7"],
        "kernel": [0, 0, 1],
        "name": ["Memcpy HtoD", "Memcpy HtoD", "gemm"],
        "start": [0, 5, 8],
        "end": [10, 20, 9],
        "kept": [True] * 3,
        "copy": [True, True, False],
        "memory_rate": [3e9, 1e9, 7e9],
        "class": ["copy", "copy", "compute"],
    }
    (rate,) = counter_tracks(frames(kernels=kernels))
    assert (rate.track, rate.unit) == ("Memcpy HtoD", RATE)
    assert rate.at.tolist() == [0, 5, 10, 20]
    assert rate.value.tolist() == [3e9, 4e9, 1e9, 0]
    assert rate.lanes == ("stream 7", "stream 8")


def test_counters_of_the_file_have_a_unit_if_it_is_known_and_are_limited():
    counters = {
        "track": ["GPU 0"] * 40,
        "name": ["GPU 0 allocated", "clock", "clock", "clock"] + [f"c{n}" for n in range(36)],
        "value": [1.0, 5.0, 6.0, np.nan, *range(36)],
        "start": [3, 9, 9, 12, *range(36)],
    }
    found = counter_tracks(frames(counters=counters))
    assert len(found) == MAX_TRACKS
    assert [(track.name, track.unit) for track in found[:2]] == [
        ("GPU 0 allocated", BYTES),
        ("clock", ""),
    ]
    # The last of two values at one time holds.
    assert (found[1].at.tolist(), found[1].value.tolist()) == ([9], [6.0])


def test_readings_of_a_kernel_have_no_time():
    counters = {"track": ["AMD"], "name": ["waves"], "kernel": [3], "value": [8.0], "start": [None]}
    assert counter_tracks(frames(counters=counters)) == []


def test_a_window_of_many_years_has_stretches():
    years = CounterTrack("GPU 0", "x", "", 10**14 * np.arange(4_000), np.arange(4_000.0))
    steps = years.steps((0, 4 * 10**17), 800)
    assert len(steps) == 800
    assert (np.diff(steps.start) > 0).all()
    assert (steps.low[0], steps.high[-1]) == (0, 3_999)


def test_a_counter_whose_first_value_is_at_the_end_has_one_stretch():
    late = CounterTrack("GPU 0", "x", "", 10**9 - 9 + np.arange(9), np.arange(9.0))
    steps = late.steps((0, 10**9), 3)
    assert (steps.start.tolist(), steps.low.tolist(), steps.high.tolist()) == (
        [10**9 - 9],
        [0],
        [8],
    )
