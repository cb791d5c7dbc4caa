"""Callbacks of the alerts page: tests, repeated messages, the form."""

from __future__ import annotations

from typing import Any

from dash import ALL, Dash, Input, Output, ctx, no_update

from app.context import AppContext
from app.pages.alerts import form
from app.pages.alerts.page import body
from app.request.errors import as_sentence
from app.request.user import require
from schema.roles import Role
from services.alerts.deliver import send_test
from storage.audit import Audit
from storage.deliveries import Deliveries
from storage.errors import StorageError


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the page of alerts: buttons and form."""

    @app.callback(
        Output("alerts-body", "children"),
        Output("alerts-result", "children"),
        Input({"type": "alert-test", "key": ALL}, "n_clicks"),
        Input({"type": "alert-retry", "key": ALL}, "n_clicks"),
        prevent_initial_call=True,
    )
    def act(*_clicks: Any) -> tuple[Any, Any]:
        if not ctx.triggered or not ctx.triggered[0]["value"]:
            return no_update, no_update  # a button that came with the rows
        try:
            result = _act(context, str(ctx.triggered_id["type"]), str(ctx.triggered_id["key"]))
        except StorageError as error:
            result = as_sentence(error)
        return body(context), result

    form.register(app, context)


def _act(context: AppContext, action: str, key: str) -> str:
    """Perform the action of a button, a test of the alert `key` or another attempt for the message
    `key`, and return its result as a sentence.

    Requires the role admin; raises StorageError.
    """
    user = require(Role.ADMIN)
    catalogue = context.repository.catalogue
    if action == "alert-retry":
        Deliveries(catalogue).retry(key)
        Audit(catalogue).add(user.name, "alert.retry", key)
        return "The message is queued to be sent again."
    tried = send_test(catalogue, context.settings.alert_config(), key)
    Audit(catalogue).add(user.name, "alert.test", key)
    errors = "; ".join(delivery.error for delivery in tried if delivery.error)
    return f"Not delivered: {errors}." if errors else "The test was delivered."
