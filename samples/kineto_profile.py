"""A torch.profiler trace of a small training, written without torch: four steps on one GPU.

A step copies a batch to the device on a separate stream, runs two layers forward and backward, and
updates the weights. The host runs ahead of the device; the first step takes longer because it
compiles. The trace also has samples of the allocator.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_BASE_NS = 1_792_000_000_000_000_000
# Not whole microseconds: a reader that computes with floats loses the last digits.
_BEGIN_NS = 86_400_000_123_457
_PID = 4242
_HOST, _BACKWARD = 4242, 4300
_COMPUTE, _COPY = 7, 20
_STEPS = 4
_BATCH_BYTES = 1 << 20
_LAYERS = {"aten::linear": 4 << 20, "aten::relu": 1 << 20}
_KERNELS = {
    "aten::linear": "ampere_sgemm_128x64_tn",
    "aten::relu": "void at::native::vectorized_elementwise_kernel<4, relu_kernel(float)>(int, float)",
    "AddmmBackward0": "ampere_sgemm_128x64_nt",
    "ReluBackward0": "void at::native::vectorized_elementwise_kernel<4, threshold_kernel(float)>(int, float)",
    "Optimizer.step#SGD.step": "void at::native::multi_tensor_apply_kernel<sgd>(float*, float)",
}


@dataclass
class _Trace:
    """The entries so far, and the state of host, streams and allocator.

    `now` is the host's time in ns, `free` the time in ns at which each stream becomes free,
    `allocated` the bytes that the allocator has given out.
    """

    random: random.Random
    now: int = _BEGIN_NS
    free: dict[int, int] = field(default_factory=dict)
    entries: list[dict[str, object]] = field(default_factory=list)
    calls: int = 0
    allocated: int = 0

    def span(
        self, category: str, name: str, thread: int, start: int, end: int, **arguments: object
    ) -> None:
        entry = {"ph": "X", "cat": category, "name": name, "pid": _PID, "tid": thread}
        self.entries.append(
            entry | {"ts": _Micro(start), "dur": _Micro(end - start), "args": arguments}
        )

    def launch(
        self, name: str, thread: int, call: str, stream: int, ns: int, **arguments: object
    ) -> None:
        """Add a launch by the host and its execution for `ns`, after earlier work of the stream."""
        self.calls += 1
        begin = self.now
        self.now += self.random.randrange(4_000, 6_000)
        self.span("cuda_runtime", call, thread, begin, self.now, correlation=self.calls)
        start = max(self.now + 1_500, self.free.get(stream, 0))
        self.free[stream] = start + ns
        category = "kernel" if stream == _COMPUTE else "gpu_memcpy"
        where = {"device": 0, "context": 1, "stream": stream, "correlation": self.calls}
        entry = {"ph": "X", "cat": category, "name": name, "pid": 0, "tid": stream}
        self.entries.append(
            entry | {"ts": _Micro(start), "dur": _Micro(ns), "args": where | arguments}
        )

    def allocate(self, size: int) -> None:
        self.allocated += size
        arguments = {
            "Total Reserved": 64 << 20,
            "Total Allocated": self.allocated,
            "Bytes": size,
            "Addr": 0x7F00_0000_0000,
            # CUDA; 0 is the CPU and 6 is HIP.
            "Device Type": 1,
            "Device Id": 0,
        }
        mark = {
            "ph": "i",
            "cat": "cpu_instant_event",
            "s": "t",
            "name": "[memory]",
            "pid": _PID,
            "tid": _HOST,
        }
        self.entries.append(mark | {"ts": _Micro(self.now), "args": arguments})


# json writes a float by its repr, and a plain float would lose digits of nanoseconds.
class _Micro(float):
    """Nanoseconds that json writes as microseconds with three decimals."""

    def __new__(cls, ns: int) -> _Micro:
        number = super().__new__(cls, ns / 1000)
        number.ns = ns
        return number

    ns: int

    def __repr__(self) -> str:
        return f"{self.ns // 1000}.{self.ns % 1000:03d}"


def _operator(trace: _Trace, name: str, thread: int, ns: int) -> None:
    """Run an operator that launches a kernel of `ns` nanoseconds."""
    begin = trace.now
    trace.now += 3_000
    trace.launch(_KERNELS[name], thread, "cudaLaunchKernel", _COMPUTE, ns)
    trace.now += 2_000
    trace.span("cpu_op", name, thread, begin, trace.now)


def _step(trace: _Trace, number: int) -> None:
    begin = trace.now
    copied = trace.now
    trace.launch(
        "Memcpy HtoD (Pinned -> Device)",
        _HOST,
        "cudaMemcpyAsync",
        _COPY,
        90_000,
        bytes=_BATCH_BYTES,
    )
    trace.span("cpu_op", "aten::to", _HOST, copied, trace.now)
    if not number:
        trace.span(
            "python_function",
            "torch/_inductor/codecache.py(42): load",
            _HOST,
            trace.now,
            trace.now + 900_000,
        )
        trace.now += 900_000
    forward = trace.now
    for name, size in _LAYERS.items():
        trace.allocate(size)
        _operator(trace, name, _HOST, 40_000 + size // 64 + trace.random.randrange(2_000))
    trace.span("user_annotation", "forward", _HOST, forward, trace.now)
    for name, size in zip(
        ("ReluBackward0", "AddmmBackward0"), reversed(_LAYERS.values()), strict=True
    ):
        _operator(trace, name, _BACKWARD, 60_000 + size // 48 + trace.random.randrange(2_000))
        trace.allocate(-size)
    _operator(trace, "Optimizer.step#SGD.step", _HOST, 55_000)
    waited = trace.now
    trace.now = max(trace.now, *trace.free.values()) + 5_000
    # Real traces have correlation 0 for several calls that launch nothing.
    trace.span("cuda_runtime", "cudaStreamSynchronize", _HOST, waited, trace.now, correlation=0)
    trace.span("user_annotation", f"ProfilerStep#{number}", _HOST, begin, trace.now)


def _metadata() -> Iterator[dict[str, object]]:
    for pid, tid, kind, arguments in (
        (_PID, 0, "process_name", {"name": "python"}),
        (_PID, 0, "process_labels", {"labels": "CPU"}),
        (0, 0, "process_labels", {"labels": "GPU 0"}),
        (_PID, _HOST, "thread_name", {"name": f"thread {_HOST} (python)"}),
        (_PID, _BACKWARD, "thread_name", {"name": f"thread {_BACKWARD} (pt_autograd_0)"}),
    ):
        yield {
            "ph": "M",
            "name": kind,
            "pid": pid,
            "tid": tid,
            "ts": _Micro(_BEGIN_NS),
            "args": arguments,
        }


def write_profile(folder: Path) -> Path:
    """Write the trace into the folder; return its path."""
    trace = _Trace(random.Random(7))  # noqa: S311 - a sample, no secret
    for number in range(_STEPS):
        _step(trace, number)
    device = {
        "id": 0,
        "name": "NVIDIA A100-SXM4-40GB",
        "totalGlobalMem": 42_505_273_344,
        "numSms": 108,
    }
    header = json.dumps(
        {"schemaVersion": 1, "deviceProperties": [device], "baseTimeNanoseconds": _BASE_NS},
        indent=2,
    )
    lines = ",\n".join(json.dumps(entry) for entry in [*_metadata(), *trace.entries])
    text = f'{header.removesuffix("}").rstrip()},\n  "traceEvents": [\n{lines}\n],\n"traceName": "training"}}\n'
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "training.pt.trace.json.gz"
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    return path
