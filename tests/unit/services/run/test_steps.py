"""The steps of a training as a page and a command have them."""

import json

import pytest

from analysis.kernels.step_times import FILLS, PARTS
from ingest.files import ingest
from samples.tinygrad_writer import Maker
from services.run.steps import find_step_times, steps_mapping
from storage.errors import RunNotFound


def profile(repository, folder, marked):
    """Store a capture of two kernels, with three markers or none; return its run."""
    made = Maker("0.14").device("CPU").range("CPU", "r_4", 10, 20).range("CPU", "E_2", 130, 150)
    for rank in range(3 if marked else 0):
        made.marker(f"step {rank}", 100 * rank)
    folder.mkdir()
    (folder / "profile.pkl").write_bytes(made.profile())
    (run,) = ingest(repository, [folder], {}).runs
    return run.run_id


@pytest.mark.slow
def test_steps_are_windows_between_markers_with_what_fills_them(repository, tmp_path):
    found = find_step_times(repository, profile(repository, tmp_path / "run", marked=True))
    made = json.loads(json.dumps(steps_mapping(found), default=int))
    assert [(one["name"], one["kernels"]) for one in made["steps"]] == [
        ("step 0", 1),
        ("step 1", 1),
    ]
    for one in made["steps"]:
        assert (set(one["fill"]), set(one["busy"])) == ({*FILLS}, {*PARTS})
        assert sum(one["fill"].values()) == one["duration"]
    (series,) = made["series"]
    assert (series["steps"], series["first"]) == (2, made["steps"][0]["duration"])
    assert series["median"] == made["steps"][1]["duration"]


@pytest.mark.slow
def test_a_profile_without_markers_has_no_steps(repository, tmp_path):
    found = find_step_times(repository, profile(repository, tmp_path / "run", marked=False))
    assert steps_mapping(found) == {"steps": [], "step_ns": None, "series": []}


def test_a_run_that_is_no_profile_and_one_that_is_gone_are_refused(repository, write, loader):
    (run,) = ingest(repository, [write("a.fake")], {}).runs
    with pytest.raises(ValueError, match="not a profile"):
        find_step_times(repository, run.run_id)
    with pytest.raises(RunNotFound):
        find_step_times(repository, "gone")
