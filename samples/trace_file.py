"""Write trace units as the JSON text of mlir-aie's trace parser."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from samples.gemm_array import Gemm, Unit

SLOTS = {
    "core": (
        "INSTR_EVENT_0",
        "INSTR_EVENT_1",
        "INSTR_VECTOR",
        "MEMORY_STALL",
        "STREAM_STALL",
        "LOCK_STALL",
        "PORT_RUNNING_0",
        "PORT_RUNNING_1",
    ),
    "mem": (
        "DMA_S2MM_0_START_TASK",
        "DMA_S2MM_0_FINISHED_TASK",
        "DMA_MM2S_0_START_TASK",
        "DMA_MM2S_0_FINISHED_TASK",
        "CONFLICT_DM_BANK_0",
        "NONE",
        "NONE",
        "NONE",
    ),
    "shim": (
        "DMA_MM2S_0_START_TASK",
        "DMA_MM2S_0_FINISHED_TASK",
        "DMA_S2MM_0_FINISHED_TASK",
        "DMA_MM2S_0_MEMORY_STARVATION",
        "NONE",
        "NONE",
        "NONE",
        "NONE",
    ),
    "memtile": tuple(f"PORT_RUNNING_{port}" for port in range(8)),
}
"""Events in the eight slots of a unit, by its kind."""
_SKEW_PER_ROW, _SKEW_PER_COL = 2, 4
"""Cycles by which the reset of the timers arrives later per row and per column, as measured."""


@dataclass(frozen=True)
class Entry:
    """A level change of a slot at a cycle; `phase` is B or E."""

    pid: int
    ts: int
    phase: str
    slot: int


def trace_entries(units: Sequence[Unit], seed: int) -> list[Entry]:
    """Return the entries of all units: kind by kind, tiles of a kind in a random order.

    Packets of tiles arrive in any order as well.
    """
    shuffle = Random(seed)  # noqa: S311 - a sample must come out the same every time
    entries: list[Entry] = []
    for kind in SLOTS:
        pids = [pid for pid, unit in enumerate(units) if unit.kind == kind]
        shuffle.shuffle(pids)
        for pid in pids:
            entries += _unit_entries(units[pid], pid)
    return entries


def _unit_entries(unit: Unit, pid: int) -> list[Entry]:
    """Return a unit's entries by time, an end before a begin at the same cycle.

    Times count from the reset of the unit's timer.
    """
    late = start_late(unit)
    # Reversed: several slots may have one event, and the first of them is used.
    slot = {event: rank for rank, event in reversed(list(enumerate(SLOTS[unit.kind])))}
    entries = []
    for event, begin, end in unit.spans:
        entries += [
            Entry(pid, begin + late, "B", slot[event]),
            Entry(pid, end + late, "E", slot[event]),
        ]
    return sorted(entries, key=lambda entry: (entry.ts, entry.phase == "B", entry.slot))


def start_late(unit: Unit) -> int:
    """Return the cycles until the reset of the timers arrives at a unit."""
    return _SKEW_PER_ROW * unit.row + _SKEW_PER_COL * unit.col


def trace_lines(
    units: Sequence[Unit], entries: Iterable[Entry], spelled: Callable[[str], str] = str
) -> list[str]:
    """Return the JSON text of every entry, after the metadata of the units.

    `spelled` converts names of events and processes, for traces with older names.
    """
    lines = []
    for pid, unit in enumerate(units):
        lines.append(
            _metadata(
                "process_name",
                pid,
                f"{spelled(f'{unit.kind}_trace')} for tile{unit.row},{unit.col}",
            )
        )
        lines += [
            _metadata("thread_name", pid, spelled(name), tid)
            for tid, name in enumerate(SLOTS[unit.kind])
        ]
    names = [[spelled(name) for name in SLOTS[unit.kind]] for unit in units]
    lines += [
        f'{{"name": "{names[e.pid][e.slot]}", "ts": {e.ts}, "ph": "{e.phase}", '
        f'"pid": {e.pid}, "tid": {e.slot}, "args": {{}}}}'
        for e in entries
    ]
    return lines


def _metadata(what: str, pid: int, name: str, tid: int | None = None) -> str:
    thread = {} if tid is None else {"tid": tid}
    return json.dumps({"name": what, "ph": "M", "pid": pid, **thread, "args": {"name": name}})


def trace_text(lines: Iterable[str], separator: str = ",\n") -> str:
    """Return the text of a trace file with the given JSON entries."""
    return f"[{separator.join(lines)}]\n"


def run_folder(root: Path, gemm: Gemm) -> Path:
    """Return the folder of a run's trace by the team's convention."""
    size = f"{gemm.M}_{gemm.K}_{gemm.N}"
    return root / "outputs" / f"{gemm.hwid}-gemm_{size}-{gemm.rows}_row_{gemm.cols}_col" / "traces"


def index_text(gemm: Gemm, origin: Mapping[str, str] | None = None) -> str:
    """Return the JSON of the settings that the script writes next to a trace."""
    settings = ("hwid", "M", "K", "N", "m", "k", "n", "rows", "cols", "warmup", "iterations")
    return json.dumps(
        {name: getattr(gemm, name) for name in settings} | dict(origin or {}), indent=2
    )


def write_run(
    root: Path,
    gemm: Gemm,
    text: str,
    *,
    compressed: bool = True,
    level: int = 9,
    origin: Mapping[str, str] | None = None,
) -> Path:
    """Write a trace and its settings; return the trace's path.

    Equal arguments give equal bytes. `origin` adds the time and code version of the trace to the
    settings.
    """
    folder = run_folder(root, gemm)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.json").write_text(index_text(gemm, origin), "utf-8")
    path = folder / f"trace_mm_{gemm.M}_{gemm.K}_{gemm.N}.json{'.gz' if compressed else ''}"
    content = text.encode()
    # mtime=0, so that the same content always gives the same bytes.
    path.write_bytes(gzip.compress(content, level, mtime=0) if compressed else content)
    return path
