"""Ingest large profiles of PyTorch and ONNX Runtime: `python -m benchmarks.large_entries`.

The ingest is compared with a program as users write it: `json.load` or `pickle.load`, a table of
all entries, and sums of kernels by name or of live bytes over time. Both are whole processes on the
same file, run in turn.
"""

from __future__ import annotations

import json
import pickle
import random
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

from benchmarks.ingest import ROOT
from benchmarks.measure import measure
from benchmarks.report import check, note

_KERNELS = 100_000
_NODES = 200_000
_ALLOCATIONS = 500_000
_ANNOTATIONS = 5_000
_TURNS = 3
_SUM_KERNELS = """
import json, sys, pandas as pd
with open(sys.argv[1]) as file:
    entries = json.load(file)
frame = pd.DataFrame(entries["traceEvents"] if isinstance(entries, dict) else entries)
frame[["ts", "dur"]] = frame[["ts", "dur"]].astype(float)
print(len(frame.groupby(["cat", "name"])["dur"].agg(["sum", "count", "mean"])))
"""
_SUM_BYTES = """
import pickle, sys
with open(sys.argv[1], "rb") as file:
    snapshot = pickle.load(file)
alive, live, peak = {}, 0, 0
for entry in snapshot["device_traces"][0]:
    if entry["action"] == "alloc":
        alive[entry["addr"]] = entry["size"]
        live += entry["size"]
        peak = max(peak, live)
    elif entry["action"] == "free_completed":
        live -= alive.pop(entry["addr"], 0)
print(peak)
"""


def write_kineto(path: Path, kernels: int = _KERNELS) -> None:
    """Write a trace of a host thread that launches kernels on two streams, three entries each."""
    chance = random.Random(7)  # noqa: S311 - no secret
    entries: list[dict[str, object]] = []
    begin = 0.0
    for number in range(kernels):
        took = chance.uniform(2, 40)
        name = f"void at::native::elementwise_kernel<{number % 60}, float>(int, float*)"
        host = {"pid": 1, "tid": 1, "ts": round(begin, 3)}
        entries += [
            {"ph": "X", "cat": "cpu_op", "name": f"aten::op_{number % 40}", **host, "dur": 4.0, "args": {}},
            {
                "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", **host, "dur": 2.0,
                "args": {"correlation": number},
            },
            {
                "ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7 + number % 2,
                "ts": round(begin + 5, 3), "dur": round(took, 3),
                "args": {"device": 0, "stream": 7 + number % 2, "correlation": number, "grid": [number % 99, 1, 1]},
            },
        ]  # fmt: skip
        begin += took / 2 + 6
    path.write_text(
        json.dumps({"schemaVersion": 1, "baseTimeNanoseconds": 0, "traceEvents": entries})
    )


def write_onnx(path: Path) -> None:
    """Write a profile of runs of a model with a hundred nodes."""
    chance = random.Random(8)  # noqa: S311 - no secret
    begin = 0
    entries: list[dict[str, object]] = []
    for number in range(_NODES):
        took = chance.randrange(3, 400)
        args = {
            "op_name": f"Op{number % 20}",
            "provider": "CPUExecutionProvider",
            "node_index": str(number % 100),
        }
        name = f"node_{number % 100}_kernel_time"
        entry = {
            "cat": "Node",
            "pid": 1,
            "tid": 1,
            "dur": took,
            "ts": begin,
            "ph": "X",
            "name": name,
            "args": args,
        }
        entries.append(entry)
        if number % 100 == 99:
            first = int(str(entries[-100]["ts"]))
            # ONNX Runtime writes the span of a run when the run ends, thus after its nodes.
            run = {
                "cat": "Session",
                "pid": 1,
                "tid": 1,
                "dur": begin + took - first,
                "ts": first,
                "ph": "X",
            }
            entries.append(run | {"name": "model_run", "args": {}})
        begin += took
    path.write_text(json.dumps(entries))


def write_snapshot(path: Path, allocations: int = _ALLOCATIONS) -> None:
    """Write an allocator's snapshot: blocks are freed in random order; it has annotations."""
    chance = random.Random(9)  # noqa: S311 - no secret
    frames = [
        [{"name": "forward", "filename": "/home/user/model.py", "line": line}]
        for line in range(200)
    ]
    entries: list[dict[str, object]] = []
    alive: list[tuple[int, int]] = []
    for number in range(allocations):
        block = 0x7F00_0000_0000 + 4096 * number, chance.randrange(1, 8) * 512
        alive.append(block)
        actions = [("alloc", block)]
        if len(alive) >= 2_000:
            actions.append(("free_completed", alive.pop(chance.randrange(len(alive)))))
        for action, (address, size) in actions:
            entry = {
                "action": action,
                "addr": address,
                "size": size,
                "stream": 0,
                "time_us": 1_000 + number,
            }
            entries.append(entry | {"frames": frames[number % 200]})
    marks = [
        {
            "name": f"step {number // 2}",
            "stage": ("START", "END")[number % 2],
            "device": 0,
            "time_us": at,
        }
        for number, at in enumerate(range(1_000, 1_000 + allocations, allocations // _ANNOTATIONS))
    ]
    snapshot = {"segments": [], "device_traces": [entries], "external_annotations": marks}
    path.write_bytes(pickle.dumps(snapshot, protocol=2))


FILES: Mapping[str, tuple[str, Callable[[Path], None], str]] = {
    f"Kineto, {3 * _KERNELS:,} entries": ("large.pt.trace.json", write_kineto, _SUM_KERNELS),
    f"ONNX Runtime, {_NODES:,} nodes": ("onnxruntime_profile_large.json", write_onnx, _SUM_KERNELS),
    f"PyTorch snapshot, {2 * _ALLOCATIONS:,} entries": ("large.pickle", write_snapshot, _SUM_BYTES),
}
"""Name of the measurement -> name of the file, function that writes it, program for comparison."""
_MAX_TIME_RATIO = {"Kineto": 2.5, "ONNX": 2.5, "PyTorch": 6.0}
"""Source -> maximum ratio of processor times."""
_MAX_MEMORY_RATIO = 1.0
"""Maximum ratio of peak memory."""


def main() -> None:
    """Print processor time and peak memory of an ingest against the program's."""
    with tempfile.TemporaryDirectory(prefix="tilescope-benchmark-") as folder:
        for what, (name, write, program) in FILES.items():
            path = Path(folder) / name
            write(path)
            ours = []
            theirs = []
            for turn in range(_TURNS):
                store = Path(folder) / f"{path.stem}-{turn}"
                ours.append(
                    measure(
                        [sys.executable, "-m", "app", "ingest", str(path), "--data", str(store)],
                        ROOT,
                    )
                )
                theirs.append(measure([sys.executable, "-c", program, str(path)], ROOT))
            note(f"{what}: {path.stat().st_size / 1e6:.0f} MB")
            for field, words in (("cpu_s", "processor time"), ("peak_mib", "peak memory")):
                mine, other = (
                    median(getattr(usage, field) for usage in usages) for usages in (ours, theirs)
                )
                limit = (
                    _MAX_MEMORY_RATIO
                    if field == "peak_mib"
                    else _MAX_TIME_RATIO[what.split(maxsplit=1)[0].strip(",")]
                )
                note(f"{what}, {words}: {mine:.3g} against {other:.3g}")
                check(
                    f"{what}, {words} of an ingest against a table of all entries",
                    mine / other,
                    limit,
                    "x",
                )


if __name__ == "__main__":
    main()
