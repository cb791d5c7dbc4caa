"""Tables of alerts and of their messages; only the hosts of webhook addresses are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dash_bootstrap_components as dbc
from dash import html
from dash.development.base_component import Component

from components.button_rows import button_rows
from components.numbers import shorten, tame
from schema.code_hosts import repository_texts
from storage.deliveries import DEAD, Delivery

_ALERT_HEADS = ("alert", "rule", "on", "channels", "")
_MESSAGE_HEADS = ("time, UTC", "alert", "event", "receiver", "state", "attempts", "reason", "")


def alerts_table(records: Sequence[Mapping[str, Any]]) -> Component:
    """Build the table of alerts, each with buttons to send a test message and to delete it.

    `records` are the rows of the list of alerts; without them the table has only its heading.
    """
    return button_rows(_ALERT_HEADS, [_alert_row(record) for record in records], "ts-audit")


def deliveries_table(messages: Sequence[Delivery]) -> Component:
    """Build the table of messages in the given order; a paragraph "No messages yet." without
    messages.

    A dead message, which is not sent again by itself, has a button to retry it.
    """
    if not messages:
        return html.P("No messages yet.", className="ts-line ts-muted")
    return button_rows(_MESSAGE_HEADS, [_message_row(message) for message in messages], "ts-audit")


def _alert_row(record: Mapping[str, Any]) -> html.Tr:
    name = str(record["name"])
    channels = [f"{kind} {record[kind]}" for kind in ("webhook", "slack") if record[kind]]
    channels += [f"mail {address}" for address in record["mail"]]
    channels += repository_texts(record)
    buttons = [
        _button("Send test", "alert-test", name, f"Send a test through {tame(name)}"),
        _button("Delete", "alert-delete", name, f"Delete {tame(name)}", "ts-danger"),
    ]
    return html.Tr(
        [
            html.Td(shorten(name, 40), title=tame(name)),
            html.Td(shorten(str(record["rule"]), 40)),
            html.Td(", ".join(record["on"])),
            html.Td(tame(", ".join(channels))),
            html.Td(html.Div(buttons, className="ts-actions")),
        ]
    )


def _message_row(message: Delivery) -> html.Tr:
    is_dead = message.state == DEAD and message.event != "test"
    again = "Send this message again"
    return html.Tr(
        [
            html.Td(message.created_at[:19].replace("T", " "), className="ts-number ts-nowrap"),
            html.Td(shorten(message.alert, 40), title=tame(message.alert)),
            html.Td(message.event, className="ts-nowrap"),
            html.Td(tame(f"{message.channel} {message.receiver}")),
            html.Td(message.state),
            html.Td(str(message.attempts), className="ts-number"),
            html.Td(shorten(message.error, 200), title=tame(message.error)),
            html.Td(
                _button("Retry", "alert-retry", message.delivery_id, again) if is_dead else None
            ),
        ]
    )


def _button(text: str, kind: str, key: str, title: str, look: str = "") -> dbc.Button:
    return dbc.Button(
        text, id={"type": kind, "key": key}, class_name=f"ts-button {look}".strip(), title=title
    )
