"""Tools that compare runs: with runs, with a baseline, and over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import urlencode

from pydantic import Field

from analysis.comparison.rows import ResultRow
from app.context import AppContext
from app.gate_formats import comparison_url
from app.mcp.answers import offset_of, quote
from app.mcp.tool import AskedPage, Filters, Found, Record, Run, Texts, Tool, ToolError
from components.comparison.trend_words import value_text
from components.comparison.words import headline
from components.numbers import count_text
from schema.comparison import MOST_RUNS
from services.comparison.compare import Comparison
from services.comparison.compare import compare as compared
from services.gate.gate import check as checked
from services.trends.compared_trend import trend as trend_of
from services.trends.run_filters import FILTERS

_MOST_REASONS, _MOST_CAUSES, _MOST_EVENTS = 20, 20, 20
"""Maximum number of reasons, causes, and steps per series in a result."""
_COMPARE_S = 5.0
"""Seconds for which a call of `trend` compares runs around steps and dips.

Comparisons are cached, so that the next call continues.
"""


class Compare(AskedPage):
    """Arguments of the tool `compare`."""

    base: Annotated[Texts, Field(min_length=1, max_length=MOST_RUNS, description="Ids of the runs before.")]
    new: Annotated[Texts, Field(min_length=1, max_length=MOST_RUNS, description="Ids of the runs after.")]


def _compare(context: AppContext, asked: Compare) -> Found:
    base, new = ([context.repository.resolve(run) for run in side] for side in (asked.base, asked.new))
    found = compared(context.repository, base, new, load=context.comparisons.load)
    rows = sorted(found.rows, key=_rank)
    return _verdict(found, found.reasons, rows, asked.cursor, f"{found.verdict}: {_headline(found)}")


class Check(AskedPage):
    """Arguments of the tool `check`."""

    run: Run
    baseline: str = Field(max_length=500, description="Name of a baseline or baseline rule.")


def _check(context: AppContext, asked: Check) -> Found:
    run = context.repository.resolve(asked.run)
    found = checked(context.repository, [run], asked.baseline, {}, keep=False)
    rows = [row for row in found.comparison.rows if row.gates]
    answer = f"{found.comparison.verdict} against {quote(asked.baseline)}: {_headline(found.comparison)}"
    return _verdict(found.comparison, found.notes, rows, asked.cursor, answer)


def _headline(found: Comparison) -> str:
    """Write the caption of the comparison page, in quotes if it contains names from files."""
    names = {row.key for row in found.rows if row.key} | {cause.where for cause in found.attribution if cause.where}
    said = headline(found.rows, found.attribution, found.verdict)
    # The sentence may quote names from files, which must not read as instructions.
    return said if not any(name in said for name in names) else f"{quote(said, 400)}"


def _verdict(
    found: Comparison, reasons: Sequence[str], rows: Sequence[ResultRow], cursor: str | None, said: str
) -> Found:
    begin = offset_of(cursor)
    causes = [cause.record() for cause in found.attribution[:_MOST_CAUSES]]
    told = [*reasons[:_MOST_REASONS]]

    def data(items: Sequence[Any]) -> Record:
        return {"verdict": found.verdict, "reasons": told, "metrics": items, "attribution": causes}

    return Found(said, comparison_url(found, {}, ""), data, [row.record() for row in rows[begin:]], begin)


def _rank(row: ResultRow) -> tuple[bool, bool, float]:
    """Compute the sort key of a row: whole runs first, then changed numbers, then large changes."""
    changed = row.judged.verdict in ("improved", "regressed")
    size = abs(row.relative) if row.relative is not None else abs(row.delta or 0.0)
    return row.level != "run", not changed, -size


class Trend(Filters, AskedPage):
    """Arguments of the tool `trend`."""

    metric: str = Field(max_length=100, description="Such as gmacs_mean, peak_memory, median_kernel.")


def _trend(context: AppContext, asked: Trend) -> Found:
    filters = {name: _single(name, values) for name, values in asked.chosen().items()}
    found = trend_of(context.repository, asked.metric, filters, answers=context.trends, seconds=_COMPARE_S)
    record: Mapping[str, Any] = found.record()
    series: list[Record] = record["series"]
    points = [(rank, point) for rank, one in enumerate(series) for point in one["points"]]
    begin = offset_of(asked.cursor)

    def data(items: Sequence[Any]) -> Record:
        ranks = list(dict.fromkeys(rank for rank, _ in items))
        shown = [_series(series[rank], [point for at, point in items if at == rank]) for rank in ranks]
        if len(series) > 1:
            return {"metric": record["metric"], "series": shown}
        own = shown[0] if shown else {"points": [], "change_points": [], "note": record["note"]}
        return {"metric": record["metric"], **{name: own[name] for name in ("points", "change_points", "note")}}

    runs = count_text(len(points), "run")
    query = urlencode({"metric": asked.metric, **{name: filters[name] for name in FILTERS if name in filters}})
    if not points:
        return Found(f"0 runs have {found.metric.label}, in {found.metric.unit}.", f"/trends?{query}", data)
    newest = max((point for one in found.series for point in one.points), key=lambda point: point.date)
    changes = sum(len(one["change_points"]) for one in series)
    answer = (
        f"{found.metric.label} of {runs} in {len(series)} series, {count_text(changes, 'step')}; "
        f"the newest is {value_text(newest.value, found.metric)} of run {newest.run_id[:12]}."
    )
    if found.left:
        answer += f" {count_text(found.left, 'change')} still to be compared: ask again."
    return Found(answer, f"/trends?{query}", data, points[begin:], begin)


def _single(name: str, values: Sequence[str]) -> str:
    if len(values) > 1:
        raise ToolError(f"trend takes one value of {name}")
    return values[0]


def _series(series: Record, points: list[Record]) -> Record:
    """Build the record of a series with only these points and its last steps."""
    return {
        "key": series["key"],
        "points": points,
        "change_points": series["change_points"][-_MOST_EVENTS:],
        "note": series["note"],
    }


COMPARE = Tool(
    "compare",
    "Compare runs before with runs after: verdict, reasons, numbers with thresholds, and what a change is made of.",
    Compare,
    _compare,
)
CHECK = Tool("check", "Whether a run regressed against a baseline, by the numbers that gate.", Check, _check)
TREND = Tool("trend", "A number over time, with its steps; a series for each kind of run.", Trend, _trend)
