"""Entries of torch.profiler traces, times in microseconds, and the run that they are read as."""

import json

from data_loaders.kineto.trace import KinetoLoader
from ingest.files import ingest
from services.run.data_cache import RunDataCache

HOST = (1, 1)
RESOURCES = {
    "grid": [4, 2, 1],
    "block": [64, 1, 1],
    "registers per thread": 32,
    "shared memory": 1024,
    "est. achieved occupancy %": 37.5,
}
"""Arguments of a kernel's span: its launch configuration."""


def span(cat, name, ts, dur, on=HOST, **args):
    """Return a span on a process and a thread."""
    return {
        "ph": "X",
        "cat": cat,
        "name": name,
        "pid": on[0],
        "tid": on[1],
        "ts": ts,
        "dur": dur,
        "args": args,
    }


def kernel(name, ts, dur, correlation=0, *, stream=7, device=0, cat="kernel", **args):
    """Return a span on a stream of a device."""
    numbers = {"device": device, "stream": stream, "correlation": correlation}
    return span(cat, name, ts, dur, (device, stream), **numbers, **args)


def call(ts, correlation, dur=1, name="cudaLaunchKernel", on=HOST):
    """Build the host's call (times in µs) that launches the execution with the same correlation."""
    return span("cuda_runtime", name, ts, dur, on, correlation=correlation)


def operator(name, ts, dur, on=HOST, **args):
    """Return an operator of the framework."""
    return span("cpu_op", name, ts, dur, on, **args)


def step(number, ts, dur):
    """Return the marker of a step."""
    return span("user_annotation", f"ProfilerStep#{number}", ts, dur)


def load_trace(folder, entries, **header):
    """Write a trace into a folder and load it; return the loader's run."""
    return KinetoLoader().load(write_trace(folder, entries, **header), {})


def write_trace(folder, entries, **header):
    """Write a trace into a new folder and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "a.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1} | header | {"traceEvents": entries}))
    return path


def trace_data(repository, folder, entries):
    """Ingest a trace and return the data of its run's page."""
    run = ingest(repository, [write_trace(folder / "trace", entries)], {}).runs[0]
    return RunDataCache(repository).get(run.run_id, "robust", {})


def two_steps():
    """List the entries of a training: two steps with two launched kernels and a collective each."""
    entries = []
    for number in (1, 2):
        begin = 1000 * number
        entries += [
            step(number, begin, 1000),
            operator("aten::mm", begin + 100, 50, **{"Input Dims": [[8, 8], [8, 8]]}),
            span("python_function", "train.py(7): forward", begin + 90, 200),
            call(begin + 110, 10 * number),
            kernel("gemm", begin + 200, 300, 10 * number, **RESOURCES),
            operator("nccl:all_reduce", begin + 160, 40),
            call(begin + 170, 10 * number + 1),
            kernel("ncclAllReduce", begin + 500, 100, 10 * number + 1, stream=8),
        ]
    return entries
