"""Compared metrics: the least change of each that matters, and which metrics decide a verdict.

A metric may exist at several levels: run, tile, kernel, attempt or memory level, and device.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from schema.attempt_metrics import ATTEMPT_METRICS
from schema.metrics import METRICS, Metric

MAX_RUNS = 100
"""Maximum number of runs on one side of a comparison, and so in a baseline."""
Scale = Literal["ratio", "share", "exact"]
"""How two sets of samples are compared: by ratio, by difference (shares of a time), or exactly."""
Condition = Literal["size", "grid", "cores", "clock", "data type", "tile", "capacity"]
"""A property that both runs must have in common before a metric of them can be compared."""


@dataclass(frozen=True)
class ComparedMetric:
    """A metric that gets a verdict between two runs.

    `threshold` is the least relative change that matters; if `scale` is "share", it is the least
    difference. `floor` is the least difference that matters in the metric's unit. `rests_on`
    describes the samples in words. `conditions` are the properties that both sides must have in
    common. `is_gate`: the metric decides the verdict of the whole run. `is_single`: the metric has
    a single sample, so that its verdict is always undecided. `is_optional`: only some runs have the
    metric, so that it has a row only if both sides have it. `short` is the label for narrow
    columns.
    """

    metric: Metric
    threshold: float
    rests_on: str
    scale: Scale = "ratio"
    floor: float = 0.0
    conditions: tuple[Condition, ...] = ()
    is_gate: bool = False
    is_single: bool = False
    is_optional: bool = False
    short: str = ""

    @property
    def name(self) -> str:
        """Name of the metric, such as `gmacs_mean`, by which it is stored and looked up."""
        return self.metric.name

    @property
    def label(self) -> str:
        """Name of the metric on pages, such as `lock stall in iterations`."""
        return self.metric.label

    @property
    def unit(self) -> str:
        """Unit of the metric's values: `ratio` (0 to 1), `bytes`, `cycles`, `ns`, `GMAC/s` ..."""
        return self.metric.unit

    @property
    def polarity(self) -> int:
        """Direction in which the metric is better: +1 if more, -1 if less, 0 if neither."""
        return self.metric.polarity


def _by_name(*metrics: ComparedMetric) -> Mapping[str, ComparedMetric]:
    return MappingProxyType({metric.name: metric for metric in metrics})


_ITERATIONS = "complete perf iterations of the system that rest on the most cores"
_TILE_PART = "the tile's part of those iterations"
_CYCLES_FLOOR = 4.0
"""Least difference in cycles that matters: time stamps are whole cycles. The interval covers other
noise.
"""
_SHARE_THRESHOLD = 0.02
"""Least difference of two shares that matters: 2 percentage points."""
_SAME_WORK: tuple[Condition, ...] = ("size", "grid", "cores")
_SAME_CLOCK: tuple[Condition, ...] = (*_SAME_WORK, "clock")

_STALLS = tuple(
    Metric(
        f"{name}_stall",
        f"{name} stall in iterations",
        f"time of {name.upper()}_STALL that is the core's own, in main kernels and between kernels, / elapsed time",
        "ratio",
        -1,
        "of the cores' time",
    )
    for name in ("lock", "memory", "stream", "cascade")
)
WARMUP = "warmup_gmacs"
"""Name of the rate of warm-up iterations, which is compared only."""
_WARMUP = Metric(
    WARMUP,
    "GMAC/s of the warm-up",
    "summed work / summed elapsed time of the complete warm-up iterations",
    "GMAC/s",
    0,
)
_SPAN = Metric(
    "span",
    "first start to last end",
    "first start to last end of the tile's kernels in an iteration",
    "cycles",
    -1,
)
_START_SKEW = Metric(
    "start_skew",
    "late start",
    "time before the tile's first kernel / elapsed time",
    "ratio",
    -1,
    "of the time",
)
_END_SKEW = Metric(
    "end_skew",
    "early end",
    "time after the tile's last kernel / elapsed time",
    "ratio",
    0,
    "of the time",
)
_STEADY = Metric(
    "steady",
    "median without the first run",
    "median duration of a kernel's runs without its first",
    "ns",
    -1,
)
_KERNEL_TIME = replace(
    METRICS["kernel_time"],
    label="kernel time of a step",
    formula="summed duration of the kernels that belong to a counted step, without copies",
)
_MODEL_ERRORS = tuple(
    # A model is as wrong if it predicts too little as if it predicts too much.
    replace(
        METRICS[f"model_{term}"],
        label=f"model error, {term} (size)",
        formula=f"absolute value of model_{term}",
        polarity=-1,
    )
    for term in ("compute", "wait", "total")
)
_ERROR_THRESHOLD = 0.05
"""Least difference of two model errors that matters: 5 percentage points."""

CAPTURE = _by_name(
    ComparedMetric(
        METRICS["gmacs_mean"],
        0.02,
        _ITERATIONS,
        conditions=_SAME_CLOCK,
        is_gate=True,
        short="GMAC/s",
    ),
    ComparedMetric(
        METRICS["median_kernel"],
        0.02,
        f"medians of {_ITERATIONS}",
        floor=_CYCLES_FLOOR,
        conditions=("tile",),
    ),
    ComparedMetric(
        METRICS["p95_kernel"],
        0.02,
        f"95 % marks of {_ITERATIONS}",
        floor=_CYCLES_FLOOR,
        conditions=("tile",),
    ),
    ComparedMetric(
        # Utilisation is in cycles, so it does not depend on the clock, but its peak on the type.
        METRICS["utilization"],
        0.02,
        _ITERATIONS,
        conditions=(*_SAME_WORK, "data type"),
    ),
    *(
        ComparedMetric(stall, _SHARE_THRESHOLD, _ITERATIONS, "share", conditions=_SAME_WORK)
        for stall in _STALLS
    ),
    ComparedMetric(
        # A single iteration has no spread, so that no interval can be computed.
        METRICS["gmacs_best"],
        0.02,
        "one iteration",
        conditions=_SAME_CLOCK,
        is_single=True,
    ),
    ComparedMetric(
        METRICS["gmacs_worst"], 0.02, "one iteration", conditions=_SAME_CLOCK, is_single=True
    ),
    ComparedMetric(_WARMUP, 0.02, "complete warm-up iterations", conditions=_SAME_CLOCK),
    ComparedMetric(
        _MODEL_ERRORS[0],
        _ERROR_THRESHOLD,
        f"medians of {_ITERATIONS}",
        "share",
        is_gate=True,
        is_optional=True,
    ),
    # A run has one wait and one total, so that only several runs on each side give a verdict.
    *(
        ComparedMetric(metric, _ERROR_THRESHOLD, "the whole run", "share", is_optional=True)
        for metric in _MODEL_ERRORS[1:]
    ),
)
"""Compared metrics of an AIE capture, computed from its iterations; by name."""

_SAME_TILES: tuple[Condition, ...] = ("size", "grid")

TILE = _by_name(
    ComparedMetric(
        METRICS["median_kernel"], 0.02, _TILE_PART, floor=_CYCLES_FLOOR, conditions=("tile",)
    ),
    ComparedMetric(_SPAN, 0.02, _TILE_PART, floor=_CYCLES_FLOOR, conditions=_SAME_TILES),
    *(
        ComparedMetric(metric, _SHARE_THRESHOLD, _TILE_PART, "share", conditions=_SAME_TILES)
        for metric in (*_STALLS, _START_SKEW, _END_SKEW)
    ),
)
"""Compared metrics of one tile of an AIE capture; by name."""

_EXACT = "the run as it is"
_BYTES_THRESHOLD = 0.005
"""Least relative change of a size in bytes that matters.

A change of one alignment unit does not matter either, unless a user sets a threshold.
"""

MEMORY = _by_name(
    ComparedMetric(
        METRICS["peak_memory"], _BYTES_THRESHOLD, _EXACT, "exact", is_gate=True, short="peak mem"
    ),
    # Each further block without an address is a change, hence no tolerance.
    ComparedMetric(METRICS["failed_blocks"], 0.0, _EXACT, "exact", is_gate=True),
    ComparedMetric(METRICS["memory_bound"], _BYTES_THRESHOLD, _EXACT, "exact"),
    ComparedMetric(METRICS["memory_waste"], _BYTES_THRESHOLD, _EXACT, "exact"),
    ComparedMetric(
        METRICS["capacity_use"], _BYTES_THRESHOLD, _EXACT, "exact", conditions=("capacity",)
    ),
)
"""Compared metrics of a run with memory maps; by name.

Waste is no gate: a block that lives longer raises the bound and so lowers the waste.
"""

EXTENT = ComparedMetric(ATTEMPT_METRICS["extent"], _BYTES_THRESHOLD, _EXACT, "exact", is_gate=True)
"""Compared metric of an attempt or a memory level."""

PROFILE = _by_name(
    ComparedMetric(_KERNEL_TIME, 0.10, "counted steps", is_gate=True, short="time"),
    ComparedMetric(METRICS["step_time"], 0.10, "steps after the first", short="step"),
    # The same record as that of memory maps, so that a threshold for it applies to both.
    MEMORY["peak_memory"],
)
"""Compared metrics of a profile; by name. `peak_memory` is also compared per device."""

STEADY = ComparedMetric(_STEADY, 0.10, "runs of the kernel but the first")
"""Compared metric of one kernel of a profile."""

COMPARED: Mapping[str, ComparedMetric] = MappingProxyType(
    {**TILE, **CAPTURE, **PROFILE, **MEMORY, EXTENT.name: EXTENT, STEADY.name: STEADY}
)
"""Every metric that accepts a threshold; by name."""
