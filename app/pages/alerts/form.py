"""A form for setting an alert, and a dialog for deleting it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dash_bootstrap_components as dbc
from dash import ALL, Dash, Input, Output, State, ctx, dcc, html, no_update
from dash.development.base_component import Component

from app.context import AppContext
from app.pages.alerts.page import body
from app.pages.dialogs import dialog
from app.request.errors import as_sentence
from app.request.user import require
from components.numbers import shorten, tame
from schema.code_hosts import POSTS
from schema.roles import Role
from services.alerts.addresses import MAX_URL_CHARACTERS
from services.alerts.code_hosts.hosts import MAX_REPOSITORY
from services.alerts.errors import AlertError
from services.alerts.manage import (
    DEFAULT_EVENTS,
    EVENTS,
    delete_alert,
    parse_events,
    parse_posts,
    set_alert,
)
from services.baselines.members import MAX_NAME, BaselineError
from storage.alerts import Alert
from storage.errors import StorageError

_TEXTS = ("name", "rule", "webhook", "slack", "mail", "github", "gitlab", "posts", "events", "days")
_LISTS = ("posts", "events")
_SECRETS = ("webhook", "slack")
_DAYS = "7"


def alert_form(rules: Sequence[str]) -> html.Details:
    """Lay out the form, folded; `rules` are the names of the baseline rules, and without rules the
    button is disabled.
    """
    options = [{"label": shorten(name, 40), "value": name} for name in rules]
    first = rules[0] if len(rules) == 1 else None
    fields = [
        _field("name", "name", _input("name", MAX_NAME)),
        _field(
            "rule",
            "baseline rule",
            dbc.Select(id=_id("rule"), options=options, value=first, size="sm"),
        ),
        _field(
            "webhook",
            "webhook address",
            _input("webhook", MAX_URL_CHARACTERS, "https://hooks.example.org/…"),
        ),
        _field(
            "slack",
            "Slack address",
            _input("slack", MAX_URL_CHARACTERS, "https://hooks.slack.com/…"),
        ),
        _field(
            "mail",
            "mail, separated by commas",
            _input("mail", MAX_URL_CHARACTERS, "team@example.org"),
        ),
        _field("github", "GitHub repository", _input("github", MAX_REPOSITORY, "owner/name")),
        _field("gitlab", "GitLab project", _input("gitlab", MAX_REPOSITORY, "group/project")),
        _posts(),
        _events(),
        _field("days", "days without data", _input("days", 10, value=_DAYS)),
    ]
    note = (
        "An alert of the same name is replaced, with its addresses and repositories. The current "
        "state sends no message: messages start with the next change."
    )
    button = html.Button("Set alert", id="alerts-set", className="ts-button", disabled=not rules)
    hint = html.P(
        note if rules else "Set a baseline rule first: an alert sends its verdicts.",
        className="ts-muted",
    )
    parts = [
        html.Div(fields, className="ts-alert-fields"),
        html.Div([button, hint], className="ts-alert-end"),
    ]
    return html.Details(
        [
            html.Summary("Set an alert", className="ts-button"),
            html.Div(parts, className="ts-panel ts-part ts-alert-form"),
        ],
        id="alerts-form",
    )


def _id(name: str) -> str:
    return f"alerts-field-{name}"


def _field(name: str, label: str, control: Component) -> html.Label:
    return html.Label([html.Span(label), control], className=f"ts-alert-{name}")


def _input(name: str, longest: int, placeholder: str = "", value: str = "") -> dcc.Input:
    return dcc.Input(
        id=_id(name),
        type="text",
        value=value,
        placeholder=placeholder,
        maxLength=longest,
        autoComplete="off",
    )


def _events() -> html.Fieldset:
    options = [{"label": event.replace("_", " "), "value": event} for event in EVENTS]
    boxes = dbc.Checklist(id=_id("events"), options=options, value=[*DEFAULT_EVENTS], inline=True)
    return html.Fieldset([html.Legend("sent when a key is"), boxes])


def _posts() -> html.Fieldset:
    options = [{"label": post.replace("_", " "), "value": post} for post in POSTS]
    boxes = dbc.Checklist(id=_id("posts"), options=options, value=[*POSTS], inline=True)
    return html.Fieldset([html.Legend("posted in the repository"), boxes])


def _parse_alert(fields: Mapping[str, Any]) -> Alert:
    """Build an alert from the fields of the form; raises AlertError if a field is invalid."""
    texts = {name: str(fields[name] or "").strip() for name in _TEXTS if name not in _LISTS}
    mail = [part.strip() for part in texts["mail"].split(",") if part.strip()]
    try:
        days = float(texts["days"])
    except ValueError as error:
        raise AlertError("the days without data must be a number") from error
    if not texts["rule"]:
        raise AlertError("an alert needs a baseline rule: select a rule")
    events = parse_events(",".join(map(str, fields["events"] or [])))
    has_repository = texts["github"] or texts["gitlab"]
    posts = parse_posts(",".join(map(str, fields["posts"] or []))) if has_repository else ()
    return Alert(
        texts["name"],
        texts["rule"],
        texts["webhook"],
        texts["slack"],
        mail,
        events,
        days,
        github=texts["github"],
        gitlab=texts["gitlab"],
        posts=posts,
    )


def delete_dialog() -> dbc.Modal:
    """Lay out the dialog that confirms the deletion of an alert, closed and empty."""
    buttons = [
        html.Button("Cancel", id="alerts-delete-cancel", className="ts-button"),
        html.Button("Delete", id="alerts-delete-confirm", className="ts-button ts-danger"),
    ]
    parts: list[Component] = [dbc.ModalBody(id="alerts-delete-question"), dbc.ModalFooter(buttons)]
    return dialog("alerts-delete-dialog", "Delete alert", parts)


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the alert form and of the deletion dialog."""
    _register_form(app, context)
    _register_deletion(app, context)


def _register_form(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output("alerts-body", "children", allow_duplicate=True),
        Output("alerts-result", "children", allow_duplicate=True),
        *(Output(_id(name), "value") for name in _SECRETS),
        Input("alerts-set", "n_clicks"),
        *(State(_id(name), "value") for name in _TEXTS),
        prevent_initial_call=True,
    )
    def set_from_form(
        clicks: int | None, *values: str | float | list[str] | None
    ) -> tuple[Any, ...]:
        if not clicks:
            return (no_update,) * 4
        user = require(Role.ADMIN)
        try:
            alert = _parse_alert(dict(zip(_TEXTS, values, strict=True)))
            set_alert(
                context.repository.catalogue, alert, context.settings.alert_config(), user.name
            )
        except (AlertError, BaselineError) as error:
            return no_update, f"{tame(str(error))}.", no_update, no_update
        except StorageError as error:
            return no_update, as_sentence(error), no_update, no_update
        # Webhook addresses are secrets, so their fields are emptied when the alert is saved.
        return body(context), f"Alert {tame(alert.name)} is set.", "", ""


def _register_deletion(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output("alerts-delete-dialog", "is_open"),
        Output("alerts-delete-question", "children"),
        Output("alerts-chosen", "data"),
        Input({"type": "alert-delete", "key": ALL}, "n_clicks"),
        prevent_initial_call=True,
    )
    def ask(_clicks: list[int | None]) -> tuple[Any, ...]:
        if not ctx.triggered or not ctx.triggered[0]["value"]:
            return no_update, no_update, no_update  # a button that came with the rows
        name = str(ctx.triggered_id["key"])
        question = f"Delete alert {tame(name)}? Its waiting messages will not be sent."
        return True, question, name

    @app.callback(
        Output("alerts-body", "children", allow_duplicate=True),
        Output("alerts-result", "children", allow_duplicate=True),
        Output("alerts-delete-dialog", "is_open", allow_duplicate=True),
        Input("alerts-delete-confirm", "n_clicks"),
        Input("alerts-delete-cancel", "n_clicks"),
        State("alerts-chosen", "data"),
        prevent_initial_call=True,
    )
    def delete(confirmed: int | None, _cancelled: int | None, name: str | None) -> tuple[Any, ...]:
        if ctx.triggered_id != "alerts-delete-confirm" or not confirmed or not name:
            return no_update, no_update, False
        user = require(Role.ADMIN)
        try:
            delete_alert(context.repository.catalogue, name, user.name)
        except StorageError as error:
            return body(context), as_sentence(error), False
        return body(context), f"Alert {tame(name)} is deleted.", False
