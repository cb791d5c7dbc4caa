"""Sections of the landing page: keys that regressed lately, are open, acknowledged or recovered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from dash import dcc, html
from dash.development.base_component import Component

from analysis.comparison.series import SeriesKey
from analysis.comparison.status_row import StatusRow
from analysis.comparison.status_sections import Section, recovery
from components.aria import aria
from components.comparison.status_links import since_address
from components.comparison.status_words import acknowledged_words, change_words, value_words
from components.comparison.trend_words import commit_text, date_text
from components.comparison.words import cause_words
from components.landing.when import when_words
from components.numbers import DASH, count_text, integer, shorten, tame
from components.verdicts import SIGNS, tone

MAX_NEW, MAX_OTHER = 8, 5
"""Maximum number of listed keys: of the section of new regressions, and of each other section."""
_MAX_NOTE = 80
"""Maximum characters of a note."""
_HEADS = ("key", "change", "value", "began", "main cause", "since commit", "comparison")
_TITLES: Mapping[Section, tuple[str, str]] = MappingProxyType(
    {
        "new": ("newly regressed", "began in the last 7 days, not acknowledged"),
        "open": ("open", "regressed, not acknowledged"),
        "acknowledged": ("acknowledged", "regressed, and a user knows"),
        "recovered": ("recovered", "in the last 7 days"),
    }
)
"""Section -> heading after the count, and its condition."""
_EMPTY: Mapping[Section, str] = MappingProxyType(
    {
        "new": "No key regressed in the last 7 days.",
        "open": "No regression is open.",
        "acknowledged": "No regression is acknowledged.",
        "recovered": "No key recovered in the last 7 days.",
    }
)


@dataclass(frozen=True)
class Standings:
    """Values that the rows of all sections share: the name of each key, the rule whose base the
    changes are relative to, and the time of the status (ISO 8601).
    """

    names: Mapping[SeriesKey, str]
    rule: str
    as_of: str


def section_panel(
    section: Section, rows: Sequence[StatusRow], standings: Standings, more: str
) -> html.Section:
    """Lay out a section: the number of its keys and the first of them, with a link to `more`, an
    address that lists all of them.
    """
    lay_out = _new_rows if section == "new" else _short_rows
    most = MAX_NEW if section == "new" else MAX_OTHER
    listed = lay_out(section, rows[:most], standings) if rows else _empty_line(section)
    left = len(rows) - most
    link = [dcc.Link(count_text(left, "more key"), href=more, className="ts-line")]
    return html.Section(
        [_heading(section, len(rows)), listed, *(link if left > 0 else [])],
        className=f"ts-panel ts-part ts-landing-{section}",
        **section_data(section, len(rows)),
        **aria(labelledby=f"landing-{section}"),
    )


def section_data(section: str, count: int) -> dict[str, Any]:
    """Return the attributes that name a section of the landing page and its count."""
    return {"data-section": section, "data-count": str(count)}


def _heading(section: Section, count: int) -> html.Div:
    title, condition = _TITLES[section]
    look = "ts-landing-count ts-trouble" if count and section == "new" else "ts-landing-count"
    heading = html.H2(
        [html.Span(integer(count), className=look), f" {title}"],
        id=f"landing-{section}",
        className="ts-panel-title",
    )
    return html.Div(
        [heading, html.Span(condition, className="ts-muted")], className="ts-panel-head"
    )


def _empty_line(section: Section) -> Component:
    return html.P(_EMPTY[section], className="ts-line ts-muted")


def _new_rows(_section: Section, rows: Sequence[StatusRow], standings: Standings) -> html.Div:
    """Lay out a table with the newly regressed keys: change, begin, cause, and links to the run and
    to the comparison with the last good run.
    """
    heads = [html.Th(text, scope="col") for text in _HEADS]
    body = [_new_row(row, standings) for row in rows]
    table = html.Table([html.Thead(html.Tr(heads)), html.Tbody(body)], className="ts-changes")
    return html.Div(table, className="ts-changes-frame")


def _new_row(row: StatusRow, standings: Standings) -> html.Tr:
    first = row.since.first_bad if row.since is not None else None
    began = first.taken_at if first is not None else row.run.taken_at
    compare = since_address(row.since) if row.since is not None else ""
    link = dcc.Link("compare with the last good run", href=compare) if compare else DASH
    no_cause = "" if row.cause is not None else "the comparison names no main cause"
    no_good = "" if compare else "no good run precedes it"
    return html.Tr(
        [
            html.Th(run_link(row, standings), scope="row"),
            html.Td(_change(row, standings), className=f"ts-number {tone(row.verdict)}"),
            html.Td(value_words(row), className="ts-number"),
            html.Td(
                when_words(began, standings.as_of),
                className="ts-nowrap",
                title=f"{date_text(began)} UTC",
            ),
            html.Td(cause_words(row.cause) if row.cause is not None else DASH, title=no_cause),
            html.Td(commit_text(tame(first.commit)) if first else DASH, className="ts-mono"),
            html.Td(link, className="ts-nowrap", title=no_good),
        ]
    )


def _short_rows(section: Section, rows: Sequence[StatusRow], standings: Standings) -> html.Ul:
    items = [
        html.Li(
            [
                run_link(row, standings),
                html.Span(_change(row, standings), className=f"ts-number {tone(row.verdict)}"),
                html.Span(_standing(section, row, standings), className="ts-muted"),
            ]
        )
        for row in rows
    ]
    return html.Ul(items, className="ts-landing-rows")


def _standing(section: Section, row: StatusRow, standings: Standings) -> str:
    """Write when the regression of a key began and the user who acknowledged it, or for section
    `recovered` when the key recovered.
    """
    if section == "recovered":
        back = recovery(row)
        return f"recovered {when_words(back.taken_at, standings.as_of)}" if back else ""
    known = shorten(tame(acknowledged_words(row)), _MAX_NOTE)
    if row.since is None:
        return known
    began = f"began {when_words(row.since.first_bad.taken_at, standings.as_of)}"
    return f"{began}; {known}" if known else began


def run_link(row: StatusRow, standings: Standings) -> dcc.Link:
    """Lay out the name of a row's key as link to its latest run."""
    name = html.Bdi(tame(standings.names[row.key]))
    return dcc.Link(name, href=f"/run/{row.run.run_id}", title=tame(row.run.name))


def _change(row: StatusRow, standings: Standings) -> str:
    """Write the sign of the verdict, and the change with its base: `▼ −7.0 % vs nightly`."""
    change = change_words(row)
    # a change from 0 has no relative size
    words = f"{change} vs {shorten(tame(standings.rule), _MAX_NOTE)}" if change else row.verdict
    return f"{SIGNS[row.verdict]} {words}"
