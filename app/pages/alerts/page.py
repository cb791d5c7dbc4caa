"""Content of the alerts page: alerts with their receivers, and sent messages."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from app.context import AppContext
from components.alerts_table import alerts_table, deliveries_table
from components.aria import aria
from components.numbers import count_text
from schema.command import COMMAND
from services.alerts.manage import alert_record
from storage.alerts import Alerts
from storage.deliveries import DEAD, Deliveries, Delivery
from storage.delivery_leases import WAITING

_SHOWN = 100
_SET_ALERT = f"{COMMAND} alert set NAME --rule RULE --webhook URL"


def body(context: AppContext) -> list[Component]:
    """Lay out a summary, the alerts and the newest _SHOWN (100) messages; without alerts, how to
    set an alert.
    """
    catalogue = context.repository.catalogue
    config = context.settings.alert_config()
    records = [alert_record(alert, config) for alert in Alerts(catalogue).all()]
    log = Deliveries(catalogue).log(_SHOWN)
    if not records:
        return [_no_alert(), *([_messages(log)] if log else [])]
    sentence = alerts_sentence(len(records), [delivery.state for delivery in log])
    part = [html.P(sentence, className="ts-answer", **aria(live="polite")), alerts_table(records)]
    return [html.Section(part, className="ts-panel ts-part"), _messages(log)]


def alerts_sentence(alerts: int, states: Sequence[str]) -> str:
    """Count the alerts, and the newest messages (at most _SHOWN, 100) by their states."""
    lead = f"{count_text(alerts, 'alert')}"
    if not states:
        return f"{lead}, no message yet."
    dead = states.count(DEAD)
    waiting = states.count(WAITING)
    newest = "The newest " if len(states) == _SHOWN else ""
    counts = f"{len(states) - dead - waiting} sent, {waiting} waiting, {dead} given up"
    return f"{lead}. {newest}{count_text(len(states), 'message')}: {counts}."


def _messages(log: list[Delivery]) -> html.Section:
    head = html.Div(html.H2("Messages", className="ts-panel-title"), className="ts-panel-head")
    return html.Section([head, deliveries_table(log)], className="ts-panel ts-part")


def _no_alert() -> html.Section:
    return html.Section(
        [
            html.H2("No alert yet"),
            html.P(
                "If the status of a key by a rule changes, an alert reports it by webhook, Slack, mail, GitHub or GitLab:"
            ),
            html.Pre(_SET_ALERT),
            html.P(
                "or with the form below. Setting alert_hosts lists the hosts that messages may be sent to."
            ),
        ],
        className="ts-panel ts-empty",
    )
