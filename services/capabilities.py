"""What a run can show: the one list of facts that views, controls, keys and tables name as their needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

import pandas as pd

from analysis.memory.attempt_map import MapFacts
from schema.sources import Source, source_of
from schema.time_units import NANOSECONDS
from services.tiling import shares_gemm


class Capability(StrEnum):
    """A fact about a run; `docs/architecture.md` has the table that `python -m services.capabilities` prints."""

    ITERATIONS = "kernels are grouped into iterations that have rates"
    TIMELINE = "events lie on lanes"
    KERNELS = "executions of kernels have durations"
    NAMED_KERNELS = "the source names its kernels and their programs"
    LAUNCHES = "the host's launches are known"
    MARKERS = "markers cut the time into windows"
    COUNTERS = "hardware counters were read"
    THREAD_TRACES = "a GPU recorded which waves ran on it, and when"
    REWRITES = "graphs that the compiler rewrote were read"
    MEMORY = "there are attempts, levels or devices with blocks"
    ADDRESSES = "blocks have addresses, or are to get them"
    PICTURE = "blocks have lifetimes and sizes alone, so that a map of them is a picture"
    DEVICES = "attempts are devices, and blocks their buffers"
    LEVELS = "attempts are memory levels of one plan"
    TRIES = "attempts are tries of an allocator, of which it keeps some"
    SEVERAL_ATTEMPTS = "there is more than one attempt, level or device"
    CAPACITY = "the size of a memory is known"
    BANKS = "the memory has banks"
    STEP_CYCLES = "steps have cycles of transfers or computation"
    SHARED_WINDOW = "lifetimes and events share one clock, so that one window rules both"
    NANOSECONDS = "times are nanoseconds"
    TICKS = "times are ticks of a clock, or steps"
    TILING = "it is known how operators, or a GEMM on an array of cores, are cut into tiles"
    REFERENCE = "the team has a reference tool, whose numbers method `reference` reproduces"


Frames = Mapping[str, pd.DataFrame]
C = Capability
NAMING = frozenset({"kernels", "programs", "contexts"})
"""Stored frames, any of which shows that the source names its kernels."""


def memory_facts(run: pd.DataFrame, allocations: pd.DataFrame) -> MapFacts:
    """Return what the maps of a run are like, from its unit of time and the addresses that there are."""
    unit = str(run["time_unit"].iloc[0])
    in_time = unit == NANOSECONDS
    addressed = not in_time or bool(allocations["address"].notna().any())
    return MapFacts(unit, addressed, devices=in_time)


@dataclass(frozen=True)
class _Run:
    """What the rules read: names of stored frames, every frame (empty where the run lacks it), facts of the maps."""

    stored: Collection[str]
    known: Frames
    facts: MapFacts

    @property
    def row(self) -> pd.Series:
        return self.known["run"].iloc[0]

    @property
    def source(self) -> Source:
        return source_of(str(self.row["source"]))

    @property
    def iterates(self) -> bool:
        return "iterations" in self.source.derives

    @property
    def named(self) -> bool:
        return bool(NAMING & {*self.stored})

    @property
    def in_memory(self) -> bool:
        """Return whether there is a map to show or to explain: without kernels, an empty one says what is missing."""
        return self.has("attempts") or ("attempts" in self.stored and not self.named)

    @property
    def in_time(self) -> bool:
        return bool(self.row["time_unit"] == NANOSECONDS)

    @property
    def levels(self) -> bool:
        """Return whether every attempt is a memory level of one plan."""
        levels = self.known["attempts"]["level"]
        return len(levels) > 0 and not self.facts.devices and bool(levels.notna().all())

    def has(self, frame: str) -> bool:
        return len(self.known[frame]) > 0

    def has_values(self, frame: str, column: str) -> bool:
        return bool(self.known[frame][column].notna().any())


def capabilities(stored: Collection[str], known: Frames, facts: MapFacts) -> frozenset[Capability]:
    """Return what a run can show; `stored` names its stored frames, `known` has every frame, empty where it has none.

    `events` of `known` are those of the timeline, without those of attempts.
    """
    run = _Run(stored, known, facts)
    return frozenset(capability for capability, holds in _RULES.items() if holds(run))


_RULES: Mapping[Capability, Callable[[_Run], bool]] = {
    C.ITERATIONS: lambda run: run.iterates,
    C.TIMELINE: lambda run: run.iterates or run.has("events"),
    C.KERNELS: lambda run: run.iterates or run.has("kernels"),
    C.NAMED_KERNELS: lambda run: run.named,
    C.LAUNCHES: lambda run: run.has("launches"),
    C.MARKERS: lambda run: run.has("markers"),
    C.COUNTERS: lambda run: run.has("counters"),
    C.THREAD_TRACES: lambda run: "thread_traces" in run.stored,
    C.REWRITES: lambda run: "graph_nodes" in run.stored,
    C.MEMORY: lambda run: run.in_memory,
    C.ADDRESSES: lambda run: run.in_memory and run.facts.addressed,
    C.PICTURE: lambda run: run.in_memory and not run.facts.addressed,
    C.DEVICES: lambda run: run.in_memory and run.facts.devices,
    C.LEVELS: lambda run: run.levels,
    C.TRIES: lambda run: run.in_memory and not run.facts.devices and not run.levels,
    C.SEVERAL_ATTEMPTS: lambda run: len(run.known["attempts"]) > 1,
    C.CAPACITY: lambda run: run.has_values("attempts", "capacity"),
    C.BANKS: lambda run: run.has_values("attempts", "banks"),
    C.STEP_CYCLES: lambda run: run.has_values("steps", "gdma_cycles"),
    C.SHARED_WINDOW: lambda run: run.in_memory and run.in_time,
    C.NANOSECONDS: lambda run: run.in_time,
    C.TICKS: lambda run: not run.in_time,
    C.TILING: lambda run: run.has("tilings") or (run.iterates and shares_gemm(run.row.to_dict())),
    C.REFERENCE: lambda run: bool(run.source.reference),
}


def markdown() -> str:
    """Return the table of `docs/architecture.md`."""
    rows = [f"| `{capability.name}` | {capability.value} |" for capability in Capability]
    return "\n".join(["| capability | what holds of a run that has it |", "|---|---|", *rows])


if __name__ == "__main__":
    print(markdown())
