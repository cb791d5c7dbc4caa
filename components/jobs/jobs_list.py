"""List of jobs: title, progress, elapsed and remaining time, and failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from dash import html
from dash.development.base_component import Component

from components.aria import aria
from components.numbers import DASH, integer, tame
from storage.jobs import CANCELLED, DONE, FAILED, QUEUED, RUNNING, Job, JobTask

_TITLES: Mapping[str, str] = MappingProxyType(
    {
        "ingest": "Ingest files",
        "derive": "Recompute runs",
        "retention": "Delete old runs",
        "orphans": "Find files without a run",
    }
)
"""Kind of job -> title."""
_LOOKS: Mapping[str, str] = MappingProxyType(
    {QUEUED: "muted", RUNNING: "accent", DONE: "good", FAILED: "trouble", CANCELLED: "muted"}
)
"""State of a job -> role of its colour."""
SHOWN_FAILURES = 5
"""Failed files or runs that are listed per job."""
_SOON_S = 1.0
"""Durations below this many seconds are not given as a number."""


def jobs_list(
    jobs: Sequence[Job],
    failures: Mapping[str, Sequence[JobTask]],
    *,
    changes: bool,
    resumable: Sequence[str],
) -> list[Component]:
    """Build the list of jobs in the given order; if there are no jobs, a paragraph that states
    this.

    `failures` maps a job's id to its first failed tasks. `changes` is whether the user may cancel
    and resume jobs, `resumable` lists the kinds of jobs that can be resumed.
    """
    if not jobs:
        return [
            html.P(
                "No jobs yet. Jobs are ingests of many files and tasks that are started here.",
                className="ts-empty",
            )
        ]
    return [
        _job(job, failures.get(job.job_id, ()), changes=changes, resumable=resumable)
        for job in jobs
    ]


def _job(
    job: Job, failures: Sequence[JobTask], *, changes: bool, resumable: Sequence[str]
) -> html.Article:
    title = f"{_TITLES.get(job.kind, job.kind)} {_arguments(job)}".strip()
    buttons = _buttons(job, resumable) if changes else []
    return html.Article(
        [
            html.Div(
                [
                    html.H2(title, className="ts-job-title"),
                    html.Span(
                        _state_words(job), className=f"ts-job-state ts-job-state-{_look(job)}"
                    ),
                    html.Span(className="ts-grow"),
                    *buttons,
                ],
                className="ts-job-head",
            ),
            _bar(job, title),
            html.P(
                f"{counts_words(job)} · {tame(job.created_by)} · {_time_words(job)}",
                className="ts-panel-hint",
            ),
            *([html.P(tame(job.message), className="ts-trouble")] if job.message else []),
            *_failures(job, failures),
        ],
        className="ts-panel ts-job",
    )


def _is_part(job: Job) -> bool:
    """Whether a job finished all of its tasks and some, but not all, of them failed."""
    return job.state == FAILED and 0 < job.failed < job.done == job.total


def _state_words(job: Job) -> str:
    return "done, with failures" if _is_part(job) else job.state


def _look(job: Job) -> str:
    return "caution" if _is_part(job) else _LOOKS.get(job.state, "muted")


def _bar(job: Job, title: str) -> Component:
    total = job.total or 1
    # Failed tasks have a segment of their own at the end of the bar.
    shares = ((job.done - job.failed, f"ts-job-{_look(job)}"), (job.failed, "ts-job-trouble"))
    filled = [
        html.Div(className=f"ts-job-share {look}", style={"width": f"{100 * count / total:.1f}%"})
        for count, look in shares
    ]
    role: dict[str, Any] = {"role": "progressbar"}
    return html.Div(
        filled,
        className="ts-job-bar",
        **role,
        **aria(valuenow=str(job.done), valuemin="0", valuemax=str(job.total), label=title),
    )


def counts_words(job: Job) -> str:
    """Format the number of finished tasks, of all tasks, and of failed tasks: `3 of 8, 1
    failed`.
    """
    failed = f", {integer(job.failed)} failed" if job.failed else ""
    return f"{integer(job.done)} of {integer(job.total)}{failed}"


def _arguments(job: Job) -> str:
    if job.kind == "retention":
        by = ", ".join(map(str, job.arguments.get("by", ()))) or "all runs"
        return f"(keep {job.arguments.get('keep_last')} by {tame(by)})"
    if job.kind == "orphans" and job.arguments.get("remove"):
        return "and remove them"
    return ""


def _time_words(job: Job) -> str:
    """Format the start of a job, and how long it took, or its expected remaining time while it
    runs: `2026-01-31 09:30:00 UTC · took 5 min 3 s`.
    """
    began = _moment(job.started_at or job.created_at)
    start = f"{began:%Y-%m-%d %H:%M:%S} UTC"
    if job.ended_at:
        return f"{start} · took {duration_words((_moment(job.ended_at) - began).total_seconds())}"
    if job.state == RUNNING and job.done and job.total:
        passed = (datetime.now(UTC) - began).total_seconds()
        # Assumes that the remaining tasks take as long as the finished tasks on average.
        left = passed / job.done * (job.total - job.done)
        return (
            f"{start} · {'almost done' if left < _SOON_S else f'about {duration_words(left)} left'}"
        )
    return start


def duration_words(seconds: float) -> str:
    """Format a duration in seconds in its two largest units of d, h, min and s: `2 h 5 min`.

    Below a minute it is whole seconds, below a second `less than a second`.
    """
    if seconds < _SOON_S:
        return "less than a second"
    whole = round(seconds)
    for size, unit, below, small in (
        (86_400, "d", 3_600, "h"),
        (3_600, "h", 60, "min"),
        (60, "min", 1, "s"),
    ):
        if whole >= size:
            return f"{whole // size} {unit} {whole % size // below} {small}"
    return f"{whole} s"


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _buttons(job: Job, resumable: Sequence[str]) -> list[Component]:
    if not job.is_over:
        return [_button("cancel", "Cancel", job)]
    if job.state in (FAILED, CANCELLED) and job.kind in resumable:
        return [_button("resume", "Go on", job)]
    return []


def _button(what: str, words: str, job: Job) -> html.Button:
    named = {"type": f"job-{what}", "job": job.job_id}
    return html.Button(
        words, id=named, className="ts-button", **aria(label=f"{words}: {job.kind} {job.job_id}")
    )


def _failures(job: Job, failures: Sequence[JobTask]) -> list[Component]:
    if not failures:
        return []
    shown = [html.Li([html.Code(tame(task.name)), f": {tame(_reason(task))}"]) for task in failures]
    more = job.failed - len(failures)
    rest = (
        [html.Li(f"{integer(more)} more {DASH} GET /api/v1/jobs/{job.job_id}")] if more > 0 else []
    )
    return [html.Ul([*shown, *rest], className="ts-job-failures")]


def _reason(task: JobTask) -> str:
    return str((task.answer or {}).get("reason") or "failed")
