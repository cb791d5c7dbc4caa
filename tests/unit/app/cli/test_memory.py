"""`memory`: peaks of the devices of a snapshot and of a trace, and runs that have none."""

import json

import pytest

from ingest.files import ingest
from samples.torch_memory import write_snapshot
from services.run.device_memory import device_memory_mapping, find_device_memory
from tests.support.command_line import good, refused, run
from tests.support.kineto_trace import kernel, operator

PROBLEM = "id,lower,upper,size\na,0,2,64\nb,1,3,32\n"


@pytest.fixture
def ask(settings, tmp_path):
    """Return a function that ingests a file and gives id and output of the command."""

    def asked(path, *options, **overrides):
        repository = settings.repository()
        (found,) = ingest(repository, [path], overrides).runs
        return found.run_id, run("memory", found.run_id, *options, "--data", settings.data)

    return asked


def write_trace(folder, *entries):
    path = folder / "a.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [kernel("k", 1, 1), *entries]}))
    return path


def sample(at, size):
    args = {"Device Type": 1, "Device Id": 0, "Total Allocated": size, "Total Reserved": 0}
    return {"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": at, "args": args}


@pytest.mark.slow
def test_json_of_a_snapshot_is_that_of_the_service(ask, settings, tmp_path):
    run_id, result = ask(write_snapshot(tmp_path), "--json")
    found = json.loads(good(result))
    sentence = found.pop("sentence")
    service = find_device_memory(settings.repository(), run_id)
    assert found == device_memory_mapping(service)
    assert found["said"] == ["no_device_total"]
    (device,) = found["devices"]
    assert device["capacity"] is None and device["device_total"] is None
    assert [request["asked"] > request["device_free"] for request in device["oom"]] == [True]
    assert sentence.startswith("Out of memory")


@pytest.mark.slow
def test_a_capacity_of_a_setting_is_not_that_of_the_file(ask, tmp_path):
    _, result = ask(write_snapshot(tmp_path), "--json", capacity="1GiB")
    (device,) = json.loads(good(result))["devices"]
    assert (device["capacity"], device["device_total"]) == (2**30, None)


@pytest.mark.slow
def test_json_of_a_trace_has_the_operator_of_the_peak(ask, tmp_path):
    path = write_trace(tmp_path, operator("aten::empty", 2, 9), sample(5, 70), sample(8, 30))
    _, result = ask(path, "--json")
    assert json.loads(good(result))["devices"] == [
        {
            "device": "cuda:0",
            "samples": 2,
            "peak_allocated": 70,
            "peak_reserved": None,
            "end_allocated": 30,
            "device_total": None,
            "relative": False,
            "op": "aten::empty",
            "python": None,
        }
    ]


def test_a_trace_without_memory_events_says_so(ask, tmp_path):
    _, result = ask(write_trace(tmp_path), "--json")
    found = json.loads(good(result))
    assert (found["devices"], found["said"]) == ([], ["no_memory"])


@pytest.mark.slow
def test_text_has_a_line_per_device(ask, tmp_path):
    _, result = ask(write_trace(tmp_path, sample(5, 2048)))
    _, heading, line = good(result).splitlines()
    assert heading.split()[-1] == "device"
    assert line.split()[:2] == ["2.00", "KiB"] and line.split()[-1] == "cuda:0"


def test_other_runs_are_refused(ask, tmp_path):
    path = tmp_path / "p.128.csv"
    path.write_text(PROBLEM)
    _, result = ask(path)
    assert "PyTorch" in refused(result)
