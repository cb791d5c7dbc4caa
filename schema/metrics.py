"""The metric registry: name, formula, unit and polarity of every number on a page.

`docs/metrics.md` is generated from this module and `schema.comparison` (`python -m
schema.metrics_page`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Metric:
    """A metric; `polarity` is +1 if more is better, -1 if less is better, 0 if neither is.

    `share_of` follows a number of unit `ratio` on pages and names its whole: `of peak`.
    """

    name: str
    label: str
    formula: str
    unit: str
    polarity: int
    share_of: str = ""


def _stall_share(name: str) -> Metric:
    """Build the metric of the share of time (0 to 1) in stalls of kind `name`: lock, memory or
    stream; it is called `NAME_stall_share`, and less is better.
    """
    event = f"{name.upper()}_STALL"
    return Metric(
        f"{name}_stall_share",
        f"{name} stall",
        f"time of {event} that is the core's own, in main kernels and between kernels, / elapsed time, summed over "
        f"cores and the iterations of gmacs_mean; by method reference busy time of {event} / traced time",
        "ratio",
        -1,
        "of the cores' time",
    )


def _model_error(term: str, meaning: str) -> Metric:
    """Build the metric `model_TERM` of a performance model's error; neither sign is better."""
    formula = f"(predicted - measured) / measured of term {term} of `predict`: {meaning}"
    return Metric(f"model_{term}", f"model error, {term}", formula, "ratio", 0, "of measured")


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            Metric(
                "gmacs_mean",
                "GMAC/s mean",
                "summed work / summed elapsed time of the complete perf iterations of `system` that rest on the most "
                "cores (method reference: mean of the iterations' rates, by the longest core's span)",
                "GMAC/s",
                1,
            ),
            Metric(
                "gmacs_mean_by_span",
                "GMAC/s by span",
                "summed work / summed span of the longest core, over the same iterations: "
                "staggered cores count as parallel",
                "GMAC/s",
                1,
            ),
            Metric(
                "gmacs_best",
                "GMAC/s best",
                "highest gmacs_per_s of a complete perf iteration of `system`",
                "GMAC/s",
                1,
            ),
            Metric(
                "gmacs_worst",
                "GMAC/s worst",
                "lowest gmacs_per_s of a complete perf iteration of `system`",
                "GMAC/s",
                1,
            ),
            Metric(
                "utilization",
                "utilisation",
                "summed work / (summed elapsed cycles x cores x peak MAC per cycle and core) "
                "of the complete perf iterations",
                "ratio",
                1,
                "of peak",
            ),
            Metric(
                "kernel_utilization",
                "utilisation in kernels",
                "m x k x n / (median main kernel x peak MAC per cycle and core)",
                "ratio",
                1,
                "of peak",
            ),
            Metric(
                "kernels",
                "kernels",
                "main kernels kept, all cores and iterations; of a profile all executions of kernels, without copies",
                "kernels",
                0,
            ),
            Metric(
                "busy_share",
                "busy",
                "time in which at least one kernel ran on the busiest device / length of the capture; overlaps count "
                "once, copies not at all. Of torch.profiler: time with any execution, copies too, / time of the "
                "counted steps, else from the first execution to the last",
                "ratio",
                1,
                "of the time",
            ),
            Metric(
                "compute_share",
                "compute",
                "time with an execution that computes, on the device and of the time of `busy_share`; of torch.profiler",
                "ratio",
                1,
                "of the time",
            ),
            Metric(
                "idle_share",
                "idle",
                "1 - busy: time without an execution on the device of `busy_share`, of the same time; of torch.profiler",
                "ratio",
                -1,
                "of the time",
            ),
            Metric(
                "communication_exposed_share",
                "exposed communication",
                "time with communication between devices while nothing computes, on the device and of the time of "
                "`busy_share`; of torch.profiler",
                "ratio",
                -1,
                "of the time",
            ),
            Metric(
                "kernel_time",
                "kernel time",
                "summed duration of all executions of kernels on all devices, without copies",
                "ns",
                -1,
            ),
            Metric(
                "step_time",
                "step",
                "median time between neighbouring markers of those steps whose names differ in digits alone, without "
                "the first; of several such series the one with the most steps",
                "ns",
                -1,
            ),
            Metric(
                "flops_total",
                "FLOP/s in kernels",
                "summed operations / summed duration of the executions of kernels whose operations are known",
                "FLOP/s",
                1,
            ),
            Metric("left_out", "left out", "kernel executions seen but not kept", "kernels", -1),
            Metric(
                "median_kernel",
                "median kernel",
                "median duration of the main kernels kept",
                "cycles",
                -1,
            ),
            Metric(
                "mean_kernel",
                "mean kernel",
                "mean duration of the main kernels kept",
                "cycles",
                -1,
            ),
            Metric(
                "p95_kernel",
                "p95 kernel",
                "95th percentile of the main kernels' duration",
                "cycles",
                -1,
            ),
            Metric(
                "iterations_complete",
                "iterations",
                "complete iterations of `system`",
                "iterations",
                0,
            ),
            *(_stall_share(name) for name in ("lock", "memory", "stream")),
            Metric(
                "slack_share",
                "slack",
                "time in which cores wait for other cores or have ended before them / elapsed time, summed over cores "
                "and the iterations of gmacs_mean; by method reference none",
                "ratio",
                -1,
                "of the cores' time",
            ),
            Metric(
                "vector_share",
                "vector",
                "busy time of INSTR_VECTOR / traced time, summed over the cores that trace it",
                "ratio",
                1,
                "of traced time",
            ),
            Metric("cores_traced", "cores", "cores with kernel markers", "cores", 0),
            _model_error("compute", "median duration of the main kernels"),
            _model_error("wait", "time of LOCK_STALL per main kernel, as the mean over cores"),
            _model_error("total", "least wall-clock time of a call, in cycles"),
            Metric(
                "attempts",
                "attempts",
                "allocation attempts, or the problems of the run",
                "attempts",
                0,
            ),
            Metric("levels", "levels", "memory levels of a plan", "levels", 0),
            Metric(
                "peak_memory",
                "peak memory",
                "static_bytes + extent of the headline attempt: of the final attempts or levels (where that is not "
                "known the last of each layer group, else all) the one with the highest utilisation of its "
                "capacity, else with the highest extent; of a profile, whose buffers have no addresses, the most "
                "bytes alive at once on the device that has most. Of a caching allocator and of memory events: the most "
                "bytes allocated at once on the device that has most",
                "bytes",
                -1,
            ),
            Metric(
                "peak_reserved",
                "peak reserved",
                "most bytes that the allocator of the device of peak_memory reserved at once, free ranges too",
                "bytes",
                -1,
            ),
            Metric(
                "peak_memory_sum",
                "peak of all devices",
                "most bytes alive at once on all devices of a profile together",
                "bytes",
                -1,
            ),
            Metric(
                "capacity_use",
                "capacity use",
                "(static_bytes + extent) / capacity of the headline attempt; of a caching allocator peak_memory / "
                "capacity",
                "ratio",
                0,
                "of capacity",
            ),
            Metric(
                "memory_bound",
                "lower bound",
                "static_bytes + bound of the headline attempt: no allocator needs less",
                "bytes",
                0,
            ),
            Metric(
                "memory_capacity", "capacity", "bytes of the headline attempt's memory", "bytes", 0
            ),
            Metric(
                "bound_use",
                "bound / capacity",
                "(static_bytes + bound) / capacity of the headline attempt: above 100 % no allocator can solve it",
                "ratio",
                -1,
                "of capacity",
            ),
            Metric(
                "memory_waste",
                "waste",
                "extent - bound of the headline attempt, of a plan the largest of any level; none where blocks are not "
                "placed",
                "bytes",
                -1,
            ),
            Metric(
                "failed_blocks",
                "failed blocks",
                "blocks without an address because they did not fit, summed over the attempts that the compiler went "
                "on with: the final ones, where that is not known the last of each layer group, else all",
                "blocks",
                -1,
            ),
            Metric(
                "failed_searched",
                "failed while searching",
                "blocks without an address in the other attempts, which the compiler gave up for a later one",
                "blocks",
                0,
            ),
            Metric(
                "fragmentation",
                "fragmentation",
                "1 - largest free range / free bytes, at the worst step of the headline attempt",
                "ratio",
                -1,
                "of free bytes",
            ),
            Metric(
                "findings", "findings", "diagnostics of severity error or warning", "findings", -1
            ),
            Metric(
                "named_numbers",
                "named numbers",
                "rows of frame `results`, each of which is a metric of its own",
                "numbers",
                0,
            ),
        )
    }
)
"""The metrics of runs, by name."""
