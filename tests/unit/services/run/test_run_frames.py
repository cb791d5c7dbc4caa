"""Frames of a run by method reference: what belongs to a patch has the patch's number."""

import pytest

from ingest.files import ingest
from services.run.data_cache import RunDataCache
from services.run.frames import find_frame
from tests.support.comparisons import SAMPLES

FOLDER = SAMPLES / "tpu_mlir" / "lighthouse"


@pytest.fixture
def run(repository):
    made = ingest(repository, [FOLDER], {}).runs
    return repository, next(one.run_id for one in made if one.source == "tpu_mlir")


@pytest.mark.slow
def test_steps_and_events_of_a_patch_are_those_of_its_attempt(run):
    repository, run_id = run
    cache = RunDataCache(repository)
    robust = cache.get(run_id, "robust", {}).memory
    reference = cache.get(run_id, "reference", {}).memory
    own = robust.attempts.dropna(subset="line").set_index("line")["attempt"]
    patches = reference.attempts.dropna(subset="line")
    moved = [
        (patch, own[line]) for patch, line in zip(patches["attempt"], patches["line"], strict=True)
    ]
    assert any(patch != attempt for patch, attempt in moved), (
        "the sample has attempts that are one patch"
    )
    steps = find_frame(repository, run_id, "steps", "reference")
    for patch, attempt in moved:
        columns = ["step", "name", "gdma_cycles", "layer_cycles", "begin"]
        expected = robust.steps.loc[robust.steps["attempt"] == attempt, columns].reset_index(
            drop=True
        )
        assert steps.loc[steps["attempt"] == patch, columns].reset_index(drop=True).equals(expected)
        assert reference.attempt_events(patch).equals(robust.attempt_events(attempt))
    assert find_frame(repository, run_id, "steps")["attempt"].equals(robust.steps["attempt"])


def test_groups_of_the_reference_ask_for_bytes(run):
    repository, run_id = run
    data = RunDataCache(repository).with_saved(run_id, "reference", {})
    assert all(group.last.peak_bytes > 0 for group in data.memory.groups if group.last.steps)
