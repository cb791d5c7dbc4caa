"""Which runs have the memory of devices, and what older releases did not record."""

import json

import pandas as pd
import pytest

from analysis.memory.device_memory import device_memory
from ingest.files import ingest
from samples.torch_memory import write_snapshot
from schema.frames import complete
from services.run.device_memory import find_device_memory, read_device_memory
from tests.support.kineto_trace import kernel
from tests.support.torch_snapshots import alloc, read


def stored(source, **frames):
    """Return frames of a run as they are stored."""
    return frames | {"run": pd.DataFrame({"source": [source]})}


def test_a_trace_without_memory_events_has_no_devices(repository, tmp_path):
    path = tmp_path / "a.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [kernel("k", 1, 1)]}))
    (run,) = ingest(repository, [path], {}).runs
    found = find_device_memory(repository, run.run_id)
    assert not len(found.devices)
    assert (found.unknown, found.is_snapshot) == (("no_memory",), False)


@pytest.mark.slow
def test_a_snapshot_has_devices_and_failures(repository, tmp_path):
    (run,) = ingest(repository, [write_snapshot(tmp_path)], {}).runs
    found = find_device_memory(repository, run.run_id)
    assert found.is_snapshot
    assert found.devices["device"].tolist() == ["cuda:0"]
    assert len(found.failures) == 1


def test_no_history_has_a_code():
    frames = read([], [alloc(0, 1)]).frames
    assert device_memory(frames).unknown == ("no_device_total",)
    frames["device_memory"] = frames["device_memory"].assign(entries=0)
    assert device_memory(frames).unknown == ("no_device_total", "no_history")


@pytest.mark.parametrize(
    ("source", "frames"),
    [
        ("torch_snapshot", {"attempts": complete("attempts", {"attempt": [0]})}),
        (
            "kineto",
            {
                "counters": complete(
                    "counters", {"track": ["cuda:0"], "name": ["cuda:0 allocated"], "value": [1.0]}
                )
            },
        ),
    ],
)
def test_a_run_of_an_older_release_is_to_be_read_again(source, frames):
    with pytest.raises(ValueError, match="ingest"):
        read_device_memory(stored(source, **frames))


def test_other_sources_are_refused():
    with pytest.raises(ValueError, match="PyTorch"):
        read_device_memory(stored("onnxruntime"))
