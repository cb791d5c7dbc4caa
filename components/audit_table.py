"""Entries of the audit log as a table."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from dash import dcc, html
from dash.development.base_component import Component

from components.numbers import shorten, tame
from storage.audit import Entry

_HEADS = ("time, UTC", "user", "action", "object", "detail")
_RUN_ACTIONS = ("upload", "update")
"""Actions whose object is the id of a run that can still exist, so that it becomes a link."""


def audit_table(entries: Sequence[Entry]) -> Component:
    """Build the table of audit log entries, in the given order; a paragraph "No entries." without
    entries.
    """
    if not entries:
        return html.P("No entries.", className="ts-answer ts-muted")
    heads = [html.Th(text, scope="col") for text in _HEADS]
    table = html.Table(
        [html.Thead(html.Tr(heads)), html.Tbody([*map(_row, entries)])],
        className="ts-changes ts-audit",
    )
    return html.Div(table, className="ts-changes-frame")


def _row(entry: Entry) -> html.Tr:
    by_user = f"/audit?{urlencode({'user': entry.user})}"
    return html.Tr(
        [
            html.Td(entry.at[:19].replace("T", " "), className="ts-number"),
            html.Td(dcc.Link(shorten(entry.user, 40), href=by_user, title=tame(entry.user))),
            html.Td(entry.action, className="ts-nowrap"),
            html.Td(_object(entry), title=tame(entry.object), className="ts-mono"),
            html.Td(shorten(entry.detail, 200), title=tame(entry.detail)),
        ]
    )


def _object(entry: Entry) -> Component | str:
    shown = shorten(entry.object, 40)
    return dcc.Link(shown, href=f"/run/{entry.object}") if entry.action in _RUN_ACTIONS else shown
