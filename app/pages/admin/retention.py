"""Retention on the administration page: a preview of the deletion and of retained runs, then a job
that deletes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dash_bootstrap_components as dbc
from dash import Dash, Input, Output, State, ctx, dcc, html, no_update
from dash.development.base_component import Component

from app.context import AppContext
from app.overview.retention_words import preview_sentence
from app.pages.admin.tables import text_table
from app.pages.dialogs import dialog
from app.request.user import require
from app.text_table import TextTable
from components.aria import aria
from components.numbers import count_text, integer, shorten, size
from schema.digits import is_whole
from schema.roles import Role
from services.retention.retention import RetentionPreview, preview_retention
from storage.retention import KEY_COLUMNS, listed_runs

_MAX_KEPT = 1_000_000
_MAX_DIGITS = 7
_SHOWN = 20


def form() -> list[Component]:
    """Lay out the form of the retention rule: number of runs to keep, columns of the key, button,
    and the place of the preview.
    """
    number = dcc.Input(
        id="admin-retention-keep",
        type="text",
        value="20",
        maxLength=_MAX_DIGITS,
        inputMode="numeric",
    )
    keys = [{"label": name, "value": name} for name in KEY_COLUMNS]
    choice = dbc.Checklist(id="admin-retention-by", options=keys, value=[*KEY_COLUMNS], inline=True)
    return [
        html.Div(
            [
                html.Label(["keep the newest", number]),
                html.Fieldset([html.Legend("runs of each"), choice]),
                html.Button("Preview", id="admin-retention-show", className="ts-button"),
            ],
            className="ts-trends-controls ts-admin-form",
        ),
        html.Div(id="admin-retention-preview", **aria(live="polite")),
        html.Div(
            html.Button(
                "Delete…",
                id="admin-retention-delete",
                className="ts-button ts-danger",
                disabled=True,
            ),
            className="ts-actions ts-admin-actions",
        ),
        html.Div(id="admin-retention-begun", className="ts-line", role="status"),
        dcc.Store(id="admin-retention-chosen"),
    ]


def dialogs() -> list[Component]:
    """Lay out the dialog that confirms the deletion of runs by the retention rules, closed and
    empty.
    """
    buttons = [
        html.Button("Cancel", id="admin-retention-cancel", className="ts-button"),
        html.Button("Delete", id="admin-retention-confirm", className="ts-button ts-danger"),
    ]
    parts: list[Component] = [
        dbc.ModalBody(id="admin-retention-question"),
        dbc.ModalFooter(buttons),
    ]
    return [dialog("admin-retention-dialog", "Delete old runs", parts)]


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of preview and deletion of runs by the retention rules."""
    _register_preview(app, context)
    _register_deletion(app, context)


def _register_preview(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output("admin-retention-preview", "children"),
        Output("admin-retention-chosen", "data"),
        Output("admin-retention-delete", "disabled"),
        Input("admin-retention-show", "n_clicks"),
        State("admin-retention-keep", "value"),
        State("admin-retention-by", "value"),
        prevent_initial_call=True,
    )
    def preview(_clicks: int | None, keep: object, by: object) -> tuple[Any, Any, bool]:
        require(Role.ADMIN)
        chosen = _parse_form(keep, by)
        if chosen is None:
            sentence = f"Keep a number of runs from 1 to {integer(_MAX_KEPT)}, and select at least one column of the key."
            return html.P(sentence, className="ts-answer ts-trouble"), None, True
        listed = preview_retention(context.repository, chosen["keep_last"], chosen["by"])
        question = {**chosen, "runs": len(listed.run_ids)}
        return _preview_parts(context, listed, chosen), question, not listed.run_ids


def _register_deletion(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output("admin-retention-dialog", "is_open"),
        Output("admin-retention-question", "children"),
        Input("admin-retention-delete", "n_clicks"),
        Input("admin-retention-cancel", "n_clicks"),
        Input("admin-retention-confirm", "n_clicks"),
        State("admin-retention-chosen", "data"),
        prevent_initial_call=True,
    )
    def ask(_asked: int | None, _no: int | None, _yes: int | None, chosen: Any) -> tuple[bool, Any]:  # noqa: ANN401
        if ctx.triggered_id != "admin-retention-delete" or not isinstance(chosen, Mapping):
            return False, no_update
        return (
            True,
            f"Delete {count_text(int(chosen.get('runs') or 0), 'run')}? Runs that are pinned before then are kept.",
        )

    @app.callback(
        Output("admin-retention-begun", "children"),
        Input("admin-retention-confirm", "n_clicks"),
        State("admin-retention-chosen", "data"),
        prevent_initial_call=True,
    )
    def begin(clicks: int | None, chosen: Any) -> Any:  # noqa: ANN401 - what a browser sends
        user = require(Role.ADMIN)
        # The store comes from the browser, so it is checked again.
        arguments = (
            _parse_form(chosen.get("keep_last"), chosen.get("by"))
            if isinstance(chosen, Mapping)
            else None
        )
        if not clicks or arguments is None:
            return no_update
        job = context.jobs.start("retention", arguments, user.name)
        return [
            f"{count_text(job.total, 'run')} to delete: ",
            dcc.Link("jobs", href="/jobs"),
            " say how far it is.",
        ]


def _parse_form(keep: object, by: object) -> dict[str, Any] | None:
    """Parse the form to `keep_last` and `by`; None if the number of runs is not from 1 to
    1,000,000, or no column is selected.

    Without columns all runs would share the same key, and nearly all of them would be deleted.
    """
    text = str(keep or "").strip()
    if (
        not is_whole(text, _MAX_DIGITS)
        or not 1 <= int(text) <= _MAX_KEPT
        or not isinstance(by, list)
    ):
        return None
    columns = [name for name in KEY_COLUMNS if name in by]
    return {"keep_last": int(text), "by": columns} if columns else None


def _preview_parts(
    context: AppContext, preview: RetentionPreview, chosen: Mapping[str, Any]
) -> list[Component]:
    """Lay out the summary of the preview, and a table of the oldest _SHOWN (20) runs if a run would
    be deleted.

    `chosen` has the rule: `keep_last` runs for each value of the columns `by`.
    """
    sentence = html.P(
        preview_sentence(preview, chosen["keep_last"], chosen["by"]), className="ts-answer"
    )
    if not preview.run_ids:
        return [sentence]
    runs = listed_runs(context.repository.catalogue, preview.run_ids[:_SHOWN])
    rows = tuple(
        (run.date[:10], run.source, shorten(run.name, 60), size(run.stored_bytes)) for run in runs
    )
    heads = (f"oldest {len(rows)}", "source", "run", "bytes")
    return [sentence, text_table(TextTable(heads, rows, 1))]
