"""The registry of the metrics of attempts, each a placement or a memory; see `schema.metrics`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from schema.metrics import Metric

ATTEMPT_METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            Metric("blocks", "blocks", "blocks to be placed, without constants", "blocks", 0),
            Metric(
                "failed",
                "failed",
                "blocks without an address because they did not fit",
                "blocks",
                -1,
            ),
            Metric(
                "live_peak",
                "live peak",
                "most bytes alive at one step; failed blocks and blocks in a gap are left out, aliases count",
                "bytes",
                0,
            ),
            Metric("peak_step", "peak step", "first step with that many", "steps", 0),
            Metric(
                "requested_peak",
                "requested peak",
                "most bytes alive at one step, failed blocks too",
                "bytes",
                0,
            ),
            Metric(
                "extent",
                "extent",
                "highest address in use, counted from the end of the constants (method reference: failed blocks are "
                "stacked above the others)",
                "bytes",
                -1,
            ),
            Metric(
                "bound",
                "bound",
                "most bytes needed at one step, failed blocks too: an alias is part of the block whose storage it "
                "uses, and an output that takes over its operand's bytes counts once in the step that they share",
                "bytes",
                0,
            ),
            Metric(
                "waste",
                "waste",
                "extent - bound; none where blocks are not placed, or overlap",
                "bytes",
                -1,
            ),
            Metric(
                "fragmentation",
                "fragmentation",
                "1 - largest free range / free bytes at the worst step; free is what no block covers between the "
                "constants and the capacity, without a capacity below the extent",
                "ratio",
                -1,
                "of free bytes",
            ),
            Metric(
                "utilization",
                "utilisation",
                "(static_bytes + extent) / capacity",
                "ratio",
                0,
                "of capacity",
            ),
        )
    }
)
"""Metrics of one attempt, memory level or problem, by name: columns of frame `attempts`."""
