"""Damaged traces: cut, with other bytes, or with values of other types. None may raise but LoadError."""

import json

import pandas as pd
import pytest

from analysis.kernels.collectives import communication_spans
from analysis.kernels.headline import profile_headline
from data_loaders.kineto.trace import KinetoLoader
from data_loaders.protocol import LoadError
from schema.frames import conform
from services.run.breakdown import breakdown, breakdown_mapping
from tests.support.kineto_trace import call, kernel, operator, span, step

PLACES = 23
"""Number of places of the file that are damaged, one after the other."""
VALUES = (
    *(None, True, -1, 2**31, 2**61, 2**63, -(2**63), 10**30, 1.5, -1e308),
    *("", "12", "-5", "1e9", "[TP00] 1", "\ud800", [], [1], [[[]]], {}, {"a": 1}),
)
"""Values that replace a value of the trace."""


def entries():
    """Return entries of every kind that the loader reads, some with impossible times."""
    memory = {"Device Type": 1, "Device Id": 0, "Total Allocated": 10, "Bytes": 1}
    return [
        {"ph": "M", "name": "process_labels", "pid": 0, "tid": 0, "args": {"labels": "GPU 0"}},
        {"ph": "M", "name": "process_name", "pid": 5, "tid": 0, "args": {"name": "python"}},
        step(1, 0, 500),
        step(2, 500, 400),
        operator("aten::mm", 1, 50, **{"External id": 3, "Input Dims": [[2, 3], []]}),
        span("python_function", "model.py(3): forward", 0, 100),
        call(5, 1),
        call(15, 2, name="cudaGraphLaunch"),
        call(400, 3),
        call(420, 9),
        kernel("gemm", 20, 900, 1, grid=[1, 2, 3], **{"External id": 3}),
        kernel("gemm", 100, 10, 1),
        kernel("early", -2000, 10, 3),
        kernel("ncclAllReduce", 150, 10, 2, stream=20, **{"Process Group Name": "tp"}),
        kernel("Memcpy HtoD", 170, 10, 2, cat="gpu_memcpy", bytes=4000),
        {**kernel("gemm", 30, 10, 1), "pid": "[TP01] 0"},
        span("mystery", "m", 10, 5, (0, 9)),
        span("cuda_profiler_range", "r", 10, 5, (0, 9), metric=5.5),
        {"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": 30, "args": memory},
        {"ph": "C", "name": "busy", "pid": 0, "ts": 40, "args": {"a": 1, "b": "2.5"}},
    ]


def trace(listed):
    header = {"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 2}}
    return header | {"traceEvents": listed}


TEXT = json.dumps(trace(entries())).encode()


def slots(value, path=()):
    """Yield the path of every value inside of a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from slots(inner, (*path, key))


def replaced(path, value):
    """Return the file with one value replaced."""
    whole = trace(entries())
    holder = whole
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return json.dumps(whole).encode("utf-8", "surrogatepass")


def read(folder, content):
    """Read a file and what pages and commands compute of it; return whether it was accepted."""
    path = folder / "a.json"
    path.write_bytes(content)
    loader = KinetoLoader()
    loader.sniff(path, content)
    try:
        frames = loader.load(path, {}).frames
    except LoadError as error:
        assert str(path) in str(error)
        return False
    for name, frame in frames.items():
        conform(name, frame)
    profile_headline(frames)
    run = pd.DataFrame({"source": ["kineto"]})
    json.dumps(breakdown_mapping(breakdown({**frames, "run": run})))
    communication_spans(frames["kernels"])
    return True


@pytest.mark.filterwarnings("error")
class TestDamage:
    def test_the_whole_file_is_accepted(self, tmp_path):
        assert read(tmp_path, TEXT)

    @pytest.mark.slow
    def test_cut_files(self, tmp_path):
        for place in range(0, len(TEXT), len(TEXT) // PLACES):
            read(tmp_path, TEXT[:place])

    @pytest.mark.slow
    @pytest.mark.parametrize("byte", [b'"', b"}", b"\xff"])
    def test_other_bytes(self, tmp_path, byte):
        for place in range(0, len(TEXT), len(TEXT) // PLACES):
            read(tmp_path, TEXT[:place] + byte + TEXT[place + 1 :])

    @pytest.mark.slow
    @pytest.mark.parametrize("shift", [0, 1, 2])
    def test_values_of_other_types(self, tmp_path, shift):
        for number, path in enumerate(slots(trace(entries()))):
            read(tmp_path, replaced(path, VALUES[(number + 7 * shift) % len(VALUES)]))

    @pytest.mark.slow
    @pytest.mark.parametrize("value", [-(2**60), 10**15])
    def test_times_far_apart(self, tmp_path, value):
        for number, entry in enumerate(entries()):
            for key in {"ts", "dur"} & entry.keys():
                read(tmp_path, replaced(("traceEvents", number, key), value))
