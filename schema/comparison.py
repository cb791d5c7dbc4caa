"""What is compared between runs: the numbers, how much of a change matters, and which of them gate.

A metric may be at several levels: of a run, of a tile, of a kernel, of an attempt or memory level, of a device.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Scale = Literal["ratio", "share", "exact"]
"""How samples are compared: by their ratio, by their difference (shares of a time), or as they are."""


@dataclass(frozen=True)
class ComparedMetric:
    """A number of two runs that gets a verdict.

    `polarity` is that of `schema.metrics`. `threshold` is the least relative change that matters (of a share the least
    difference), `floor` the least difference in `unit`. `gate` tells whether it decides about the runs as a whole.
    `single` marks a number that rests on one sample, about which nothing is decided. `rests_on` names the samples.
    """

    name: str
    label: str
    unit: str
    polarity: int
    threshold: float
    rests_on: str
    scale: Scale = "ratio"
    floor: float = 0.0
    gate: bool = False
    single: bool = False


_ITERATIONS = "complete perf iterations of the system that rest on the most cores"
_OF_TILE = "the tile's part of those iterations"
_CYCLES_FLOOR = 4.0
"""Time stamps are whole cycles; what is noise beyond that, the interval tells."""
_POINTS = 0.02

CAPTURE: Mapping[str, ComparedMetric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            ComparedMetric("gmacs_mean", "GMAC/s mean", "GMAC/s", 1, 0.02, _ITERATIONS, gate=True),
            ComparedMetric("utilization", "utilisation", "ratio", 1, 0.02, _ITERATIONS),
            ComparedMetric(
                "median_kernel", "median kernel", "cycles", -1, 0.02, f"medians of {_ITERATIONS}", floor=_CYCLES_FLOOR
            ),
            ComparedMetric(
                "p95_kernel", "p95 kernel", "cycles", -1, 0.02, f"95 % marks of {_ITERATIONS}", floor=_CYCLES_FLOOR
            ),
            ComparedMetric("lock_stall", "lock stall in iterations", "ratio", -1, _POINTS, _ITERATIONS, "share"),
            ComparedMetric("memory_stall", "memory stall in iterations", "ratio", -1, _POINTS, _ITERATIONS, "share"),
            ComparedMetric("stream_stall", "stream stall in iterations", "ratio", -1, _POINTS, _ITERATIONS, "share"),
            ComparedMetric("cascade_stall", "cascade stall in iterations", "ratio", -1, _POINTS, _ITERATIONS, "share"),
            ComparedMetric("gmacs_best", "GMAC/s best", "GMAC/s", 1, 0.02, "one iteration", single=True),
            ComparedMetric("gmacs_worst", "GMAC/s worst", "GMAC/s", 1, 0.02, "one iteration", single=True),
            ComparedMetric("warmup_gmacs", "GMAC/s of the warm-up", "GMAC/s", 0, 0.02, "complete warm-up iterations"),
        )
    }
)
"""The numbers of a capture of an array, over its iterations."""

TILE: Mapping[str, ComparedMetric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            ComparedMetric("median_kernel", "median kernel", "cycles", -1, 0.02, _OF_TILE, floor=_CYCLES_FLOOR),
            ComparedMetric("span", "first start to last end", "cycles", -1, 0.02, _OF_TILE, floor=_CYCLES_FLOOR),
            ComparedMetric("lock_stall", "lock stall in iterations", "ratio", -1, _POINTS, _OF_TILE, "share"),
            ComparedMetric("memory_stall", "memory stall in iterations", "ratio", -1, _POINTS, _OF_TILE, "share"),
            ComparedMetric("stream_stall", "stream stall in iterations", "ratio", -1, _POINTS, _OF_TILE, "share"),
            ComparedMetric("cascade_stall", "cascade stall in iterations", "ratio", -1, _POINTS, _OF_TILE, "share"),
            ComparedMetric("start_skew", "late start", "ratio", -1, _POINTS, _OF_TILE, "share"),
            ComparedMetric("end_skew", "early end", "ratio", 0, _POINTS, _OF_TILE, "share"),
        )
    }
)
"""The numbers of a tile of such a capture."""

_EXACT = "the run as it is"

MEMORY: Mapping[str, ComparedMetric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            ComparedMetric("peak_memory", "peak memory", "bytes", -1, 0.0, _EXACT, "exact", gate=True),
            ComparedMetric("failed_blocks", "failed blocks", "blocks", -1, 0.0, _EXACT, "exact", gate=True),
            ComparedMetric("memory_bound", "lower bound", "bytes", 0, 0.0, _EXACT, "exact"),
            ComparedMetric("memory_waste", "waste", "bytes", -1, 0.0, _EXACT, "exact"),
            ComparedMetric("capacity_use", "capacity use", "ratio", 0, 0.0, _EXACT, "exact"),
        )
    }
)
"""The numbers of a run of memory maps.

Waste does not gate: a block that lives longer raises the bound, and so lowers the waste.
"""

EXTENT = ComparedMetric("extent", "extent", "bytes", -1, 0.0, _EXACT, "exact", gate=True)
"""The number of an attempt or a memory level."""

_STEPS = "steps: windows between markers"
_RUNS = "runs of the kernel but the first"

PROFILE: Mapping[str, ComparedMetric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            ComparedMetric("kernel_time", "kernel time of a step", "ns", -1, 0.10, _STEPS, gate=True),
            ComparedMetric("peak_memory", "peak memory", "bytes", -1, 0.0, _EXACT, "exact", gate=True),
        )
    }
)
"""The numbers of a profile; `peak_memory` of each device, too."""

STEADY = ComparedMetric("steady", "median without the first run", "ns", -1, 0.10, _RUNS)
"""The number of a kernel of a profile."""

COMPARED = frozenset({*CAPTURE, *TILE, *MEMORY, *PROFILE, EXTENT.name, STEADY.name})
"""The names of everything that a threshold may be given for."""
