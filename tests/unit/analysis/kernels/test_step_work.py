"""Executions by the counted step to which they belong."""

import numpy as np
import pytest

from analysis.kernels.step_work import find_step_work
from schema.frames import empty
from tests.support.kineto_trace import call, kernel, load_trace, step
from tests.support.profiles import kernels, markers, run


def times(frames):
    own = frames["kernels"]
    return find_step_work(frames).grouped_time("name", own, np.ones(len(own), bool))


def test_an_execution_belongs_to_the_step_that_launched_it(tmp_path):
    entries = [step(number, 100 * number, 100) for number in (1, 2, 3)]
    # The last kernel of each step runs in the next step.
    for number in (1, 2, 3):
        entries += [call(100 * number + 10, number), kernel("late", 100 * number + 95, 30, number)]
    found = load_trace(tmp_path, entries).frames
    assert find_step_work(found).place.tolist() == [0, 1, 2]
    assert times(found) == {"late": 30_000}


def test_an_execution_without_a_launch_belongs_to_the_step_in_which_it_begins(tmp_path):
    entries = [step(number, 100 * number, 100) for number in (1, 2)]
    entries += [call(110, 1), kernel("a", 115, 10, 1), call(210, 2), kernel("a", 215, 10, 2)]
    entries += [kernel("lost", 150, 40), kernel("before", 50, 20)]
    found = load_trace(tmp_path, entries).frames
    assert times(found) == {"a": 10_000, "lost": 20_000}


def test_steps_that_do_not_count_have_no_work(tmp_path):
    durations = {1: 900, 2: 100, 3: 100, 4: 100, 5: 10}
    entries = []
    at = 0
    for number, duration in durations.items():
        launches = 1 if number == 5 else 4
        entries.append(step(number, at, duration))
        for place in range(launches):
            correlation = 10 * number + place
            entries.append(call(at + 1 + place, correlation))
            entries.append(kernel(f"k{number}", at + 10 + 2 * place, 1, correlation))
        at += duration
    found = load_trace(tmp_path, entries).frames
    assert find_step_work(found).numbers.tolist() == [1, 2, 3]
    assert times(found) == {"k2": pytest.approx(4_000 / 3), "k3": 4_000 / 3, "k4": 4_000 / 3}


def test_windows_between_markers_count_from_the_second_of_a_series_and_with_kernels():
    rows = [run("a", 100 * number + 10, 10 * number) for number in range(4)]
    copy = run("moved", 450, 20) | {"copy": True}
    places = [(f"step {number}", 100 * number) for number in range(5)]
    frames = {
        "kernels": kernels(*rows, copy),
        "markers": markers(*places, ("end", 500)),
        "launches": empty("launches"),
        "events": empty("events"),
    }
    found = find_step_work(frames)
    assert found.numbers.tolist() == [1, 2, 3]
    assert found.place.tolist() == [-1, 0, 1, 2, -1]
    assert times(frames) == {"a": 20}


def test_without_steps_the_capture_is_one():
    frames = {
        "kernels": kernels(run("a", 0, 10), run("a", 20, 30), run("b", 60, 5)),
        "markers": markers(),
        "launches": empty("launches"),
        "events": empty("events"),
    }
    assert len(find_step_work(frames)) == 0
    assert times(frames) == {"a": 40, "b": 5}
