"""Tools that find runs and describe a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from pydantic import Field

from app.context import AppContext
from app.mcp.answers import cursor_at, offset_of, place_of, quote
from app.mcp.tool import Asked, AskedPage, Filters, Found, Record, Run, Tool, ToolError
from components.numbers import count_text, in_unit
from schema.metrics import METRICS
from services.run.frames import find_frame
from storage.run_query import PagePosition, RunQuery
from storage.stored_run import StoredRun

_AT_ONCE = 100
"""Maximum number of runs in a result."""
_MOST_TOLD = 4
"""Maximum number of metrics in the sentence about a run."""
_NAMED = ("run_id", "name", "source", "hwid", "M", "K", "N", "tags", "created_at", "errors", "warnings")
"""Columns of a run in a list, in addition to its metrics."""


class FindRuns(Filters, AskedPage):
    """Arguments of the tool `find_runs`."""

    text: str = Field("", max_length=500, description="Words that all fit: name, file, tag, commit, ...")
    limit: Annotated[int, Field(ge=1, le=_AT_ONCE)] = 50


def _find_runs(context: AppContext, asked: FindRuns) -> Found:
    answers, fits = context.runs.now(), asked.fits(asked.text)
    begin = _position(asked.cursor)
    page = answers.page(RunQuery(fits, after=begin, limit=asked.limit))
    count = answers.counts(fits).totals.runs
    rows = [_row(run) for run in page.runs]

    def after(given: int) -> str | None:
        # When fewer rows fit, the cursor needs the position of the last row that fits.
        shown = page if given == len(rows) else answers.page(RunQuery(fits, after=begin, limit=max(given, 1)))
        return cursor_at(shown.last.date, shown.last.run_id) if shown.last else None

    verb = "fits" if count == 1 else "fit"
    query = urlencode([(name, one) for name, values in asked.chosen().items() for one in values] + [("q", asked.text)])
    return Found(f"{count_text(count, 'run')} {verb}, newest first.", f"/?{query}", _as("runs"), rows, after=after)


def _position(cursor: str | None) -> PagePosition | None:
    match place_of(cursor):
        case ():
            return None
        case (str(date), str(run_id)):
            return PagePosition(date, date, run_id)
    raise ToolError("cursor: this is none that the answer before gave")


def _row(run: StoredRun) -> Record:
    """Build the row of a run: its identity, and its known metrics."""
    record = run.record()
    named = {name: record[name] for name in _NAMED if record.get(name) not in (None, "")}
    return named | {name: record[name] for name in METRICS if record.get(name) is not None}


def _as(name: str) -> Callable[[Sequence[Any]], Record]:
    return lambda items: {name: items}


class OneRun(Asked):
    """Arguments of a tool about a run."""

    run: Run


def _describe_run(context: AppContext, asked: OneRun) -> Found:
    stored = context.repository.find_run(context.repository.resolve(asked.run))
    record = {name: value for name, value in stored.record().items() if value is not None}
    numbers = [
        f"{metric.label} {_number(record[name], metric.unit)}" for name, metric in METRICS.items() if name in record
    ]
    health = f"{count_text(stored.errors, 'error')}, {count_text(stored.warnings, 'warning')}"
    told = "; ".join([*numbers[:_MOST_TOLD], health])
    answer = f"Run {stored.run_id[:12]} {quote(record['name'])} of source {record['source']}: {told}."
    return Found(answer, f"/run/{stored.run_id}", lambda _: {"run": record})


def _number(value: float, unit: str) -> str:
    shown = in_unit(value, unit)
    return f"{shown} {unit}" if unit in ("GMAC/s", "cycles") else shown


class Findings(OneRun, AskedPage):
    """Arguments of the tool `findings`."""

    severity: Literal["error", "warning", "info"] | None = None


def _findings(context: AppContext, asked: Findings) -> Found:
    run = context.repository.resolve(asked.run)
    frame = find_frame(context.repository, run, "diagnostics")
    counts = frame["severity"].astype("str").value_counts()
    said = ", ".join(count_text(int(counts.get(name, 0)), word) for name, word in _SEVERITIES.items())
    chosen = frame if asked.severity is None else frame[frame["severity"].astype("str") == asked.severity]
    rows = chosen[["severity", "code", "message", "location", "count"]].astype(object).to_dict("records")
    begin = offset_of(asked.cursor)
    answer = f"{count_text(len(frame), 'finding')}: {said}."
    return Found(answer, f"/run/{run}#health", _as("findings"), rows[begin:], begin)


_SEVERITIES = {"error": "error", "warning": "warning", "info": "note"}


class ListFrames(OneRun, AskedPage):
    """Arguments of the tool `list_frames`."""


def _list_frames(context: AppContext, asked: ListFrames) -> Found:
    stored = context.repository.find_run(context.repository.resolve(asked.run))
    counts = {"run": 1} | stored.frames | stored.derived
    largest = max(counts, key=lambda name: counts[name])
    rows = [{"name": name, "rows": count} for name, count in counts.items()]
    begin = offset_of(asked.cursor)
    answer = f"{count_text(len(rows), 'frame')}; the largest is {largest} with {count_text(counts[largest], 'row')}."
    return Found(answer, f"/run/{stored.run_id}#tables", _as("frames"), rows[begin:], begin)


FIND_RUNS = Tool(
    "find_runs",
    "Find runs of accelerator traces and memory maps, newest first: id, name, source, hwid and their numbers.",
    FindRuns,
    _find_runs,
    computes=False,
)
DESCRIBE_RUN = Tool(
    "describe_run",
    "All that is known of one run: settings and headline numbers.",
    OneRun,
    _describe_run,
    computes=False,
)
FINDINGS = Tool(
    "findings", "What is wrong with a run, or to be known of it: errors, warnings, notes.", Findings, _findings
)
LIST_FRAMES = Tool(
    "list_frames",
    "The tables of a run that `query` can read, with their rows.",
    ListFrames,
    _list_frames,
    computes=False,
)
