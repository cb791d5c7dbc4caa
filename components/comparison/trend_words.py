"""Texts of a trend: sizes of changes, levels, and the caption."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from urllib.parse import urlencode

from analysis.comparison.series import Development, JudgedEvent, Series, rank_changes
from components.comparison.trend_names import position_names
from components.metric_text import metric_text
from components.numbers import (
    DASH,
    count_text,
    integer,
    relative_text,
    shorten,
)
from schema.metrics import Metric

_MAX_EVENTS = 5
"""Maximum number of events of a series that its sentence describes."""
_PENDING = "being compared"

Show = Callable[[float], str]
"""Function that formats a number."""


def date_text(date: str) -> str:
    """Format an ISO 8601 date to the minute: `2026-01-31 09:30`."""
    return date[:16].replace("T", " ")


def value_text(value: float, metric: Metric) -> str:
    """Format a number of a metric with its unit, such as 12.3 GMAC/s."""
    return f"{metric_text(value, metric)} {metric.share_of}".rstrip()


def size_text(event: JudgedEvent) -> str:
    """Format the relative change of an event, such as +5.0 %; a dash while its runs are being
    compared.
    """
    return DASH if event.basis == "pending" else relative_text(event.relative)


def outcome_text(event: JudgedEvent) -> str:
    """Return the verdict of an event, or "being compared" while there is none."""
    return _PENDING if event.basis == "pending" else event.verdict


def change_text(event: JudgedEvent) -> str:
    """Write size, runs and outcome of a change: `step of −5.0 % vs before at run
    12, regressed`.
    """
    what = _kind_text(event)
    return f"{what} {runs_text(event)}, {outcome_text(event)}"


def mark_text(event: JudgedEvent) -> str:
    """Write the label of a change's mark: its kind and size, such as `step −5.0 %`.

    While its runs are being compared there is no size: "" for a step.
    """
    size = "" if event.basis == "pending" else relative_text(event.relative)
    return f"{event.kind} {size}".strip() if size or event.kind != "step" else ""


def _kind_text(event: JudgedEvent) -> str:
    if event.basis == "pending":
        return event.kind
    return f"{event.kind} of {relative_text(event.relative)} vs before"


def runs_text(event: JudgedEvent) -> str:
    """Write at which run or runs an event is, counted from 1: `at run 3`, or `from run 3 to 5`."""
    if event.kind == "step" or event.first == event.last:
        return f"at run {integer(event.first + 1)}"
    return f"from run {integer(event.first + 1)} to {integer(event.last + 1)}"


def compare_address(series: Series, event: JudgedEvent) -> str:
    """Build the address that compares the runs before an event with the runs of the event, such as
    `/compare?base=..&new=..`.

    For a drift it compares the first runs with the last runs.
    """
    base, new = series.sides(event)
    return "/compare?" + urlencode(
        [*(("base", run) for run in base), *(("new", run) for run in new)]
    )


def development_text(runs: int, development: Development, show: Show) -> str:
    """Describe how a number developed over `runs` runs: where it began, then its changes in order.

    Only the last 5 changes (_MAX_EVENTS) are described; older changes are counted. The
    development's note, if it has one, is returned instead.
    """
    if development.note:
        return development.note
    events = development.changes[-_MAX_EVENTS:]
    odd = odd_runs(development)
    if not events and not odd:
        return (
            f"holds its level at {show(development.parts[0].median)} over {count_text(runs, 'run')}"
        )
    before = len(development.changes) - len(events)
    level = show(events[0].before if events else development.parts[0].median)
    parts = [f"{count_text(before, 'older change')}, then {level}" if before else level]
    for event in events:
        parts.append(_event_text(development, event, show, level))
        # A dip returns to its level, all other events end at a new level.
        level = show(development.find_part(event).median if event.kind == "dip" else event.after)
    return ", ".join([*parts, *([count_text(odd, "odd run")] if odd else [])])


def odd_runs(development: Development) -> int:
    """Count the runs that are spikes, that is outliers which are not changes."""
    return sum(
        event.last - event.first + 1 for event in development.events if event.kind == "spike"
    )


def _event_text(development: Development, event: JudgedEvent, show: Show, level: str) -> str:
    """Describe an event after a level that was written before: verb, levels, size and runs.

    The old level is left out if its text equals `level`. While its runs are being compared, only
    kind and runs are given.
    """
    runs = runs_text(event)
    if event.basis == "pending":
        return f"{event.kind} {runs} ({_PENDING})"
    begin = show(event.before)
    movement = f"{_verb(event)}{'' if begin == level else f' from {begin}'} to {show(event.after)}"
    back = f", back at {show(development.find_part(event).median)}" if event.kind == "dip" else ""
    return f"{movement} ({relative_text(event.relative)}) {runs}{back}"


def _verb(event: JudgedEvent) -> str:
    if event.kind == "drift":
        return "drifted"
    if event.relative >= 0:
        return "rose"
    return "dipped" if event.kind == "dip" else "fell"


def trends_caption(series: Sequence[Series], metric: Metric) -> str:
    """Write the caption: the last regression, else the last change, and a count of other changes.

    A regression that lasts comes before a regression that has recovered. When there are no changes,
    the caption states that the levels hold, or why this is unknown.
    """
    ranked = rank_changes(series)
    if not ranked:
        return _steady(series, metric)
    at, event = ranked[0]
    name = position_names([other.key for other in series], {at})[at]
    curve = series[at]
    point = curve.points[event.first]
    run = f"{shorten(point.name, 50)}, {date_text(point.date)}"
    more = f"{_others_text([event for _, event in ranked[1:]])}{_short_words(series)}"
    if event.basis == "pending":
        return f"{name}: {metric.label} changes {runs_text(event)} ({run}), {_PENDING}{more}."
    # A change that is still being compared may turn out to be a regression.
    so_far = " so far" if any(event.basis == "pending" for _, event in ranked) else ""
    lead = (
        "Regressed: "
        if event.verdict == "regressed"
        else f"No regression{so_far}; last change, {event.verdict}: "
    )
    show = partial(value_text, metric=metric)
    movement = f"{_verb(event)} from {show(event.before)} to {show(event.after)} ({relative_text(event.relative)})"
    back = (
        f", back at {show(curve.development.find_part(event).median)}"
        if event.kind == "dip"
        else ""
    )
    return f"{lead}{name}: {metric.label} {movement} {runs_text(event)} ({run}){back}{more}."


def _others_text(events: Sequence[JudgedEvent]) -> str:
    """Count the other changes, which only the table describes, in words that continue a sentence;
    "" if there are none.
    """
    regressed = sum(event.verdict == "regressed" and event.basis != "pending" for event in events)
    other = len(events) - regressed
    counts = [count_text(regressed, "more regression")] if regressed else []
    counts += [count_text(other, "other change")] if other else []
    return f"; {' and '.join(counts)} in the table" if counts else ""


def _steady(series: Sequence[Series], metric: Metric) -> str:
    """Write that no level changed, with the numbers of outliers and of series that are too short to
    judge; if no series is long enough, the reason for that.
    """
    judged = [at for at, curve in enumerate(series) if not curve.development.note]
    if not judged:
        among = f", the longest of {integer(len(series))} series" if len(series) > 1 else ""
        longest = max(series, key=lambda curve: curve.runs)
        return f"{metric.label}{among}: {longest.development.note}."
    short = _short_words(series)
    if len(judged) == 1:
        curve = series[judged[0]]
        names = position_names([other.key for other in series], {judged[0]})
        name = f"{names[judged[0]]}: " if len(series) > 1 else ""
        text = development_text(curve.runs, curve.development, partial(value_text, metric=metric))
        return f"{name}{metric.label} {text}{short}."
    odd = sum(odd_runs(series[at].development) for at in judged)
    if odd:
        return f"{metric.label} changes no level in {integer(len(judged))} series, with {count_text(odd, 'odd run')}{short}."
    return f"{metric.label} holds its level in {integer(len(judged))} series{short}."


def _short_words(series: Sequence[Series]) -> str:
    """Count the series that have too few runs to judge, in words that continue a sentence; "" if
    there are none.
    """
    short = sum(bool(curve.development.note) for curve in series)
    is_short = "series is" if short == 1 else "series are"
    return f"; {integer(short)} {is_short} too short to judge" if short else ""


def commit_text(commit: str) -> str:
    """Return the first 8 characters of a commit's id; a dash if it is empty."""
    return commit[:8] or DASH
