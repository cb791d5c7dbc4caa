"""Frames that are made when they are asked for."""

import pandas as pd
import pytest

from analysis.aie.iteration_parts import PARTS
from ingest.files import ingest
from schema.frames import empty
from services.run.capabilities import Capability
from services.run.frames import find_frame, frames_on_demand
from services.run.run_frames import RunFrames
from storage.errors import FrameNotFound
from tests.support.aie_trace import write_capture_file


@pytest.fixture
def capture(repository, tmp_path):
    """Ingest a small capture of an array."""
    path = write_capture_file(tmp_path)
    return ingest(repository, [path], {}).runs[0].run_id


@pytest.mark.parametrize("method", ["robust", "reference"])
def test_the_parts_of_an_iteration_sum_to_its_time(repository, capture, method):
    found = find_frame(repository, capture, "iteration_parts", method)
    assert len(found)
    assert (found[[*PARTS]].sum(axis=1) == found["elapsed"]).all()
    iterations = find_frame(repository, capture, "iterations", method)
    assert set(found["track"].astype("str")) <= set(iterations["track"].astype("str"))


@pytest.mark.parametrize("name", ["training_steps", "kernel_totals", "occupancy", "nothing"])
def test_what_a_run_cannot_have_is_said(repository, capture, name):
    with pytest.raises(FrameNotFound, match=name):
        find_frame(repository, capture, name)


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (("kernels",), {"kernel_totals"}),
        (("programs", "markers"), {"kernel_totals", "step_times", "training_steps"}),
        (("attempts", "allocations"), {"occupancy"}),
        (("events", "tracks"), set()),
    ],
)
def test_what_is_made_on_demand_follows_from_what_the_run_can_show(stored, expected):
    frames = {name: blank(name, rows=name == "markers") for name in stored}
    run = {"run": pd.DataFrame({"source": ["another"], "time_unit": ["ns"]})}
    assert set(frames_on_demand(RunFrames(frames | run, {}).contents)) == expected


def blank(name, *, rows):
    return empty(name).reindex([0]) if rows else empty(name)


def test_a_capability_reads_no_more_frames_than_its_rule_asks_about():
    class Unread(dict):
        def __getitem__(self, name):
            raise AssertionError(name)

    contents = RunFrames(
        Unread(dict.fromkeys(("run", "kernels", "events", "allocations"))), {}
    ).contents
    assert contents.can(Capability.NAMED_KERNELS)


PROBLEM = "id,lower,upper,size,offset\na,0,4,64,0\nb,2,6,96,64\nc,5,8,32,0\n"


@pytest.mark.slow
def test_another_capacity_gives_the_numbers_of_an_ingest_with_it(repository, tmp_path):
    path = tmp_path / "problem.csv"
    path.write_text(PROBLEM)
    stored = ingest(repository, [path], {"capacity": "1KiB"}).runs[0].run_id
    other = find_frame(repository, stored, "attempts", overrides={"capacity": "320"})
    assert find_frame(repository, stored, "attempts")["capacity"].tolist() == [1024]
    path.write_text(PROBLEM + "\n")
    again = ingest(repository, [path], {"capacity": "320"}).runs[0].run_id
    pd.testing.assert_frame_equal(other, find_frame(repository, again, "attempts"))
    assert other["utilization"].tolist() == [0.5]


@pytest.mark.parametrize("text", ["", "-1", "9" * 30, "12 parsecs", "1e3", "0"])
def test_a_capacity_that_is_no_size_is_refused(repository, tmp_path, text):
    path = tmp_path / "problem.csv"
    path.write_text(PROBLEM)
    run_id = ingest(repository, [path], {}).runs[0].run_id
    with pytest.raises(ValueError, match="capacity="):
        find_frame(repository, run_id, "attempts", overrides={"capacity": text})


def test_a_capture_has_no_capacity(repository, capture):
    with pytest.raises(ValueError, match="unknown setting capacity"):
        find_frame(repository, capture, "iterations", overrides={"capacity": "64"})
