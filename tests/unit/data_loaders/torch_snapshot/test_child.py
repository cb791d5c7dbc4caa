"""The process that reads snapshots holds objects, columns and pandas one after the other."""

import pickle
import subprocess
import sys

import pandas as pd

from data_loaders.torch_snapshot import traces
from data_loaders.torch_snapshot.call_stacks import CallStacks
from data_loaders.torch_snapshot.child import read_run
from data_loaders.torch_snapshot.left_out import LeftOut
from data_loaders.torch_snapshot.traces import read_trace
from tests.support.torch_snapshots import alloc, freed

TRACE = [
    step for rank in range(5) for step in (alloc(rank * 512, 512, rank), freed(rank * 512, 512))
]


def content(*device_traces):
    return [pickle.dumps({"segments": [], "device_traces": [*device_traces]}, 4)]


def test_pandas_is_imported_after_the_file_is_unpickled():
    check = (
        "import sys, data_loaders.torch_snapshot.child; "
        "print(sorted({'pandas', 'pyarrow'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_entries_are_freed_as_they_are_read():
    entries = [*TRACE]
    trace = read_trace(0, entries, CallStacks(), LeftOut())
    assert trace.readable == len(TRACE)
    assert entries == [None] * len(TRACE)


def test_bytes_are_taken_from_the_list():
    contents = content(TRACE)
    read_run(contents)
    assert contents == []


def test_parts_of_a_trace_join_as_one(monkeypatch):
    odd = [{"action": 5}, {**alloc(0, 512), "time_us": -1}]
    whole = read_run(content(TRACE + odd))
    monkeypatch.setattr(traces, "_ENTRIES_PER_PART", 3)
    parted = read_run(content(TRACE + odd))
    assert parted.findings == whole.findings
    for name, frame in whole.frames.items():
        pd.testing.assert_frame_equal(parted.frames[name], frame)


def test_list_of_two_devices_is_read_for_both():
    shared = [*TRACE]
    frames = read_run(content(shared, shared)).frames
    copied = read_run(content(shared, [dict(step) for step in shared])).frames
    assert len(frames["allocations"]) == 10
    for name, frame in copied.items():
        pd.testing.assert_frame_equal(frames[name], frame)
