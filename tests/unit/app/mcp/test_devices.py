"""Tools about devices give the numbers and sentences of the commands."""

import json

import pytest

from app.config.settings import load_settings
from app.context import AppContext
from app.mcp.calls import call_tool
from ingest.files import ingest
from tests.support.aie_trace import write_capture_file
from tests.support.command_line import good, run
from tests.support.kineto_trace import two_steps, write_trace
from tests.support.tool_calls import call


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A context, its data folder, and the ids of a trace, a profile of ONNX Runtime and a capture."""
    folder = tmp_path_factory.mktemp("files")
    data = tmp_path_factory.mktemp("data")
    context = AppContext.of(load_settings(data=data))
    capture = write_capture_file(folder, setup="npu2-gemm_64_64_64-1_row_1_col")
    paths = [write_trace(folder / "trace", two_steps()), capture]
    ids = [ingest(context.repository, [path], {}).runs[0].run_id for path in paths]
    yield context, data, ids
    context.repository.catalogue.close()


def printed(store, command, run_id):
    return json.loads(good(run(command, run_id, "--json", "--data", store[1])))


def test_time_of_devices_is_that_of_the_command(store):
    result = call(store, "analyse", kind="breakdown", run=store[2][0])
    expected = printed(store, "breakdown", store[2][0])
    assert result["answer"] == expected["sentence"]
    data = result["data"]
    assert (data["step_ns"], data["said"]) == (expected["step_ns"], expected["said"])
    (device,) = expected["devices"]
    steps = device.pop("steps")
    assert data["devices"] == [device]
    assert [{name: step[name] for name in steps[0]} for step in data["steps"]] == steps


def test_reasons_and_gaps_are_those_of_the_command(store):
    data = call(store, "analyse", kind="idle", run=store[2][0])["data"]
    (device,) = printed(store, "idle", store[2][0])["devices"]
    gaps = device.pop("top")
    assert data["devices"] == [device]
    assert [{name: gap[name] for name in gaps[0]} for gap in data["gaps"]] == gaps


def test_operators_come_in_pages(store):
    first = call(store, "analyse", kind="ops", run=store[2][0], limit=1)
    second = call(store, "analyse", kind="ops", run=store[2][0], limit=1, cursor=first["next"])
    expected = printed(store, "ops", store[2][0])
    assert first["data"]["ops"] + second["data"]["ops"] == expected["ops"]
    assert first["data"]["unattributed"] == expected["unattributed"]
    assert second["next"] is None


@pytest.mark.slow
def test_operators_of_onnx_runtime_are_types_of_nodes(store, samples):
    path = samples / "onnxruntime"
    run_id = ingest(store[0].repository, [path], {}).runs[0].run_id
    result = call(store, "analyse", kind="ops", run=run_id)
    expected = printed(store, "ops", run_id)
    assert result["answer"] == expected["sentence"]
    assert result["data"]["ops"] == expected["ops"]


@pytest.mark.parametrize("kind", ["breakdown", "idle", "ops"])
def test_a_run_that_is_no_profile_is_refused(store, kind):
    result = call_tool(store[0], "analyse", {"run": store[2][1], "kind": kind})
    assert result["isError"]
    assert "is not a profile of kernels" in result["content"][0]["text"]
