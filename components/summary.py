"""The numbers on top: the run's metrics, and n, sum, median and p95 of what is selected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.distribution import Summary, summary
from analysis.metrics import METRICS
from analysis.selection import Selection
from components.numbers import DASH, in_unit, integer, shorten, ticks_time

STRIP = (
    "gmacs_mean",
    "gmacs_best",
    "utilization",
    "median_kernel",
    "kernels",
    "left_out",
    "lock_stall_share",
    "findings",
)
"""The metrics of the strip of a capture, in order."""
MEMORY_STRIP = (
    "peak_memory",
    "capacity_use",
    "memory_bound",
    "memory_waste",
    "fragmentation",
    "failed_blocks",
    "attempts",
    "findings",
)
"""The metrics of the strip of a run with memory maps, in order."""


def metric_strip(headline: Mapping[str, float | None], names: Sequence[str] = STRIP) -> html.Dl:
    """Build the strip of a run's headline metrics; a dash where there is no number, the formula as tooltip."""
    return html.Dl([_tile(name, headline.get(name)) for name in names], className="ts-strip")


def _tile(name: str, value: float | None) -> html.Div:
    metric = METRICS[name]
    shown = in_unit(value, metric.unit)
    unit = metric.unit if metric.unit in {"GMAC/s", "cycles"} and shown != DASH else ""
    why = "" if shown != DASH else " There is no number: what it rests on is missing in this run."
    trouble = " ts-trouble" if name in {"findings", "failed_blocks"} and value else ""
    return html.Div(
        [
            html.Dt(metric.label),
            html.Dd([shown, html.Small(f" {unit}")] if unit else shown, className=f"ts-number{trouble}"),
        ],
        title=f"{metric.label}: {metric.formula}.{_exact(value, metric.unit)}{why}",
    )


def _exact(value: float | None, unit: str) -> str:
    return f" {integer(value)} B." if unit == "bytes" and value is not None else ""


def selection_summary(kernels: pd.DataFrame, clock_hz: float | None, unit: str = "cycles") -> html.Dl:
    """Build n, sum, median and p95 of the durations of the kernels kept among the selected rows."""
    return summary_list(summary(kernels.loc[kernels["kept"].astype(bool), "duration"]), clock_hz, unit)


def summary_list(numbers: Summary, clock_hz: float | None, unit: str = "cycles") -> html.Dl:
    """Build the four numbers; times in ticks, as time in the tooltip."""
    parts: list[Component] = [_number("n", integer(numbers.n), "kernels kept in the selection")]
    for label, value in (("sum", numbers.total), ("median", numbers.median), ("p95", numbers.p95)):
        shown = integer(value) if numbers.n else DASH
        parts.append(
            _number(label, shown, f"{shown} {unit} = {ticks_time(value, clock_hz)}" if numbers.n else "no kernels")
        )
    return html.Dl(parts, className="ts-numbers")


def _number(label: str, shown: str, tooltip: str) -> html.Div:
    return html.Div([html.Dt(label), html.Dd(shown, className="ts-number")], title=tooltip)


def selection_words(selection: Selection, unit: str = "cycles") -> dict[str, str]:
    """Return what is selected in words, by field of the selection; empty where nothing is."""
    words = {}
    if selection.track is not None:
        words["track"] = f"tile {shorten(selection.track, 30)}"
    if selection.iteration is not None:
        words["iteration"] = f"iteration {selection.iteration}"
    if selection.window is not None:
        words["window"] = f"{integer(selection.window[0])} – {integer(selection.window[1])} {unit}"
    if selection.duration is not None:
        words["duration"] = f"kernels of {integer(selection.duration[0])} – {integer(selection.duration[1])} {unit}"
    if selection.kind is not None:
        words["kind"] = f"kind {shorten(selection.kind, 30)}"
    return words
