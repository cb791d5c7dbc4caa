"""The keys of a baseline rule on the landing page, by section."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from dash import dcc, html
from dash.development.base_component import Component

from analysis.comparison.status_row import Status, StatusRow
from analysis.comparison.status_sections import SECTIONS, Section, status_sections
from app.context import AppContext
from app.pages.status.shown_status import SHOWN_WITHIN_S, load_status
from app.pages.status.state import StatusState
from components.aria import aria
from components.comparison.trend_names import key_names
from components.landing.sections import Standings, section_panel
from components.landing.words import began_lately, landing_sentence
from components.numbers import count_text, shorten, tame
from schema.moments import MomentError
from services.baselines.members import BaselineError
from storage.rules import Rule, Rules

_TITLE = "What broke last night?"
_MAX_NAME = 40
"""Maximum characters of the name of a rule."""


def standing_parts(
    context: AppContext, state: StatusState, within_s: float | None = None
) -> tuple[list[Component], int]:
    """Lay out title, answer and sections by the rule of a state; return (components, number of
    missing comparisons).

    Numbers and rows are those that the page of the status shows for the same rule.
    """
    rules = Rules(context.repository.catalogue).all()
    if not rules:
        return [html.H1(_TITLE, className="ts-page-title"), _no_rule()], 0
    try:
        status = load_status(context, state, SHOWN_WITHIN_S if within_s is None else within_s)
    except (BaselineError, MomentError) as error:
        message = html.P(f"{tame(str(error))}.", className="ts-answer ts-trouble", role="alert")
        return [_head(rules, state.rule, []), message], 0
    sections = status_sections(status)
    sections["new"] = _latest_first(sections["new"], status)
    text = landing_sentence(status, sections)
    answer = html.P(tame(text), id="landing-answer", className="ts-answer", **aria(live="polite"))
    keys = [row.key for row in status.rows]
    names = dict(zip(keys, key_names(keys), strict=True))
    standings = Standings(names, status.rule, status.as_of)
    panels = [
        section_panel(section, sections[section], standings, _more_address(section, status.rule))
        for section in SECTIONS
    ]
    others = html.Div(panels[1:], className="ts-landing-others")
    every = _every_key(status)
    return [_head(rules, status.rule, every), answer, panels[0], others], status.missing


def _latest_first(rows: Sequence[StatusRow], status: Status) -> list[StatusRow]:
    """Sort newly regressed rows: regressions of the last 24 h first, each group in its order."""
    return sorted(rows, key=lambda row: not began_lately(row, status.as_of))


def _more_address(section: Section, rule: str) -> str:
    """Return the address of the page of the status that lists the keys of a section."""
    of_week = section in ("new", "recovered")
    state = StatusState(rule=rule, week=of_week, verdict="" if of_week else "regressed")
    return f"/status?{state.query()}"


def _every_key(status: Status) -> list[Component]:
    """Lay out the link to the page of the status, with its number of keys; empty if it has none."""
    if not status.rows:
        return []
    words = f"all {count_text(len(status.rows), 'key')}"
    return [dcc.Link(words, href=f"/status?{StatusState(rule=status.rule).query()}")]


def _head(rules: Sequence[Rule], shown: str, ends: Sequence[Component]) -> html.Div:
    """Lay out the title, a link per rule if there are several, and `ends` at the right."""
    links = [_rule_link(rule.name, shown) for rule in rules] if len(rules) > 1 else []
    chooser = [html.Nav(links, className="ts-landing-rules", **aria(label="Rule"))] if links else []
    return html.Div(
        [
            html.H1(_TITLE, className="ts-page-title"),
            *chooser,
            html.Span(className="ts-grow"),
            *ends,
        ],
        className="ts-trends-controls",
    )


def _rule_link(name: str, shown: str) -> Component:
    label = shorten(tame(name), _MAX_NAME)
    if name == shown:
        return html.Strong(label)
    return dcc.Link(label, href=f"/?{urlencode({'rule': name})}")


def _no_rule() -> html.Section:
    return html.Section(
        [
            html.P("No baseline rule is set, so that no run is compared with older runs."),
            html.P(
                [
                    dcc.Link("Set a baseline rule", href="/status"),
                    " to see here which keys regressed.",
                ]
            ),
        ],
        className="ts-panel ts-landing-no-rule",
    )
