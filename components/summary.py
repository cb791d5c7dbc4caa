"""Number strips: headline metrics of a run, and n, sum, median and p95 of the selected kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.aie.kernel_kinds import counted_kernels
from analysis.kernels.distribution import Summary, summary
from analysis.selection import Selection, key_text
from components.counts import unit_noun
from components.numbers import DASH, duration_text, in_unit, integer, shorten, ticks_time
from components.time_axis import exact_time
from schema.metrics import METRICS
from schema.time_units import NANOSECONDS

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
"""Metrics in the strip of a capture, in order."""
MEMORY_STRIP = (
    "peak_memory",
    "capacity_use",
    "memory_bound",
    "memory_waste",
    "fragmentation",
    "failed_blocks",
    "failed_searched",
    "attempts",
    "findings",
)
"""Metrics in the strip of a run with memory maps, in order."""
LEVELS_STRIP = (
    "memory_waste",
    "capacity_use",
    "peak_memory",
    "memory_bound",
    "fragmentation",
    "levels",
    "findings",
)
"""Metrics in the strip of a plan of memory levels: what can be saved comes first."""
PROBLEM_STRIP = ("memory_bound", "memory_capacity", "bound_use", "findings")
"""Metrics in the strip of an allocation problem without placements: the memory that any allocator
needs, and the memory that exists.
"""
ALLOCATOR_STRIP = ("peak_memory", "peak_reserved", "memory_capacity", "capacity_use", "findings")
"""Metrics in the strip of a caching allocator's devices, in order."""
PROFILE_STRIP = (
    "step_time",
    "busy_share",
    "communication_exposed_share",
    "kernel_time",
    "kernels",
    "flops_total",
    "peak_memory",
    "peak_memory_sum",
    "peak_reserved",
    "findings",
)
"""Metrics in the strip of a profile, in order."""
_COUNTED = "kernels counted: the main ones kept, or those of the selected kind"
_ROUNDED = {"bytes": "B", "ns": "ns"}
"""Unit of a rounded text -> unit of the exact number in its tooltip."""


def profile_strip(headline: Mapping[str, float | None]) -> tuple[str, ...]:
    """Select the names of the metrics of a profile's strip, in order.

    `step_time`, `peak_memory_sum` and `peak_reserved` are left out if they are not known,
    `peak_memory_sum` also if it equals the largest device's peak, and exposed communication if
    there is none.
    """
    optional = ("step_time", "peak_memory_sum", "peak_reserved")
    left_out = {name for name in optional if headline.get(name) is None}
    if headline.get("peak_memory_sum") == headline.get("peak_memory"):
        left_out.add("peak_memory_sum")
    if not headline.get("communication_exposed_share"):
        left_out.add("communication_exposed_share")
    return tuple(name for name in PROFILE_STRIP if name not in left_out)


def allocator_strip(headline: Mapping[str, float | None]) -> tuple[str, ...]:
    """Select the names of the metrics of a caching allocator's devices; the use of the capacity is
    left out if the capacity is not known, which has a dash.
    """
    known = headline.get("capacity_use") is not None
    return tuple(name for name in ALLOCATOR_STRIP if name != "capacity_use" or known)


def memory_strip(headline: Mapping[str, float | None]) -> tuple[str, ...]:
    """Select the names of the metrics for a run with memory maps, in order: metrics of an
    allocation problem, of a plan's levels, or of attempts.
    """
    if headline.get("peak_memory") is None and headline.get("memory_bound") is not None:
        return PROBLEM_STRIP
    if headline.get("levels") is not None:
        return LEVELS_STRIP
    searched = headline.get("failed_searched") is not None
    return tuple(name for name in MEMORY_STRIP if searched or name != "failed_searched")


def metric_strip(
    headline: Mapping[str, float | None],
    names: Sequence[str] = STRIP,
    scopes: Mapping[str, str] | None = None,
) -> html.Dl:
    """Build the strip of a run's headline metrics `names`: a dash for a missing number, the formula
    as tooltip.

    `scopes` maps metric names to one or two words about the part of the run that the metric covers,
    None for no such words.
    """
    return html.Dl(
        [_tile(name, headline.get(name), (scopes or {}).get(name)) for name in names],
        className="ts-strip",
    )


def _tile(name: str, value: float | None, scope: str | None = None) -> html.Div:
    metric = METRICS[name]
    shown = in_unit(value, metric.unit)
    written = metric.unit in {"GMAC/s", "cycles"}
    unit = unit_noun(shown, metric.unit) if written else metric.share_of
    unit = "" if shown == DASH else unit
    why = "" if shown != DASH else " The value is not known: the run lacks its inputs."
    trouble = " ts-trouble" if name in {"findings", "failed_blocks"} and value else ""
    return html.Div(
        [
            html.Dt(metric.label),
            html.Dd(
                [shown, html.Small(f" {unit}")] if unit else shown, className=f"ts-number{trouble}"
            ),
            *([html.Dd(scope, className="ts-scope")] if scope else []),
        ],
        title=f"{metric.label}: {metric.formula}.{_exact(value, metric.unit)}{why}",
    )


def _exact(value: float | None, unit: str) -> str:
    """Format the exact number with its unit for the tooltip of a rounded text, as a sentence with a
    space in front.

    Returns "" if the unit is not rounded or the number is missing.
    """
    if value is None or unit not in _ROUNDED:
        return ""
    return f" {integer(value)} {_ROUNDED[unit]}."


def selection_summary(
    kernels: pd.DataFrame, clock_hz: float | None, unit: str = "cycles"
) -> html.Dl:
    """Build the list of number, sum, median and p95 of the durations of `kernels`; dashes without
    kernels.

    In a profile (unit `ns`) all kept kernels count, in a capture only the main kernels, or kernels
    of the selected kind.
    """
    rows = (
        kernels[kernels["kept"].astype(bool)] if unit == NANOSECONDS else counted_kernels(kernels)
    )
    return summary_list(summary(rows["duration"]), clock_hz, unit)


def summary_list(numbers: Summary, clock_hz: float | None, unit: str = "cycles") -> html.Dl:
    """Build the list of the four numbers: kernels, sum, median and p95; dashes without kernels, and
    only the duration of a single kernel.

    Ticks have their time in the tooltip, times (unit `ns`) the exact nanoseconds.
    """
    if numbers.n == 1:
        # A single value has no percentiles.
        only = [
            _number_term("kernel", "1", _COUNTED),
            _time("duration", numbers.total, clock_hz, unit),
        ]
        return html.Dl(only, className="ts-numbers")
    parts: list[Component] = [_number_term("kernels", integer(numbers.n), _COUNTED)]
    for label, value in (("sum", numbers.total), ("median", numbers.median), ("p95", numbers.p95)):
        parts.append(
            _time(label, value, clock_hz, unit)
            if numbers.n
            else _number_term(label, DASH, "no kernels")
        )
    return html.Dl(parts, className="ts-numbers")


def _time(label: str, value: float | None, clock_hz: float | None, unit: str) -> html.Div:
    if unit == NANOSECONDS:
        return _number_term(label, duration_text(value), f"{integer(value)} ns")
    text = f"{integer(value)} {unit_noun(integer(value), unit)}"
    return _number_term(label, text, f"{text} = {ticks_time(value, clock_hz)}")


def _number_term(label: str, shown: str, tooltip: str) -> html.Div:
    return html.Div([html.Dt(label), html.Dd(shown, className="ts-number")], title=tooltip)


def selection_words(selection: Selection, unit: str = "cycles") -> dict[str, str]:
    """Map each selected field (track, iteration, window, duration, kind, program, kernel) to words,
    such as `tile core 2,3`; empty if there is no selection.

    The program is left out if a kind is selected. Unit `ns` means a profile, which has tracks and
    kernels; a capture has tiles and kinds.
    """
    profile = unit == NANOSECONDS
    words = {}
    if selection.track is not None:
        words["track"] = f"{'track' if profile else 'tile'} {shorten(selection.track, 30)}"
    if selection.iteration is not None:
        words["iteration"] = f"iteration {selection.iteration}"
    if selection.window is not None:
        words["window"] = _window_words(*selection.window, unit)
    if selection.duration is not None:
        words["duration"] = f"kernels of {_range_words(*selection.duration, unit)}"
    if selection.kind is not None:
        words["kind"] = f"{'kernel' if profile else 'kind'} {shorten(key_text(selection.kind), 40)}"
    elif selection.program is not None:
        words["program"] = f"program {selection.program}"
    for part, label in (("op", "operator"), ("python", "Python")):
        key = getattr(selection, part)
        if key is not None:
            words[part] = f"{label} {shorten(key_text(key), 40)}"
    if selection.kernel is not None:
        words["kernel"] = f"execution {selection.kernel}"
    return words


def _window_words(begin: int, end: int, unit: str) -> str:
    if unit == NANOSECONDS:
        return f"{duration_text(end - begin)} from {exact_time(begin)}"
    return _range_words(begin, end, unit)


def _range_words(low: int, high: int, unit: str) -> str:
    if unit == NANOSECONDS:
        return f"{exact_time(low)} – {exact_time(high)}"
    return f"{integer(low)} – {integer(high)} {unit}"
