"""The dialog of baseline rules on the status page: set a rule by a form, list and delete rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import dash_bootstrap_components as dbc
from dash import ALL, Dash, Input, Output, State, ctx, dcc, html, no_update
from dash.development.base_component import Component

from app.context import AppContext
from app.pages.dialogs import dialog
from app.request.errors import as_sentence
from app.request.user import require
from components.comparison.rule_list import ShownRule, rule_list
from schema.comparison import MAX_RUNS
from schema.digits import is_whole
from schema.roles import Role
from schema.sources import SOURCES
from services.baselines.members import MAX_NAME, BaselineError
from services.status.rules import RuleError, delete_rule, rule_text, set_rule
from storage.errors import RuleNotFound
from storage.rules import Rule, Rules

OPEN = "status-rules"
ANY_SOURCE = "*"
"""Selector value for any source: an empty value would show an empty label."""
_FIELD = {"type": "status-rule-field", "name": ALL}
_DELETE = {"type": "status-rule-delete", "name": ALL}
_MAX_DIGITS = 10
_MAX_TEXT = 200
_USUAL = {"last": "10", "branch": "main"}
"""Values of a new rule. Its name is empty: setting a name that exists replaces that rule."""


def rules_dialog() -> list[Component]:
    """Lay out the dialog of rules, closed and empty, and the location that reloads the page when a
    rule was changed.
    """
    body = dbc.ModalBody(
        [
            html.P(
                "A run is compared with the newest older runs of its key that did not regress by the rule."
            ),
            html.Div(
                [*_fields(), html.Button("Set", id="status-rule-set", className="ts-button")],
                className="ts-rule-form",
            ),
            html.P(id="status-rule-error", className="ts-trouble", role="alert"),
            html.Div(id="status-rules-list"),
        ]
    )
    return [
        dialog("status-rules-dialog", "Baseline rules", [body], size="lg"),
        dcc.Location(id="status-goto", refresh=True),
    ]


def _fields() -> list[Component]:
    sources = [
        {"label": "any", "value": ANY_SOURCE},
        *({"label": source.name, "value": source.name} for source in SOURCES),
    ]
    choice = dbc.Select(
        id=_field("source"), options=sources, value=ANY_SOURCE, size="sm", class_name="ts-select"
    )
    return [
        _text("name", "Name", MAX_NAME),
        _text("last", "Older runs", 3),
        _text("branch", "Branch (empty: any)"),
        html.Label(["Source", choice]),
        _text("hwid", "hwid (empty: any)"),
        *(_text(name, f"{name} (empty: any)", _MAX_DIGITS) for name in ("M", "K", "N")),
    ]


def _text(name: str, label: str, longest: int = _MAX_TEXT) -> html.Label:
    value = _USUAL.get(name, "")
    return html.Label(
        [
            label,
            dcc.Input(
                id=_field(name), type="text", value=value, maxLength=longest, autoComplete="off"
            ),
        ]
    )


def _field(name: str) -> dict[str, str]:
    return {"type": "status-rule-field", "name": name}


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the dialog that lists, changes and deletes rules of the status."""

    @app.callback(
        Output("status-rules-dialog", "is_open"),
        Output("status-rules-list", "children"),
        Output("status-rule-error", "children"),
        Input(OPEN, "n_clicks"),
        prevent_initial_call=True,
    )
    def show(clicks: int | None) -> tuple[Any, ...]:
        return (True, _rules_shown(context), "") if clicks else (no_update,) * 3

    @app.callback(
        Output("status-goto", "href"),
        Output("status-rule-error", "children", allow_duplicate=True),
        Input("status-rule-set", "n_clicks"),
        Input(_DELETE, "n_clicks"),
        State(_FIELD, "value"),
        State(_FIELD, "id"),
        prevent_initial_call=True,
    )
    def change(
        _set: int | None,
        _deleted: list[int | None],
        values: list[object],
        ids: list[dict[str, str]],
    ) -> tuple[Any, Any]:
        user = require(Role.EDITOR).name
        pressed = ctx.triggered_id
        if not ctx.triggered[0]["value"]:
            return no_update, no_update  # a button that came with the list
        if isinstance(pressed, Mapping):
            error = _capture_error(
                lambda: delete_rule(context.repository, str(pressed["name"]), user)
            )
            return (no_update, error) if error else ("/status", "")
        form = {
            key["name"]: str(value or "").strip() for key, value in zip(ids, values, strict=True)
        }
        error = _capture_error(lambda: set_rule(context.repository, rule_of_form(form), user))
        return (no_update, error) if error else (f"/status?{urlencode({'rule': form['name']})}", "")


def rule_of_form(form: Mapping[str, str]) -> Rule:
    """Build a rule from the texts of the form by field name, without storing it; raises RuleError
    (a sentence) if a number is invalid.
    """
    if not is_whole(form["last"], _MAX_DIGITS):
        raise RuleError(f"the older runs of a rule must be a number from 1 to {MAX_RUNS}")
    source = "" if form["source"] == ANY_SOURCE else form["source"]
    m, k, n = (_size(name, form[name]) for name in ("M", "K", "N"))
    return Rule(form["name"], int(form["last"]), form["branch"], source, form["hwid"], m, k, n)


def _size(name: str, text: str) -> int | None:
    if text and not is_whole(text, _MAX_DIGITS):
        raise RuleError(f"the {name} of a rule must be a whole number")
    return int(text) if text else None


def _capture_error(act: Callable[[], object]) -> str:
    """Call `act` and return its error as a sentence, "" if it succeeded; other errors than those of
    rules are raised.
    """
    try:
        act()
    except (BaselineError, RuleNotFound) as error:
        return as_sentence(error)
    return ""


def _rules_shown(context: AppContext) -> list[Component]:
    rules = Rules(context.repository.catalogue).all()
    return rule_list([ShownRule(rule.name, rule_text(rule), rule.changed_at) for rule in rules])
