"""Capabilities of a run: the facts that views, controls, keys and tables name as their needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import pandas as pd

from analysis.memory.attempt_map import MapFacts
from schema.contents import (
    has_allocator_memory,
    has_design,
    has_memory_maps,
    has_named_kernels,
    has_results,
)
from schema.frames import Frames
from schema.sources import Source, source_of
from schema.time_units import NANOSECONDS
from services.run.tiling import shares_gemm


class Capability(StrEnum):
    """A fact about a run's data.

    `python -m services.run.capabilities` prints the table of `docs/architecture.md`.
    """

    ITERATIONS = "its kernels are grouped into iterations with rates"
    TIMELINE = "its events are on lanes"
    KERNELS = "its executions of kernels have durations"
    NAMED_KERNELS = "the source names its kernels and their programs"
    LAUNCHES = "launches by the host are known"
    DEVICE_CLASSES = "its executions are classed as compute, communication or copy"
    OPERATORS = "operators of a framework were read"
    MARKERS = "markers divide its time into windows"
    COUNTERS = "hardware counters were read"
    THREAD_TRACES = "a GPU recorded which waves ran on it, and when"
    REWRITES = "graphs that the compiler rewrote were read"
    MEMORY = "it has attempts, levels or devices with blocks"
    ADDRESSES = "blocks have addresses, or can be placed by an allocator"
    PICTURE = (
        "blocks have lifetimes and sizes but no addresses, so that a map of them is an illustration"
    )
    DEVICES = "attempts are devices, and blocks their buffers"
    LEVELS = "attempts are memory levels of one plan"
    TRIES = "attempts are placements that an allocator tried, some of which are final"
    PLAN = "a compiler or an allocator placed its blocks before the program runs"
    ALLOCATOR = "a caching allocator gave out the addresses of its blocks while the program ran"
    LAYER_GROUPS = "attempts are placements of layer groups by a compiler, which succeed or fail"
    SEVERAL_ATTEMPTS = "it has more than one attempt, level or device"
    CALL_STACKS = "the call stacks of its allocations are known"
    CAPACITY = "the size of a memory is known"
    BANKS = "the memory has banks"
    STEP_CYCLES = "steps have cycles of transfers or computation"
    SHARED_WINDOW = "lifetimes and events share one clock, so that one window selects both"
    NANOSECONDS = "times are nanoseconds"
    TICKS = "times are ticks of a clock, or steps"
    PROGRAM_COUNTERS = "events of cores have the address of the instruction that raised them"
    TILE_TIMES = "tiles of operators were measured on the device"
    TILING = "the tiles of its operators, or of a GEMM on an array of cores, are known"
    DESIGN = "the design of its array was read"
    PREDICTIONS = "a performance model predicted its cycles"
    RESULTS = "a file of results names numbers"
    REFERENCE = "method `reference` reproduces the numbers of a tool of the field for its source"


C = Capability


@dataclass(frozen=True)
class RunContents:
    """The data that the rules of capabilities read.

    `stored` has the names of stored frames; `known` maps every frame name to its frame, empty if
    the run lacks it. `timeline_events` returns the events without the time steps of attempts. A
    rule reads no more frames than it needs.
    """

    stored: Collection[str]
    known: Frames
    timeline_events: Callable[[], pd.DataFrame]

    def can(self, *needs: Capability) -> bool:
        """Whether the run has all of these capabilities."""
        return all(_RULES[need](self) for need in needs)

    @cached_property
    def capabilities(self) -> frozenset[Capability]:
        """All capabilities of the run whose rules hold."""
        return frozenset(capability for capability, holds in _RULES.items() if holds(self))

    @cached_property
    def facts(self) -> MapFacts:
        """Properties of the run's memory maps: unit of time, whether blocks have addresses, whether
        attempts are devices.
        """
        unit = str(self.row["time_unit"])
        in_time = self.in_time
        # blocks of a compiler's plan without addresses are still to be placed; a profile records
        # them or not
        addressed = not in_time or self.has_values("allocations", "address")
        return MapFacts(
            unit,
            addressed,
            devices=in_time,
            allocator=has_allocator_memory(self.stored),
            tiles=has_design(self.stored),
        )

    @cached_property
    def row(self) -> pd.Series:
        return self.known["run"].iloc[0]

    @property
    def source(self) -> Source:
        return source_of(str(self.row["source"]))

    @property
    def iterates(self) -> bool:
        return "iterations" in self.source.derives

    @property
    def has_named_kernels(self) -> bool:
        return has_named_kernels(self.stored)

    @property
    def in_memory(self) -> bool:
        """Whether the run has a memory map to show, or an empty map to explain: attempts, or frames
        of memory maps unless it is a profile of kernels.
        """
        return self.has("attempts") or (has_memory_maps(self.stored) and not self.has_named_kernels)

    @property
    def in_time(self) -> bool:
        return bool(self.row["time_unit"] == NANOSECONDS)

    @property
    def levels(self) -> bool:
        """Whether all attempts of the run are memory levels of a single plan; False without
        attempts.
        """
        levels = self.known["attempts"]["level"]
        is_plan = not self.facts.devices and not self.facts.allocator
        return len(levels) > 0 and is_plan and bool(levels.notna().all())

    @property
    def is_tried(self) -> bool:
        """Whether the run's attempts are placements that an allocator tried."""
        facts = self.facts
        return self.in_memory and not (facts.devices or facts.allocator or self.levels)

    def has(self, frame: str) -> bool:
        return len(self.known[frame]) > 0

    @property
    def has_tries(self) -> bool:
        """Whether an attempt of the run has an outcome that a compiler's log reports: success,
        failed or unfinished.
        """
        return bool(
            self.known["attempts"]["outcome"].isin(["success", "failed", "unfinished"]).any()
        )

    def has_values(self, frame: str, column: str) -> bool:
        return bool(self.known[frame][column].notna().any())


_RULES: Mapping[Capability, Callable[[RunContents], bool]] = {
    C.ITERATIONS: lambda run: run.iterates,
    C.TIMELINE: lambda run: run.iterates or len(run.timeline_events()) > 0,
    C.KERNELS: lambda run: run.iterates or run.has("kernels"),
    C.NAMED_KERNELS: lambda run: run.has_named_kernels,
    C.LAUNCHES: lambda run: run.has("launches"),
    C.DEVICE_CLASSES: lambda run: (
        "class" in run.known["kernels"] and run.has_values("kernels", "class")
    ),
    C.OPERATORS: lambda run: "operators" in run.stored,
    C.MARKERS: lambda run: run.has("markers"),
    C.COUNTERS: lambda run: run.has_values("counters", "kernel"),
    C.THREAD_TRACES: lambda run: "thread_traces" in run.stored,
    C.REWRITES: lambda run: "graph_nodes" in run.stored,
    C.MEMORY: lambda run: run.in_memory,
    C.ADDRESSES: lambda run: run.in_memory and run.facts.addressed,
    C.PICTURE: lambda run: run.in_memory and not run.facts.addressed,
    C.DEVICES: lambda run: run.in_memory and run.facts.devices,
    C.LEVELS: lambda run: run.levels,
    C.TRIES: lambda run: run.is_tried,
    C.PLAN: lambda run: run.in_memory and not run.facts.allocator,
    C.ALLOCATOR: lambda run: run.in_memory and run.facts.allocator,
    C.LAYER_GROUPS: lambda run: run.is_tried and run.has_tries,
    C.SEVERAL_ATTEMPTS: lambda run: len(run.known["attempts"]) > 1,
    C.CALL_STACKS: lambda run: (
        "stack" in run.known["allocations"] and run.has_values("allocations", "stack")
    ),
    C.CAPACITY: lambda run: run.has_values("attempts", "capacity"),
    C.BANKS: lambda run: run.has_values("attempts", "banks"),
    C.STEP_CYCLES: lambda run: run.has_values("steps", "gdma_cycles"),
    C.SHARED_WINDOW: lambda run: run.in_memory and run.in_time,
    C.NANOSECONDS: lambda run: run.in_time,
    C.TICKS: lambda run: not run.in_time,
    C.PROGRAM_COUNTERS: lambda run: "program_counters" in run.stored,
    C.TILE_TIMES: lambda run: "tile_times" in run.stored,
    C.TILING: lambda run: run.has("tilings") or (run.iterates and shares_gemm(run.row.to_dict())),
    C.DESIGN: lambda run: has_design(run.stored),
    C.PREDICTIONS: lambda run: "predictions" in run.stored,
    C.RESULTS: lambda run: has_results(run.stored),
    C.REFERENCE: lambda run: bool(run.source.reference),
}


def markdown() -> str:
    """Format the table of capabilities for `docs/architecture.md` as Markdown: name and condition
    of each.
    """
    rows = [f"| `{capability.name}` | {capability.value} |" for capability in Capability]
    return "\n".join(["| capability | a run has it if |", "|---|---|", *rows])


if __name__ == "__main__":
    print(markdown())
