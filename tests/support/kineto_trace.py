"""Entries of torch.profiler traces, times in microseconds, and the run that they are read as."""

import json

from data_loaders.kineto.trace import KinetoLoader

HOST = (1, 1)


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
    """Return a call that launches what has the same correlation."""
    return span("cuda_runtime", name, ts, dur, on, correlation=correlation)


def operator(name, ts, dur, on=HOST, **args):
    """Return an operator of the framework."""
    return span("cpu_op", name, ts, dur, on, **args)


def step(number, ts, dur):
    """Return the marker of a step."""
    return span("user_annotation", f"ProfilerStep#{number}", ts, dur)


def load_trace(folder, entries, **header):
    """Write a trace and return the run that the loader makes of it."""
    path = folder / "a.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1} | header | {"traceEvents": entries}))
    return KinetoLoader().load(path, {})
