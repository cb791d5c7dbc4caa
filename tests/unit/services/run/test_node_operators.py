"""Operators of profiles of ONNX Runtime as a page and a command have them."""

import json

import pytest

from app.views.kernels.operators import OPERATORS
from app.views.run_words import first_sentence, strip_scopes
from app.views.state import RunState
from data_loaders.onnxruntime.profile import OnnxRuntimeLoader
from ingest.files import ingest
from services.run.breakdown import find_breakdown
from services.run.data_cache import RunDataCache
from services.run.node_operators import find_node_operators, node_operators_mapping
from tests.support.command_line import good, refused, run


def span(category, name, start, duration, **arguments):
    own = {"cat": category, "ph": "X", "pid": 7, "tid": 1, "name": name, "ts": start}
    return own | {"dur": duration, "args": arguments}


def node(operator, start, duration):
    return span("Node", f"{operator.lower()}_kernel_time", start, duration, op_name=operator)


HOST = (
    span("Session", "model_run", 0, 90),
    node("Conv", 10, 30),
    node("Add", 52, 6),
    node("Loop", 50, 20),
)
DEVICE = (span("Kernel", "k", 40, 60, op_name="Conv"), span("Kernel", "j", 120, 20))


@pytest.fixture
def store(repository, tmp_path):
    def make(*spans):
        path = tmp_path / "onnxruntime_profile.json"
        path.write_text(json.dumps(spans))
        return ingest(repository, [path], {}).runs[0].run_id

    return make


@pytest.mark.slow
def test_operators_are_types_of_nodes_and_runs_are_counted(repository, store):
    result = node_operators_mapping(find_node_operators(repository, store(*HOST)))
    assert result["runs"] == 1
    assert [(row["name"], row["self_cpu"], row["total_cpu"]) for row in result["ops"]] == [
        ("Conv", 30_000, 30_000),
        ("Loop", 14_000, 20_000),
        ("Add", 6_000, 6_000),
    ]
    assert result["unattributed"] == {"spans": 0, "device": 0}


def with_shapes(entry, inputs, output):
    """Return an entry of a node with the shapes of its inputs and of its output."""
    shapes = {
        "input_type_shape": [{"float": shape} for shape in inputs],
        "output_type_shape": [{"float": output}],
    }
    return entry | {"args": entry["args"] | shapes}


CONV = with_shapes(HOST[1], [[1, 3, 8, 8], [4, 3, 3, 3]], [1, 4, 6, 6])
CONV_FLOPS = 2 * 4 * 36 * 27


@pytest.mark.slow
def test_shapes_and_rates_are_those_of_the_file_and_unknown_without_shapes(repository, store):
    found = find_node_operators(repository, store(HOST[0], CONV, *HOST[2:]))
    first, *others = node_operators_mapping(found)["ops"]
    assert first["shapes"] == [{"dims": [[1, 3, 8, 8], [4, 3, 3, 3]], "calls": 1}]
    assert first["flops"] == CONV_FLOPS
    assert first["flop_rate"] == pytest.approx(CONV_FLOPS / 30e-6)
    assert [row["flop_rate"] for row in others] == [None, None]
    assert [row["shapes"] for row in others] == [[{"dims": None, "calls": 1}]] * 2
    plain = node_operators_mapping(find_node_operators(repository, store(*HOST)))
    assert [row["shapes"] for row in plain["ops"]] == [None] * 3


@pytest.mark.slow
def test_the_page_shows_shapes_and_rates(repository, store):
    data = RunDataCache(repository).get(store(HOST[0], CONV, *HOST[2:]), "robust", {})
    grid = OPERATORS.make(data, RunState()).body.children[0]
    shown = {column["field"] for column in grid.columnDefs if not column.get("hide")}
    assert {"shapes", "flop_rate"} <= shown
    assert grid.rowData[0]["shapes"] == "[1,3,8,8] [4,3,3,3] (1)"
    assert grid.rowData[0]["flop_rate"] == pytest.approx(CONV_FLOPS / 30e-6)


@pytest.mark.slow
def test_the_busy_share_names_its_base(repository, store):
    host = RunDataCache(repository).get(store(*HOST), "robust", {})
    assert strip_scopes(host, "robust")["busy_share"] == "whole profile"
    device = RunDataCache(repository).get(store(*HOST, *DEVICE), "robust", {})
    assert strip_scopes(device, "robust")["busy_share"] != "whole profile"


@pytest.mark.slow
def test_runs_are_unknown_in_a_file_without_a_run(repository, store):
    assert find_node_operators(repository, store(*HOST[1:])).runs is None


def test_time_of_nodes_outside_of_all_runs_is_summed(repository, store):
    late = (node("Conv", 200, 30), span("Session", "model_run", 300, 10))
    assert find_node_operators(repository, store(*HOST, *late)).outside_ns == 30_000
    assert find_node_operators(repository, store(*HOST)).outside_ns == 0
    assert find_node_operators(repository, store(*HOST[1:])).outside_ns == 0


def test_time_on_devices_is_apart_from_time_on_the_host(repository, store):
    result = node_operators_mapping(find_node_operators(repository, store(*HOST, *DEVICE)))
    first = result["ops"][0]
    assert (first["name"], first["self_device"], first["device_spans"]) == ("Conv", 60_000, 1)
    assert first["self_cpu"] == 30_000
    assert result["unattributed"] == {"spans": 1, "device": 20_000}


@pytest.mark.slow
def test_nodes_on_the_host_are_no_device(repository, store):
    host = find_breakdown(repository, store(*HOST))
    assert (host.devices, host.unknown) == ([], ("no_device",))
    device = find_breakdown(repository, store(*HOST, *DEVICE))
    assert [split.window.busy for split in device.devices] == [80_000]


def test_command_memory_refuses_a_profile_without_memory_events(store, tmp_path):
    run_id = store(*HOST)
    refusal = refused(run("memory", run_id, "--data", tmp_path / "data"))
    assert "no peaks of devices" in refusal.replace("\n", " ")


@pytest.mark.slow
def test_the_page_and_the_command_begin_with_the_same_sentence(repository, store, tmp_path):
    run_id = store(*HOST)
    command = json.loads(good(run("ops", run_id, "--data", tmp_path / "data", "--json")))
    data = RunDataCache(repository).get(run_id, "robust", {})
    assert command["sentence"].startswith("Conv 60 % of 50.0")
    assert first_sentence(data, RunState()) == command["sentence"]
    first, heading, *rows = good(run("ops", run_id, "--data", tmp_path / "data")).splitlines()
    assert first == command["sentence"]
    assert heading.split()[-2:] == ["nodes", "operator"]
    assert [row.split()[-1] for row in rows] == ["Conv", "Loop", "Add"]


def test_a_run_of_an_older_release_is_to_be_ingested_again(monkeypatch, request, tmp_path):
    load = OnnxRuntimeLoader.load

    def load_as_before(*args):
        loaded = load(*args)
        del loaded.frames["operators"]
        return loaded

    monkeypatch.setattr(OnnxRuntimeLoader, "load", load_as_before)
    stored = request.getfixturevalue("store")
    run_id = stored(*HOST)
    assert "ingest its file again" in refused(run("ops", run_id, "--data", tmp_path / "data"))
