"""Steps of a profile: what starts between two markers."""

import pytest

from analysis.kernels.training_steps import training_steps
from tests.support.profiles import kernels, markers, run


def steps(*runs, at=(0, 100, 200)):
    return training_steps(
        kernels(*runs), markers(*((f"step {rank}", time) for rank, time in enumerate(at)))
    )


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
    found = training_steps(
        kernels(run("a", 10, 5)), markers(("first", 0), ("last", 0), ("end", 50))
    )
    assert found["name"].tolist() == ["last"]
