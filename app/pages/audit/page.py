"""The page of the audit log, for admins, newest entries first."""

from __future__ import annotations

from dataclasses import replace

import dash_bootstrap_components as dbc
from dash import dcc, html
from dash.development.base_component import Component

from app.context import AppContext
from app.pages import history
from app.pages.audit.state import AuditState, parse
from app.pages.page import PageRequest
from components.audit_table import audit_table
from storage.audit import ACTIONS, Audit

VIEW = "audit-view"
ANY = "*"
"""Value of the selector for any action: a select element with an empty value would show an empty
label.
"""
AT_ONCE = 100
"""Entries per page."""


def layout(context: AppContext, request: PageRequest) -> html.Div:
    """Lay out the page of the audit log, with the filters of the request."""
    state = parse(request.query)
    return html.Div(
        [
            *history.stores(VIEW, state.query()),
            html.Div(
                [html.H1("Audit log", className="ts-page-title"), *_filters(state)],
                className="ts-trends-controls",
            ),
            html.Div(body(context, state), id="audit-body", className="ts-trends-body"),
        ],
        className="ts-trends",
    )


def body(context: AppContext, state: AuditState) -> list[Component]:
    """Lay out a page of AT_ONCE (100) entries, newest first, with links to older and to the newest
    entries if there are any.
    """
    # Read an entry more than shown, to know whether there is a next page.
    entries = Audit(context.repository.catalogue).entries(
        AT_ONCE + 1, state.before, state.action, state.user
    )
    shown = entries[:AT_ONCE]
    ways = (
        [dcc.Link("‹ newest", href=_address(replace(state, before=None)))] if state.before else []
    )
    if len(entries) > AT_ONCE:
        ways.append(dcc.Link("older ›", href=_address(replace(state, before=shown[-1].entry_id))))
    table = html.Section(audit_table(shown), className="ts-panel ts-part")
    return [table, html.Nav(ways, className="ts-actions")] if ways else [table]


def _address(state: AuditState) -> str:
    query = state.query()
    return f"/audit?{query}" if query else "/audit"


def _filters(state: AuditState) -> list[Component]:
    user = dcc.Input(
        id="audit-user",
        type="text",
        value=state.user,
        debounce=True,
        placeholder="any",
        maxLength=200,
    )
    actions = [
        {"label": "any", "value": ANY},
        *({"label": name, "value": name} for name in ACTIONS),
    ]
    action = dbc.Select(
        id="audit-action", options=actions, value=state.action or ANY, class_name="ts-select"
    )
    return [html.Label(["user", user]), html.Label(["action", action])]
