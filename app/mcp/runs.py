"""Tools that find runs and describe a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from app.context import AppContext
from app.mcp.bounded_results import make_cursor, quote, read_cursor, read_offset
from app.mcp.tool import Arguments, Filters, PageArguments, Record, Run, Tool, ToolError, ToolResult
from components.counts import with_unit
from components.numbers import count_text, in_unit
from components.runs.list_address import list_address
from schema.metrics import METRICS
from services.run.frames import find_frame
from storage.run_query import PagePosition, RunQuery
from storage.stored_run import StoredRun

_MAX_RUNS = 100
"""Maximum number of runs in a result."""
_MAX_METRICS = 4
"""Maximum number of metrics in the sentence about a run."""
_NAMED = (
    "run_id",
    "name",
    "source",
    "hwid",
    "M",
    "K",
    "N",
    "tags",
    "created_at",
    "errors",
    "warnings",
    "impossible",
)
"""Columns of a run in a list, in addition to its metrics."""


class FindRuns(Filters, PageArguments):
    """Arguments of the tool `find_runs`."""

    text: str = Field(
        "", max_length=500, description="Words that all occur in name, file, tag, commit, ..."
    )
    limit: Annotated[int, Field(ge=1, le=_MAX_RUNS)] = 50


def _find_runs(context: AppContext, arguments: FindRuns) -> ToolResult:
    listed = context.runs.now()
    fits = arguments.fits(arguments.text)
    begin = _position(arguments.cursor)
    page = listed.page(RunQuery(fits, after=begin, limit=arguments.limit))
    total = listed.counts(fits).totals.runs
    rows = [_row(run) for run in page.runs]

    def after(count: int) -> str | None:
        # When fewer rows fit, the cursor needs the position of the last row that fits.
        shown = (
            page
            if count == len(rows)
            else listed.page(RunQuery(fits, after=begin, limit=max(count, 1)))
        )
        return make_cursor(shown.last.date, shown.last.run_id) if shown.last else None

    verb = "fits" if total == 1 else "fit"
    filters = [(name, value) for name, values in arguments.chosen().items() for value in values]
    return ToolResult(
        f"{count_text(total, 'run')} {verb}, newest first.",
        list_address([*filters, ("q", arguments.text)]),
        _wrap_items("runs"),
        rows,
        after=after,
    )


def _position(cursor: str | None) -> PagePosition | None:
    match read_cursor(cursor):
        case ():
            return None
        case (str(date), str(run_id)):
            return PagePosition(date, date, run_id)
    raise ToolError("cursor: not a cursor of the previous response")


def _row(run: StoredRun) -> Record:
    """Build the row of a run: its columns _NAMED without missing and empty values, its known
    metrics, and `impossible` if any of these is.
    """
    record = run.record()
    named = {name: record[name] for name in _NAMED if record.get(name) not in (None, "", [])}
    return named | {name: record[name] for name in METRICS if record.get(name) is not None}


def _wrap_items(name: str) -> Callable[[Sequence[Any]], Record]:
    return lambda items: {name: items}


class RunArguments(Arguments):
    """Arguments of a tool about a run."""

    run: Run


def _describe_run(context: AppContext, arguments: RunArguments) -> ToolResult:
    stored = context.repository.find_run(context.repository.resolve(arguments.run))
    record = {name: value for name, value in stored.record().items() if value is not None}
    numbers = [
        f"{metric.label} {_format_number(record[name], metric.unit)}{_doubt(name, record)}"
        for name, metric in METRICS.items()
        if name in record
    ]
    health = f"{count_text(stored.errors, 'error')}, {count_text(stored.warnings, 'warning')}"
    facts = "; ".join([*numbers[:_MAX_METRICS], health])
    sentence = (
        f"Run {stored.run_id[:12]} {quote(record['name'])} of source {record['source']}: {facts}."
    )
    return ToolResult(sentence, f"/run/{stored.run_id}", lambda _: {"run": record})


def _doubt(name: str, record: Record) -> str:
    return " (impossible)" if name in record["impossible"] else ""


def _format_number(value: float, unit: str) -> str:
    return with_unit(in_unit(value, unit), unit)


class Findings(RunArguments, PageArguments):
    """Arguments of the tool `findings`."""

    severity: Literal["error", "warning", "info"] | None = None


def _findings(context: AppContext, arguments: Findings) -> ToolResult:
    run = context.repository.resolve(arguments.run)
    frame = find_frame(context.repository, run, "diagnostics")
    counts = frame["severity"].astype("str").value_counts()
    by_severity = ", ".join(
        count_text(int(counts.get(name, 0)), word) for name, word in _SEVERITIES.items()
    )
    chosen = (
        frame
        if arguments.severity is None
        else frame[frame["severity"].astype("str") == arguments.severity]
    )
    rows = (
        chosen[["severity", "code", "message", "location", "count"]]
        .astype(object)
        .to_dict("records")
    )
    begin = read_offset(arguments.cursor)
    sentence = f"{count_text(len(frame), 'finding')}: {by_severity}."
    return ToolResult(sentence, f"/run/{run}#health", _wrap_items("findings"), rows[begin:], begin)


_SEVERITIES = {"error": "error", "warning": "warning", "info": "note"}


class ListFrames(RunArguments, PageArguments):
    """Arguments of the tool `list_frames`."""


def _list_frames(context: AppContext, arguments: ListFrames) -> ToolResult:
    stored = context.repository.find_run(context.repository.resolve(arguments.run))
    # Frame `run` is the row of the catalogue and has no file.
    counts = {"run": 1} | stored.frames | stored.derived
    largest = max(counts, key=lambda name: counts[name])
    rows = [{"name": name, "rows": count} for name, count in counts.items()]
    begin = read_offset(arguments.cursor)
    sentence = f"{count_text(len(rows), 'frame')}; the largest is {largest} with {count_text(counts[largest], 'row')}."
    return ToolResult(
        sentence, f"/run/{stored.run_id}#tables", _wrap_items("frames"), rows[begin:], begin
    )


FIND_RUNS = Tool(
    "find_runs",
    "Find runs, newest first: id, name, source, hwid and their numbers.",
    FindRuns,
    _find_runs,
    computes=False,
)
DESCRIBE_RUN = Tool(
    "describe_run",
    "Get the settings and headline numbers of a run.",
    RunArguments,
    _describe_run,
    computes=False,
)
FINDINGS = Tool(
    "findings",
    "List the findings of a run: errors, warnings, notes.",
    Findings,
    _findings,
)
LIST_FRAMES = Tool(
    "list_frames",
    "List the tables of a run for `query`, with numbers of rows.",
    ListFrames,
    _list_frames,
    computes=False,
)
