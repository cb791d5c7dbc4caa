"""Annotations joined with the entries of a trace: the first entry at or after each moment."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.torch_snapshot import annotations as module
from data_loaders.torch_snapshot.annotations import Annotation, match_steps
from data_loaders.torch_snapshot.traces import Trace
from data_loaders.torch_snapshot.values import UNKNOWN
from tests.support.finding_codes import codes
from tests.support.torch_snapshots import alloc, read

TIMES = st.lists(st.integers(-1, 12), max_size=8)
MOMENTS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 14)), max_size=12)


def trace_of(times):
    none = np.zeros(len(times), np.int64)
    return Trace(none, none, none, np.array(times, np.int64), none, none, len(times))


def naive_step(times, moment):
    """Return the first entry before which, itself included, a time at or after the moment was seen."""
    if all(time == UNKNOWN for time in times):
        return UNKNOWN
    return next((rank for rank, time in enumerate(times) if time >= moment), len(times))


@given(st.dictionaries(st.integers(0, 3), TIMES), MOMENTS)
def test_steps_are_those_of_a_search_entry_by_entry(traces, moments):
    listed = [Annotation("a", True, device, time) for device, time in moments]
    steps = match_steps(listed, {device: trace_of(times) for device, times in traces.items()})
    assert steps.tolist() == [naive_step(traces.get(device, []), time) for device, time in moments]


def test_the_entries_are_gone_through_once_for_all_annotations(monkeypatch):
    looked_at = []
    accumulate = np.maximum.accumulate

    class Counted:
        @staticmethod
        def accumulate(times):
            looked_at.append(len(times))
            return accumulate(times)

    monkeypatch.setattr(module.np, "maximum", Counted)
    listed = [Annotation("a", True, 0, time) for time in range(50)]
    match_steps(listed, {0: trace_of([3, 5, 9])})
    assert looked_at == [3]


def test_annotations_without_a_place_are_counted():
    marks = [
        {"name": "step", "stage": "START", "time_us": 5, "device": device} for device in (0, 1)
    ]
    reading = read([], [alloc(0, 1, 3)], [alloc(0, 1)], external_annotations=marks)
    assert len(reading.frames["markers"]) == 1
    assert codes(reading) == ["entries_skipped"]


def test_of_annotations_that_begin_together_the_longest_comes_first():
    marks = [
        {"name": name, "stage": stage, "time_us": at, "device": 0}
        for name, stage, at in [
            ("in", "START", 1),
            ("out", "START", 1),
            ("in", "END", 2),
            ("out", "END", 3),
        ]
    ]
    events = read(
        [], [alloc(512 * at, 1, at) for at in range(5)], external_annotations=marks
    ).frames["events"]
    assert events["name"].tolist() == ["out", "in"]
