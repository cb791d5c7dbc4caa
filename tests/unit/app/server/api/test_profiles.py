"""Time, idle time, operators and ranks of a profile over the API are those of the commands."""

import json

import pytest

from ingest.files import ingest
from tests.support.command_line import good, run
from tests.support.kineto_trace import operator, two_steps, write_trace

NAMES = ("breakdown", "idle", "ops", "ranks")


@pytest.fixture
def profile(team, tmp_path):
    """Ingest the trace of a rank; return its id."""
    rank = {"distributedInfo": {"rank": 1, "world_size": 3}}
    path = write_trace(tmp_path / "trace", two_steps(), **rank)
    return ingest(team.served.context.repository, [path], {}).runs[0].run_id


def printed(team, command, run_id, *options):
    data = team.served.context.settings.data
    return json.loads(good(run(command, run_id, "--json", *options, "--data", data)))


@pytest.mark.parametrize("name", NAMES)
def test_viewers_get_what_the_command_prints(team, profile, name):
    found = json.loads(team("GET", f"/runs/{profile}/{name}", scope="read").data)
    assert found == printed(team, name, profile)
    assert found["sentence"]


@pytest.mark.slow
def test_annotations_are_taken_as_steps(team, profile):
    found = team("GET", f"/runs/{profile}/breakdown?steps=ProfilerStep%231", scope="read")
    expected = printed(team, "breakdown", profile, "--steps", "ProfilerStep#1")
    assert json.loads(found.data) == expected
    assert len(expected["steps"]) == 1


@pytest.mark.slow
def test_operators_of_onnx_runtime_are_types_of_nodes(team, samples):
    repository = team.served.context.repository
    run_id = ingest(repository, [samples / "onnxruntime"], {}).runs[0].run_id
    found = json.loads(team("GET", f"/runs/{run_id}/ops", scope="read").data)
    assert found == printed(team, "ops", run_id)
    assert found["runs"] > 0


@pytest.mark.parametrize("name", NAMES)
def test_a_run_without_them_and_one_that_is_not_there_are_not_found(team, name):
    (run_id,) = team.runs(1)
    for one in (run_id, "f" * 64):
        found = team("GET", f"/runs/{one}/{name}", scope="read")
        assert found.status_code == 404
        assert found.json["detail"]


def test_a_trace_without_a_rank_has_no_ranks(team, tmp_path):
    path = write_trace(tmp_path / "trace", [operator("aten::mm", 0, 5)])
    run_id = ingest(team.served.context.repository, [path], {}).runs[0].run_id
    assert team("GET", f"/runs/{run_id}/ranks", scope="read").status_code == 404
