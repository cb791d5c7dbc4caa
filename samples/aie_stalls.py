"""Write a capture of the pipeline of `samples.aie_design`, its design, and a model's prediction.

The pipeline computes a matrix product: the first core adds up the products of one half of K, the
second core those of the other half. The first core stalls for memory, since its buffers share a
bank; the second one waits for its input meanwhile. All times are cycles and follow from the
constants below.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from samples.aie_design import write_design
from samples.trace_file import trace_text

KERNELS = 24
"""Kernels of each core: one for each tile of the product and iteration."""
GEMM = {"M": 64, "K": 64, "N": 96, "m": 32, "k": 32, "n": 32}
"""Size of the product and of a kernel's tile, in elements; a tile fills a buffer of the design."""
_WARMUP, _ITERATIONS = 1, 3
_FIRST, _SECOND = 1200, 640
"""Time in a kernel of the first core, memory stalls included, and of the second one."""
_TRANSFER = 260
_STALLS = 8
"""Memory stalls of a kernel of the first core."""
_STALL = 14
_REQUEST, _DELAY = 4, 2
"""Cycles from one request of a lock to the next, and from a request to its stall."""
_CORE_SLOTS = (
    "INSTR_EVENT_0",
    "INSTR_EVENT_1",
    "INSTR_VECTOR",
    "MEMORY_STALL",
    "LOCK_STALL",
    "INSTR_LOCK_ACQUIRE_REQ",
    "INSTR_LOCK_RELEASE_REQ",
)
_MEMORY_SLOTS = ("DMA_S2MM_0_FINISHED_BD", "DMA_MM2S_0_FINISHED_BD", "CONFLICT_DM_BANK_1")
_ITER_STEP, _OVERLAP, _COMPUTE, _CYCLES = 1250, 180, 1100, 31_500
"""A model's prediction: it does not know of the stalls."""


@dataclass
class Unit:
    """A traced unit: kind, row, names of its slots, and intervals (slot, begin, end)."""

    kind: str
    row: int
    slots: tuple[str, ...]
    spans: list[tuple[str, int, int]] = field(default_factory=list)

    def add(self, event: str, begin: int, length: int = 1) -> None:
        """Add an interval of an event."""
        self.spans.append((event, begin, begin + length))


def simulate() -> list[Unit]:
    """Simulate both cores; return the units `core 2,0`, `core 3,0` and `mem 2,0`."""
    first = Unit("core", 2, _CORE_SLOTS)
    second = Unit("core", 3, _CORE_SLOTS)
    memory = Unit("mem", 2, _MEMORY_SLOTS)
    first_free = 100
    second_free = 100
    for kernel in range(KERNELS):
        # The input of the first core is always there: a request stalls for a cycle.
        end = _kernel(first, first_free, first_free, _FIRST)
        for stall in range(_STALLS):
            begin = end - _FIRST + 60 + stall * (_FIRST - 120) // _STALLS
            first.add("MEMORY_STALL", begin, _STALL)
            memory.add("CONFLICT_DM_BANK_1", begin, _STALL)
        memory.add("DMA_S2MM_0_FINISHED_BD", end - 300 - kernel % 2)
        memory.add("DMA_MM2S_0_FINISHED_BD", end + _TRANSFER - 20)
        first_free = end + 3 * _REQUEST
        second_end = _kernel(second, second_free, end + _TRANSFER, _SECOND)
        second_free = second_end + 3 * _REQUEST
    return [first, second, memory]


def _kernel(core: Unit, begin: int, granted: int, length: int) -> int:
    """Add a round of a core's program: two acquires, a kernel, two releases; return its end.

    The input is granted at a cycle; before it the core stalls.
    """
    core.add("INSTR_LOCK_ACQUIRE_REQ", begin)
    wait = max(granted - begin - _DELAY, 1)
    core.add("LOCK_STALL", begin + _DELAY, wait)
    output = begin + _DELAY + wait + _REQUEST
    core.add("INSTR_LOCK_ACQUIRE_REQ", output)
    core.add("LOCK_STALL", output + _DELAY)
    start = output + _DELAY + _REQUEST
    core.add("INSTR_EVENT_0", start)
    core.add("INSTR_VECTOR", start + 20, length // 2)
    end = start + length
    core.add("INSTR_EVENT_1", end)
    for rank in range(2):
        request = end + 1 + rank * _REQUEST
        core.add("INSTR_LOCK_RELEASE_REQ", request)
        core.add("LOCK_STALL", request + _DELAY)
    return end


def _lines(units: list[Unit]) -> Iterator[str]:
    """Yield the entries of the trace: names of units and slots, then the level changes by time."""
    for pid, unit in enumerate(units):
        named = {"name": f"{unit.kind}_trace for tile{unit.row},0"}
        yield json.dumps({"name": "process_name", "ph": "M", "pid": pid, "args": named})
        for slot, event in enumerate(unit.slots):
            thread = {"name": "thread_name", "ph": "M", "pid": pid, "tid": slot}
            yield json.dumps({**thread, "args": {"name": event}})
    for pid, unit in enumerate(units):
        changes = [
            (time, phase, event)
            for event, begin, end in unit.spans
            for phase, time in (("B", begin), ("E", end))
        ]
        # An end comes before a begin at the same cycle, as the parser of mlir-aie writes them.
        for time, phase, event in sorted(changes, key=lambda change: (change[0], change[1] == "B")):
            place = {"name": event, "ts": time, "ph": phase, "pid": pid}
            yield json.dumps({**place, "tid": unit.slots.index(event), "args": {}})


def slots_text() -> str:
    """Return the model's file, as KU Leuven's stream writes it."""
    return (
        "totals:\n"
        f"  latency_per_iteration: {_ITER_STEP + _OVERLAP}\n"
        f"  overlap: {_OVERLAP}\n"
        f"  iter_step: {_ITER_STEP}\n"
        f"  total_latency: {_CYCLES}\n"
        "slots:\n"
        "- slot: 0\n"
        f"  slot_latency_cycles: {_ITER_STEP}\n"
        "  compute_contributors:\n"
        "  - name: stage_0\n"
        f"    active_latency: {_COMPUTE}\n"
    )


def write_stalls(folder: Path) -> Path:
    """Write trace, design, model and the host's log into a folder; return the trace's path."""
    write_design(folder)
    (folder / "slot_latency_breakdown.yaml").write_text(slots_text(), "utf-8")
    counts = {"rows": 2, "cols": 1, "warmup": _WARMUP, "iterations": _ITERATIONS}
    index = {"hwid": "npu1", "clock_GHz": 1.25} | GEMM | counts
    (folder / "index.json").write_text(json.dumps(index) + "\n", "utf-8")
    log = (
        "Avg NPU matmul time: 29.4us.\nMin NPU matmul time: 28.0us.\nMax NPU matmul time: 33.1us.\n"
    )
    (folder / "run_trace.log").write_text(log, "utf-8")
    path = folder / "pipeline_stalls.json.gz"
    # mtime=0, so that the same content always gives the same bytes.
    path.write_bytes(gzip.compress(trace_text(_lines(simulate())).encode(), 9, mtime=0))
    return path
