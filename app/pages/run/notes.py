"""Annotations of a run on its page: notes, tags, the pin.

The callbacks get the run's id from a separate store, because responses to requests with `run-id`
may be cached.
"""

from __future__ import annotations

from typing import Any

import dash_bootstrap_components as dbc
from dash import ALL, ClientsideFunction, Dash, Input, Output, State, ctx, dcc, html, no_update
from dash.development.base_component import Component

from app.context import AppContext
from app.request.errors import as_sentence
from app.request.user import may, require
from components.aria import aria
from components.runs.annotation import annotation_head, annotation_parts, is_empty
from schema.roles import Role
from services.store.annotate import MAX_NOTES_CHARACTERS, AnnotationError, annotate
from storage.annotation import Annotation
from storage.annotations import Annotations, Change
from storage.errors import StorageError

_RUN = "run-notes-run"
_REMOVE = {"type": "run-tag-remove", "name": ALL}
_REGION = {"role": "region", **aria(label="Notes")}
_PARTS = [
    (part, name)
    for part, props in annotation_parts(Annotation(), editor=True).items()
    for name in props
]
"""Component and property pairs that change when an editor changes the annotations."""


def notes_panel(context: AppContext, run_id: str) -> html.Section:
    """Lay out the panel with the notes, tags and pin of a run; it is hidden for viewers if there
    are no annotations.
    """
    added = Annotations(context.repository.catalogue).one(context.repository.find_run(run_id))
    editor = may(Role.EDITOR)
    parts = annotation_parts(added, editor=editor)
    return html.Section(
        [
            dcc.Store(id=_RUN, data=run_id),
            annotation_head(parts, editor=editor, pinned=added.pinned),
            # Long notes scroll; `tabIndex` makes that possible by keyboard.
            html.Div(
                id="run-notes-shown",
                className="ts-markdown",
                tabIndex=0,
                **parts["run-notes-shown"],
                **_REGION,
            ),
            *(_form(added) if editor else []),
        ],
        id="run-notes",
        hidden=is_empty(added) and not editor,
        **parts["run-notes"],
    )


def has_notes(context: AppContext, run_id: str) -> bool:
    """Whether a note was written for a run; tags and pins do not count."""
    added = Annotations(context.repository.catalogue).one(context.repository.find_run(run_id))
    return bool(added.notes.strip())


def _form(added: Annotation) -> list[Component]:
    """Lay out the form that edits the notes of a run, closed."""
    text = dbc.Textarea(
        id="run-notes-text", value=added.notes, rows=8, maxLength=MAX_NOTES_CHARACTERS
    )
    hint = "Markdown: **bold**, `code`, - list, [words](https://address)"
    buttons = [
        html.Button("Save", id="run-notes-save", className="ts-button"),
        html.Button("Cancel", id="run-notes-cancel", className="ts-button"),
        html.Span(hint, className="ts-muted"),
    ]
    label = html.Label([html.Span("Notes", className="visually-hidden"), text])
    return [
        dcc.Store(id="run-notes-saved", data=added.notes),
        html.Div(
            [label, html.Div(buttons, className="ts-actions")], id="run-notes-form", hidden=True
        ),
        html.P(id="run-notes-error", className="ts-trouble", role="alert"),
    ]


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the panel of notes: text, tags and pin."""

    @app.callback(
        Output("run-notes-error", "children"),
        Output("run-notes-form", "hidden"),
        Output("run-notes-saved", "data"),
        Output("run-tag-new", "value"),
        *(Output(*part) for part in _PARTS),
        Input("run-notes-save", "n_clicks"),
        Input("run-pin", "n_clicks"),
        Input("run-tag-new", "n_submit"),
        Input(_REMOVE, "n_clicks"),
        State("run-notes-text", "value"),
        State("run-pin", "value"),
        State("run-tag-new", "value"),
        State("run-notes-saved", "data"),
        State(_RUN, "data"),
        prevent_initial_call=True,
    )
    def change(*given: object) -> list[Any]:
        user = require(Role.EDITOR).name
        pressed = ctx.triggered_id
        if not ctx.triggered[0]["value"]:
            return [no_update] * (4 + len(_PARTS))  # a button that came with a tag
        text, pin, tag, saved, run_id = (str(value or "") for value in given[-5:])
        try:
            if pressed == "run-notes-save":
                _check_unchanged(context, run_id, saved, text)
            wanted = _change(pressed, text, pin, tag)
            after = annotate(context.repository.catalogue, run_id, wanted, user)
        except (AnnotationError, StorageError) as error:
            return [as_sentence(error), *[no_update] * (3 + len(_PARTS))]
        form = (True, after.notes) if pressed == "run-notes-save" else (no_update, no_update)
        parts = annotation_parts(after, editor=True)
        return [
            "",
            *form,
            "" if wanted.more_tags else no_update,
            *(parts[part][name] for part, name in _PARTS),
        ]

    app.clientside_callback(
        ClientsideFunction("tilescope", "notesEdit"),
        Output("run-notes-form", "hidden", allow_duplicate=True),
        Output("run-notes-text", "value"),
        Output("run-notes-error", "children", allow_duplicate=True),
        Input("run-notes-edit", "n_clicks"),
        Input("run-notes-cancel", "n_clicks"),
        State("run-notes-saved", "data"),
        prevent_initial_call=True,
    )


def _change(pressed: object, text: str, pin: str, tag: str) -> Change:
    """Return the change that a button or field (`pressed`, its id) requests: remove a tag, pin or
    unpin, add tags, else new notes.
    """
    if isinstance(pressed, dict):
        return Change(fewer_tags=(str(pressed["name"]),))
    if pressed == "run-pin":
        return Change(pinned=pin == "on")
    # An empty tag is passed on, so that the service reports it as an error.
    return (
        Change(more_tags=tuple(tag.split()) or ("",))
        if pressed == "run-tag-new"
        else Change(notes=text)
    )


def _check_unchanged(context: AppContext, run_id: str, saved: str, text: str) -> None:
    """Raise AnnotationError if somebody else changed the notes since they were loaded."""
    now = Annotations(context.repository.catalogue).one(context.repository.find_run(run_id))
    if now.notes not in (saved, text):
        raise AnnotationError(
            f"{now.changed_by} changed these notes at the same time: reload the page to see them"
        )
