"""`program`: a graph as JSON, DOT or text, and refusals in one line."""

import json

import pytest

from tests.support.command_line import run


@pytest.fixture(scope="module")
def stored(tmp_path_factory, samples):
    """The arguments that name a store with a capture, and its run."""
    data = tmp_path_factory.mktemp("program") / "data"
    told = run("ingest", "--data", data, "--json", samples / "tinygrad" / "gemm-0.14-cpu")
    return ["--data", data, json.loads(told.stdout)["runs"][0]["run_id"]]


@pytest.mark.slow
def test_json_has_every_node_and_edge_of_the_step_that_frames_tell(stored):
    steps = json.loads(run("frames", *stored, "rewrite_steps").stdout)
    step = max(steps, key=lambda row: row["matches"])
    place = ["--context", step["context"], "--step", step["step"]]
    given = json.loads(run("program", *stored, *place).stdout)
    assert (given["match"], given["matches"]) == (0, step["matches"])
    assert (len(given["nodes"]), len(given["edges"])) == (step["nodes"], step["edges"])
    last = json.loads(run("program", *stored, *place, "--match", step["matches"]).stdout)
    assert any(node["added"] for node in last["nodes"])


@pytest.mark.parametrize(("form", "begin"), [("dot", "digraph {"), ("text", "%")])
def test_other_forms_are_text(stored, form, begin):
    told = run("program", *stored, "--context", 0, "--step", 0, "--format", form)
    assert told.exit_code == 0
    assert told.stdout.startswith(begin)


def test_a_graph_is_written_to_a_file(stored, tmp_path):
    file = tmp_path / "graph.json"
    assert run("program", *stored, "--context", 0, "--step", 0, "--output", file).exit_code == 0
    assert json.loads(file.read_text())["nodes"]


@pytest.mark.parametrize(
    "place",
    [
        ("--context", 10**6, "--step", 0),
        ("--context", 0, "--step", 10**6),
        ("--context", 0, "--step", 0, "--match", 10**9),
        ("--context", -1, "--step", 0),
        ("--context", "x", "--step", 0),
        ("--context", 0),
    ],
)
def test_what_is_not_there_is_one_line(stored, place):
    told = run("program", *stored, *place)
    assert told.exit_code != 0
    assert "Traceback" not in told.output
