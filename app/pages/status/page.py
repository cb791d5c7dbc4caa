"""Layout of the status page: every key with its latest run, its verdict, and the start of a
regression.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import dash_bootstrap_components as dbc
from dash import dcc, html
from dash.development.base_component import Component

from analysis.bisection.address import LIST_PATH
from analysis.comparison.status_row import StatusRow
from app.context import AppContext
from app.pages import history
from app.pages.page import PageRequest
from app.pages.status import rules_dialog
from app.pages.status.badges import badge_address
from app.pages.status.shown_status import SHOWN_WITHIN_S, load_status, widest_rule
from app.pages.status.state import StatusState, parse
from app.request.user import may_edit
from components.aria import aria
from components.comparison.status_table import badge_link, status_table
from components.comparison.status_words import status_sentence
from components.counts import part_text
from components.numbers import tame
from components.verdicts import SIGNS
from schema.command import COMMAND
from schema.moments import MomentError
from services.baselines.members import BaselineError
from services.status.regressions import series_id
from services.status.rules import rule_text
from storage.rules import Rule, Rules

VIEW = "status-view"
ANY = "*"
"""Selector value for any: an empty value would show an empty label."""
_LOG = logging.getLogger(__name__)
_SET_RULE = f"{COMMAND} baseline rule set nightly --last 10 --branch main"


def layout(context: AppContext, request: PageRequest) -> html.Div:
    """Lay out and draw the page with the status of all keys for a request."""
    state = parse(request.query)
    rules = Rules(context.repository.catalogue).all()
    heading = html.H1("Status", className="visually-hidden")
    if not rules:
        return html.Div([heading, _no_rule(), *rules_dialog.rules_dialog()], className="ts-trends")
    shown, missing = body(context, state)
    return html.Div(
        [
            *history.stores(VIEW, state.query()),
            dcc.Store(id="status-left", data=[missing, 0]),
            dcc.Store(id="status-more"),
            heading,
            _controls(state, rules),
            html.P(id="status-error", className="ts-trouble", role="alert"),
            html.Div(shown, id="status-body", className="ts-trends-body"),
            *rules_dialog.rules_dialog(),
        ],
        className="ts-trends ts-status",
    )


def body(
    context: AppContext, state: StatusState, within_s: float | None = None
) -> tuple[list[Component], int]:
    """Lay out the summary, the rule, and the rows that match the filters, or an error as a
    sentence; return (components, number of missing comparisons).

    No comparison starts after `within_s` seconds (None: SHOWN_WITHIN_S, 2 s). After an error the
    number is 0.
    """
    try:
        status = load_status(context, state, SHOWN_WITHIN_S if within_s is None else within_s)
    except (BaselineError, MomentError) as error:
        message = [html.P(f"{tame(str(error))}.", className="ts-answer ts-trouble", role="alert")]
        return [html.Section(message, className="ts-panel ts-part")], 0
    rule = next(
        (other for other in Rules(context.repository.catalogue).all() if other.name == status.rule),
        None,
    )
    shown = state.shown_rows(status)
    lines = []
    if len(shown) < len(status.rows):
        fits = "fits" if len(shown) == 1 else "fit"
        counts = f"{part_text(len(shown), len(status.rows), 'key')}"
        lines.append(f"{counts} {fits} the filters.")
    if status.missing:
        lines.append("The page refreshes until all comparisons are done.")
    part = [
        html.P(
            tame(status_sentence(status)),
            id="status-answer",
            className="ts-answer",
            **aria(live="polite"),
        ),
        *([_rule_line(context, rule)] if rule else []),
        *(html.P(tame(line), className="ts-line ts-muted") for line in lines),
        status_table(
            shown, status.rule, is_editor=may_edit(), badges=_badges(context, status.rule, shown)
        ),
    ]
    return [html.Section(part, className="ts-panel ts-part")], status.missing


def _rule_line(context: AppContext, rule: Rule) -> html.P:
    """Lay out the line about the rule, with a link to its badge."""
    line: list[Component | str] = [tame(f"Rule {rule.name}: {rule_text(rule)}. ")]
    for address in _badges(context, rule.name, [None]):
        line.append(badge_link(address, f"Badge of rule {tame(rule.name)}"))
    return html.P(line, className="ts-line ts-muted")


def _badges(context: AppContext, rule: str, rows: Sequence[StatusRow | None]) -> list[str]:
    """Return the address of the badge of each row, or of the rule for None; empty if this server
    has no key to sign them with.
    """
    try:
        return [
            badge_address(
                context.settings,
                rule,
                "" if row is None else series_id(row.key),
                is_editor=may_edit(),
            )
            for row in rows
        ]
    except OSError as error:
        _LOG.warning("badges cannot be signed: %s", error)
        return []


def export_address(state: StatusState) -> str:
    """Build the address of the rows as a CSV file, a path with the view state as query."""
    query = state.query()
    return f"/status.csv?{query}" if query else "/status.csv"


def _controls(state: StatusState, rules: list[Rule]) -> html.Div:
    names = {rule.name: rule.name for rule in rules}
    verdicts = {ANY: "any"} | {verdict: verdict for verdict in SIGNS}
    actions = [
        *_open_rules("Rules"),
        dcc.Link("Bisections", href=LIST_PATH, className="ts-button"),
        html.Button(
            "Share", className="ts-button copy-link", title="Copy the address of this view"
        ),
        html.A("CSV", id="status-export", href=export_address(state), className="ts-button"),
    ]
    return html.Div(
        [
            _select("rule", names, state.rule or widest_rule(rules)),
            _select("verdict", verdicts, state.verdict or ANY),
            _week(state),
            _input("since", "run within", state.since, "7d, or from a date"),
            _input("as_of", "as of", state.as_of, "now, or a time"),
            _input("search", "search", state.search, "tile, commit, name"),
            html.Span(className="ts-grow"),
            html.Div(actions, className="ts-actions"),
        ],
        className="ts-trends-controls",
    )


def _select(name: str, options: Mapping[str, str], value: str) -> html.Label:
    choices = [{"label": label, "value": option} for option, label in options.items()]
    control = dbc.Select(
        id={"type": "status-choice", "name": name},
        options=choices,
        value=value,
        size="sm",
        class_name="ts-select",
    )
    return html.Label([html.Span(name), control])


def _week(state: StatusState) -> dbc.Checkbox:
    return dbc.Checkbox(
        id={"type": "status-choice", "name": "week"},
        label="This week",
        value=state.week,
        class_name="ts-week",
    )


def _input(name: str, label: str, value: str, placeholder: str) -> html.Label:
    control = dcc.Input(
        id={"type": "status-choice", "name": name},
        type="text",
        value=value,
        debounce=True,
        placeholder=placeholder,
        maxLength=200,
    )
    return html.Label([html.Span(label), control])


def _no_rule() -> html.Section:
    """Lay out an explanation of rules, a button for editors, and the command that sets a rule."""
    return html.Section(
        [
            html.H2("No baseline rule yet"),
            html.P(
                "The status compares the latest run of every key with its older runs. A baseline rule selects them:"
            ),
            *_open_rules("Set a rule"),
            html.Pre(_SET_RULE),
            html.P("Later runs are not compared with runs that regressed."),
        ],
        className="ts-panel ts-empty",
    )


def _open_rules(label: str) -> list[Component]:
    """Lay out the button that opens the dialog of rules; empty unless the user is an editor."""
    return [html.Button(label, id=rules_dialog.OPEN, className="ts-button")] if may_edit() else []
