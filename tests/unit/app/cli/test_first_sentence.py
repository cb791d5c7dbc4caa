"""Commands about devices begin with the sentence of their JSON, which the page has too."""

import json

import pytest

from app.cli.common import printable
from app.views.run_words import first_sentence
from app.views.state import RunState
from ingest.files import ingest
from samples.torch_memory import write_snapshot
from services.run.data_cache import RunDataCache
from tests.support.command_line import good, run
from tests.support.kineto_trace import kernel, operator, two_steps, write_trace

MEMORY = {"Device Type": 1, "Device Id": 0, "Total Allocated": 4096, "Total Reserved": 8192}


@pytest.fixture
def ask(settings, samples, tmp_path):
    """Return a function that ingests one of some files and gives the JSON and the lines of a command."""

    def write(name):
        match name:
            case "trace":
                event = {
                    "ph": "i",
                    "name": "[memory]",
                    "pid": 1,
                    "tid": 1,
                    "ts": 1200,
                    "args": MEMORY,
                }
                rank = {"distributedInfo": {"rank": 0, "world_size": 2}}
                return write_trace(tmp_path, [*two_steps(), event], **rank)
            case "host":
                return write_trace(tmp_path, [operator("aten::mm", 0, 5)])
            case "device":
                return write_trace(tmp_path, [kernel("gemm", 0, 5)])
            case "snapshot":
                return write_snapshot(tmp_path)
        return samples / name

    def asked(command, name):
        (found,) = ingest(settings.repository(), [write(name)], {}).runs[:1]
        record = json.loads(good(run(command, found.run_id, "--json", "--data", settings.data)))
        return found.run_id, record, good(run(command, found.run_id, "--data", settings.data))

    return asked


@pytest.mark.parametrize(
    ("command", "name"),
    [
        *((command, "trace") for command in ("breakdown", "idle", "ops", "memory", "ranks")),
        *((command, "host") for command in ("breakdown", "idle", "ops", "memory")),
        *((command, "device") for command in ("breakdown", "idle", "ops", "memory")),
        *(("memory", name) for name in ("snapshot", "xla/two_layers")),
        *((command, "onnxruntime") for command in ("breakdown", "idle", "ops")),
    ],
)
def test_text_begins_with_the_sentence_of_the_json(ask, command, name):
    _, record, text = ask(command, name)
    assert record["sentence"]
    assert text.splitlines()[0] == printable(record["sentence"])


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("breakdown", "trace"),
        ("memory", "trace"),
        ("memory", "snapshot"),
        ("memory", "xla/two_layers"),
        ("ops", "onnxruntime"),
    ],
)
def test_the_page_begins_with_the_sentence_of_the_command(ask, settings, command, name):
    run_id, record, _ = ask(command, name)
    data = RunDataCache(settings.repository()).get(run_id, "robust", {})
    assert record["sentence"] in first_sentence(data, RunState())


@pytest.mark.parametrize("command", ["breakdown", "idle"])
def test_text_names_devices_as_the_page_does(ask, command):
    _, record, text = ask(command, "trace")
    names = [f"GPU {device['device']}" for device in record["devices"]]
    assert names
    lines = text.splitlines()
    assert all(any(line.startswith(f"{name}: ") for line in lines) for name in names)
    assert not any(line.startswith("device ") for line in lines)
