"""Steps of a profile: what starts between two markers."""

import pytest

from analysis.kernels.training_steps import training_steps
from schema.frames import empty
from tests.support.kineto_trace import call, kernel, load_trace, step
from tests.support.profiles import kernels, markers, run


def steps(*runs, at=(0, 100, 200)):
    return found_in(
        kernels(*runs), markers(*((f"step {rank}", time) for rank, time in enumerate(at)))
    )


def found_in(executions, marked):
    frames = {"launches": empty("launches"), "events": empty("events")}
    return training_steps(frames | {"kernels": executions, "markers": marked})


def test_a_kernel_belongs_to_the_window_that_it_starts_in():
    found = steps(
        run("a", 10, 95, operations=8),
        run("b", 99, 20, operations=2),
        run("a", 100, 5, operations=8),
    )
    assert found[["step", "name", "start", "end", "kernels"]].to_numpy().tolist() == [
        [0, "step 0", 0, 100, 2],
        [1, "step 1", 100, 200, 1],
    ]
    assert found["kernel_time"].tolist() == [115.0, 5.0]
    assert found["operations"].tolist() == [10.0, 8.0]


def test_what_runs_before_the_first_and_after_the_last_marker_is_in_no_step():
    assert steps(run("a", 10, 5), run("a", 250, 5), at=(20, 200))["kernels"].tolist() == []


def test_windows_without_kernels_are_no_steps():
    assert steps(run("a", 150, 5))["step"].tolist() == [1]


@pytest.mark.parametrize("at", [(), (5,)])
def test_without_two_markers_there_are_no_steps(at):
    assert len(steps(run("a", 10, 5), at=at)) == 0


def test_of_several_markers_at_one_moment_the_last_one_names_the_step():
    found = found_in(kernels(run("a", 10, 5)), markers(("first", 0), ("last", 0), ("end", 50)))
    assert found["name"].tolist() == ["last"]


def test_a_step_of_a_trace_has_the_kernels_that_it_launched(tmp_path):
    entries = [step(number, 100 * number, 80) for number in (1, 2)]
    entries += [call(110, 1), kernel("late", 205, 30, 1), call(210, 2), kernel("k", 240, 10, 2)]
    found = training_steps(load_trace(tmp_path, entries).frames)
    assert found["name"].tolist() == ["ProfilerStep#1", "ProfilerStep#2"]
    assert found["kernel_time"].tolist() == [30_000, 10_000]
    assert found["end"].tolist() == [200_000 - 100_000, 280_000 - 100_000]
