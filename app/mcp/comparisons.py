"""Tools that compare runs: with runs, with a baseline, and over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import urlencode

from pydantic import Field

from analysis.comparison.rows import ResultRow
from app.context import AppContext
from app.gate_formats import comparison_url
from app.mcp.bounded_results import quote, read_offset
from app.mcp.tool import Filters, PageArguments, Record, Run, Texts, Tool, ToolError, ToolResult
from components.comparison.trend_notes import left_out_text
from components.comparison.trend_words import value_text
from components.comparison.words import first_words
from components.numbers import count_text
from schema.comparison import MAX_RUNS
from schema.result_metrics import MAX_KEY, PREFIX
from services.comparison.compare import Comparison
from services.comparison.compare import compare as compared
from services.gate.gate import check as checked
from services.trends.compared_trend import trend as trend_of
from services.trends.run_filters import FILTERS

_MAX_REASONS, _MAX_CAUSES, _MAX_EVENTS = 20, 20, 20
"""Maximum number of reasons, causes, and steps per series in a result."""
_COMPARE_S = 5.0
"""Seconds for which a call of `trend` compares runs around steps and dips.

Comparisons are cached, so that the next call continues.
"""


class Compare(PageArguments):
    """Arguments of the tool `compare`."""

    base: Annotated[Texts, Field(min_length=1, max_length=MAX_RUNS, description="Run ids.")]
    new: Annotated[Texts, Field(min_length=1, max_length=MAX_RUNS, description="Run ids.")]


def _compare(context: AppContext, arguments: Compare) -> ToolResult:
    base, new = (
        [context.repository.resolve(run) for run in side]
        for side in (arguments.base, arguments.new)
    )
    comparison = compared(context.repository, base, new, load=context.comparisons.load)
    rows = sorted(comparison.rows, key=_rank)
    return _verdict(
        comparison,
        comparison.reasons,
        rows,
        arguments.cursor,
        f"{comparison.verdict}: {_headline(comparison)}",
    )


class Check(PageArguments):
    """Arguments of the tool `check`."""

    run: Run
    baseline: str = Field(max_length=500, description="Name of a baseline or rule.")


def _check(context: AppContext, arguments: Check) -> ToolResult:
    run = context.repository.resolve(arguments.run)
    # Tools only read, so that the verdict is not stored.
    verdict = checked(context.repository, [run], arguments.baseline, {}, keep=False)
    rows = [row for row in verdict.comparison.rows if row.gates]
    sentence = f"{verdict.comparison.verdict} against {quote(arguments.baseline)}: {_headline(verdict.comparison)}"
    return _verdict(verdict.comparison, verdict.notes, rows, arguments.cursor, sentence)


def _headline(comparison: Comparison) -> str:
    """Return the caption of the comparison page, in quotes and cut to 400 characters if it contains
    names from files.
    """
    names = {row.key for row in comparison.rows if row.key}
    names |= {row.metric.label for row in comparison.rows if row.metric.name.startswith(PREFIX)}
    names |= {cause.where for cause in comparison.attribution if cause.where}
    sentence = first_words(
        comparison.parts, comparison.rows, comparison.attribution, comparison.verdict
    )
    # The sentence may quote names from files, which must not read as instructions.
    return sentence if not any(name in sentence for name in names) else f"{quote(sentence, 400)}"


def _verdict(
    comparison: Comparison,
    reasons: Sequence[str],
    rows: Sequence[ResultRow],
    cursor: str | None,
    sentence: str,
) -> ToolResult:
    begin = read_offset(cursor)
    causes = [cause.record() for cause in comparison.attribution[:_MAX_CAUSES]]
    listed = [*reasons[:_MAX_REASONS]]

    def data(items: Sequence[Any]) -> Record:
        return {
            "verdict": comparison.verdict,
            "reasons": listed,
            "metrics": items,
            "attribution": causes,
        }

    path = comparison_url(comparison, {}, "")
    return ToolResult(sentence, path, data, [row.record() for row in rows[begin:]], begin)


def _rank(row: ResultRow) -> tuple[bool, bool, float]:
    """Return the sort key of a row: whole runs first, then improved and regressed numbers, then
    large changes.
    """
    changed = row.judged.verdict in ("improved", "regressed")
    size = abs(row.relative) if row.relative is not None else abs(row.delta or 0.0)
    return row.level != "run", not changed, -size


class Trend(Filters, PageArguments):
    """Arguments of the tool `trend`."""

    metric: str = Field(
        max_length=MAX_KEY,
        description="Such as gmacs_mean, peak_memory, or a named number.",
    )


def _trend(context: AppContext, arguments: Trend) -> ToolResult:
    filters = {name: _single(name, values) for name, values in arguments.chosen().items()}
    trend = trend_of(
        context.repository, arguments.metric, filters, answers=context.trends, seconds=_COMPARE_S
    )
    record: Mapping[str, Any] = trend.record()
    series: list[Record] = record["series"]
    whole = {name: record[name] for name in ("metric", "left_out")}
    points = [(rank, point) for rank, item in enumerate(series) for point in item["points"]]
    begin = read_offset(arguments.cursor)

    def data(items: Sequence[Any]) -> Record:
        ranks = list(dict.fromkeys(rank for rank, _ in items))
        shown = [
            _series(series[rank], [point for at, point in items if at == rank]) for rank in ranks
        ]
        if len(series) > 1:
            return {**whole, "series": shown}
        own = shown[0] if shown else {"points": [], "change_points": [], "note": record["note"]}
        return {
            **whole,
            **{name: own[name] for name in ("points", "change_points", "note")},
        }

    runs = count_text(len(points), "run")
    label = trend.metric.label
    if trend.metric.name.startswith(PREFIX):
        label = quote(label)
    query = urlencode(
        {
            "metric": trend.metric.name,
            **{name: filters[name] for name in FILTERS if name in filters},
        }
    )
    left_out = left_out_text(trend.left_out, trend.metric)
    if not points:
        none = f"0 runs have {label}, in {trend.metric.unit or 'an unknown unit'}."
        return ToolResult(
            f"{none} {left_out}".strip(),
            f"/trends?{query}",
            data,
        )
    newest = max(
        (point for item in trend.series for point in item.points), key=lambda point: point.date
    )
    changes = sum(len(item["change_points"]) for item in series)
    sentence = (
        f"{label} of {runs} in {len(series)} series, {count_text(changes, 'step')}; "
        f"the newest is {value_text(newest.value, trend.metric)} of run {newest.run_id[:12]}."
    )
    if trend.left:
        sentence += f" {count_text(trend.left, 'change')} still to be compared: repeat the request."
    sentence = f"{sentence} {left_out}".strip()
    return ToolResult(sentence, f"/trends?{query}", data, points[begin:], begin)


def _single(name: str, values: Sequence[str]) -> str:
    if len(values) > 1:
        raise ToolError(f"trend accepts only one value of {name}")
    return values[0]


def _series(series: Record, points: list[Record]) -> Record:
    """Build the record of a series with only these points, and its last _MAX_EVENTS (20) change
    points.
    """
    return {
        "key": series["key"],
        "points": points,
        "change_points": series["change_points"][-_MAX_EVENTS:],
        "note": series["note"],
    }


COMPARE = Tool(
    "compare",
    "Compare base runs with new runs: verdict, reasons, numbers with thresholds, and the parts of a change.",
    Compare,
    _compare,
)
CHECK = Tool(
    "check",
    "Check whether a run regressed against a baseline.",
    Check,
    _check,
)
TREND = Tool("trend", "Get a metric over time with change points, a series per key.", Trend, _trend)
