"""The record of the alerts page."""

from __future__ import annotations

from dash import dcc, html

from app.context import AppContext
from app.pages.alerts import callbacks
from app.pages.alerts.form import alert_form, delete_dialog
from app.pages.alerts.page import body
from app.pages.page import Page, PageRequest
from schema.roles import Role
from storage.rules import Rules


def layout(context: AppContext, _request: PageRequest) -> html.Div:
    """Lay out the page of alerts: the alerts, the form, and the closed dialog."""
    rules = [rule.name for rule in Rules(context.repository.catalogue).all()]
    return html.Div(
        [
            html.Div(html.H1("Alerts", className="ts-page-title"), className="ts-trends-controls"),
            html.P(id="alerts-result", className="ts-line", role="status"),
            html.Div(body(context), id="alerts-body", className="ts-trends-body"),
            alert_form(rules),
            dcc.Store(id="alerts-chosen"),
            delete_dialog(),
        ],
        className="ts-trends",
    )


ALERTS_PAGE = Page(
    name="alerts",
    path="/alerts",
    title="Alerts",
    layout=layout,
    register=callbacks.register,
    navigation="Alerts",
    role=Role.ADMIN,
    has_state=False,
    is_slow=False,
    # A test sends messages, which may take long.
    exceptions=("alerts-body",),
    in_server=("alerts-body",),
)
