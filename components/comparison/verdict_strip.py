"""The verdict of a run as the first line of its page: change with its base, cause, last good run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from dash import dcc, html
from dash.development.base_component import Component

from analysis.comparison.status_row import RunStanding, StatusRow
from components.comparison.status_words import acknowledged_words, change_words
from components.comparison.trend_words import commit_text, date_text, value_text
from components.comparison.words import cause_words
from components.numbers import DASH, count_text, shorten, tame
from components.verdicts import SIGNS, tone, verdict_words
from schema.result_metrics import find_compared

_MAX_RULE_LENGTH = 40
_MAX_REASON_LENGTH = 160
_UNDECIDED = ("undecided", "incomparable")
"""Verdicts that `data-verdict` names undecided; their reasons are part of the strip."""


@dataclass(frozen=True)
class StripPart:
    """A piece of the text of a strip; `href` is the address of a link, "" for plain text."""

    text: str
    href: str = ""


def verdict_strip(standings: Sequence[RunStanding]) -> list[Component]:
    """Lay out the strip of a run; empty without a rule that covers the run.

    The strip is about the rule with the worst verdict and ends with the verdicts of other rules.
    """
    if not standings:
        return []
    worst = standings[0]
    verdict = worst.row.verdict
    parts: list[Component | str] = [
        dcc.Link(part.text, href=part.href) if part.href else part.text
        for part in strip_parts(standings)
    ]
    if verdict == "regressed":
        # the sign alone says so to those who see it
        parts.insert(1, html.Span("regressed ", className="visually-hidden"))
    attributes: dict[str, Any] = {
        "data-verdict": named_verdict(standings),
        "data-base": worst.rule,
    }
    classes = f"ts-verdict-strip {tone(verdict)}"
    return [html.P(parts, className=classes, title=tame(worst.row.reason), **attributes)]


def named_verdict(standings: Sequence[RunStanding]) -> str:
    """Return the verdict that the strip is about, as attribute `data-verdict` names it."""
    verdict = standings[0].row.verdict
    return "undecided" if verdict in _UNDECIDED else verdict


def strip_text(standings: Sequence[RunStanding]) -> str:
    """Write the strip without links."""
    return "".join(part.text for part in strip_parts(standings))


def strip_parts(standings: Sequence[RunStanding]) -> list[StripPart]:
    """Write the strip as texts and links; empty without a rule that covers the run."""
    if not standings:
        return []
    worst, *others = standings
    row = worst.row
    parts = [StripPart(f"{SIGNS[row.verdict]} "), *_change_parts(worst), *_since_parts(row)]
    if row.cause is not None:
        parts.append(StripPart(f"; {cause_words(row.cause)}"))
    parts += _last_good_parts(row)
    if row.acknowledged is not None:
        parts.append(StripPart(f"; {shorten(acknowledged_words(row), _MAX_REASON_LENGTH)}"))
    if row.verdict in _UNDECIDED and row.reason:
        parts.append(StripPart(f": {shorten(tame(row.reason), _MAX_REASON_LENGTH)}"))
    if others:
        verdicts = [f"{_rule(other)} {verdict_words(other.row.verdict)}" for other in others]
        parts.append(StripPart(f"; other rules: {', '.join(verdicts)}"))
    return parts


def _change_parts(standing: RunStanding) -> list[StripPart]:
    """Write the verdict with the change from its base, which links to the comparison."""
    row = standing.row
    verdict = "" if row.verdict == "regressed" else row.verdict
    # the reason of an undecided verdict has the change
    change = "" if row.verdict in _UNDECIDED else _change_text(row)
    lead = ", ".join(filter(None, (verdict, change)))
    return [
        StripPart(f"{lead} vs " if lead else "vs "),
        StripPart(_base_text(standing), _comparison_address(standing)),
    ]


def _change_text(row: StatusRow) -> str:
    """Write the change of the number that decides the verdict, with its name if it is not the main
    number; "" if the metric or a side's value is unknown.

    If the base is 0, there is no relative change: the text has both values instead.
    """
    metric = find_compared(row.metric)
    if metric is None or row.value is None or row.base is None:
        return ""
    change = change_words(row)
    if not change:
        # a change from 0 has no relative size
        change = (
            f"{value_text(row.value, metric.metric)} from {value_text(row.base, metric.metric)}"
        )
    is_main = row.points and row.points[-1].value == row.value
    return change if is_main else f"{change} {shorten(metric.label, _MAX_RULE_LENGTH)}"


def _base_text(standing: RunStanding) -> str:
    runs = f" ({count_text(len(standing.base), 'run')})" if standing.base else ""
    return f"{_rule(standing)}{runs}"


def _rule(standing: RunStanding) -> str:
    return shorten(tame(standing.rule), _MAX_RULE_LENGTH)


def _comparison_address(standing: RunStanding) -> str:
    """Return the address of the comparison with the base; "" if there is no base."""
    if standing.base is not None and not standing.base:
        return ""
    query = urlencode([("baseline", standing.rule), ("new", standing.row.run.run_id)])
    return f"/compare?{query}"


def _since_parts(row: StatusRow) -> list[StripPart]:
    """Write since which commit, else since which date, the key is regressed."""
    if row.since is None:
        return []
    first = row.since.first_bad
    begin = commit_text(tame(first.commit))
    text = begin if begin != DASH else date_text(first.taken_at)
    is_other = first.run_id != row.run.run_id
    return [StripPart(", since "), StripPart(text, _run_address(first.run_id) if is_other else "")]


def _last_good_parts(row: StatusRow) -> list[StripPart]:
    """Write the number of the last good run before a regression, which links to that run; its date
    if the number is unknown. Empty if there is no such run.
    """
    if row.since is None or row.since.last_good is None:
        return []
    good = row.since.last_good
    value = row.since.last_good_value
    metric = find_compared(row.metric)
    text = date_text(good.taken_at)
    if value is not None and metric is not None:
        text = value_text(value, metric.metric)
    return [StripPart("; last good "), StripPart(text, _run_address(good.run_id))]


def _run_address(run_id: str) -> str:
    return f"/run/{quote(run_id)}"
