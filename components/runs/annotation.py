"""Annotation of a run on its page: tags, pin, the last change, and the run note."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import dcc, html
from dash.development.base_component import Component

from components.aria import aria
from components.markdown import markdown
from components.numbers import tame
from components.runs.list_address import list_address
from storage.annotation import Annotation

PIN_MEANING = "A pinned run is neither deleted nor counted by retention"
"""Tooltip of the pin."""
Parts = Mapping[str, Mapping[str, Any]]
"""Id of a component -> its properties."""


def is_empty(added: Annotation) -> bool:
    """Whether a run's annotation has no note (blanks do not count), no tag and no pin."""
    return not (added.notes.strip() or added.tags or added.pinned)


def annotation_parts(added: Annotation, *, editor: bool) -> Parts:
    """Map component ids to the properties that depend on the annotation: of note, tags and last
    change.

    For editors (`editor`) they include the properties of the buttons.
    """
    parts: Parts = {
        "run-notes": {"className": "ts-notes ts-quiet" if is_empty(added) else "ts-notes ts-panel"},
        "run-tags": {"children": [_chip(tag, editor=editor) for tag in added.tags or ()]},
        "run-notes-changed": {
            "children": _changed_text(added),
            "title": "last user who changed this",
        },
        "run-notes-shown": {"children": markdown(added.notes)},
    }
    return {**parts, **_buttons(added)} if editor else parts


def annotation_head(parts: Parts, *, editor: bool, pinned: bool) -> html.Div:
    """Build the line above the note: tags, last change, and for editors the buttons, else the mark
    of a pinned run.

    `parts` is the result of `annotation_parts`.
    """
    return html.Div(
        [
            html.H2("Notes", className="ts-panel-title"),
            html.Span(id="run-tags", className="ts-chips", **parts["run-tags"]),
            *([_new_tag()] if editor else []),
            html.Span(className="ts-grow"),
            html.Span(id="run-notes-changed", className="ts-muted", **parts["run-notes-changed"]),
            *(_changes(parts) if editor else _pin_mark(pinned)),
        ],
        className="ts-notes-head",
    )


def tag_href(tag: str) -> str:
    """Return the address of the list of runs with this tag: `?tag=..`."""
    return list_address({"tag": tag})


def _chip(tag: str, *, editor: bool) -> html.Span:
    shown = tame(tag)
    link = dcc.Link(shown, href=tag_href(tag), title="The runs with this tag")
    remove = html.Button(
        html.Span("×", **aria(hidden="true")),
        id={"type": "run-tag-remove", "name": tag},
        title="Remove this tag",
        className="ts-chip-remove",
        **aria(label=f"Remove tag {shown}"),
    )
    return html.Span([link, remove] if editor else link, className="ts-chip ts-tag")


def _new_tag() -> html.Label:
    field = dcc.Input(
        id="run-tag-new",
        type="text",
        placeholder="add a tag",
        value="",
        autoComplete="off",
        spellCheck="false",
    )
    return html.Label(
        [html.Span("New tag", className="visually-hidden"), field], className="ts-tag-new"
    )


def _changed_text(added: Annotation) -> str:
    return (
        f"{tame(added.changed_by)}, {added.changed_at[:16].replace('T', ' ')} UTC"
        if added.changed_at
        else ""
    )


def _buttons(added: Annotation) -> Parts:
    pin = {
        "children": [html.Span(className="ts-pin"), "Pinned" if added.pinned else "Pin"],
        "value": "off" if added.pinned else "on",
        "className": "ts-button ts-pressed" if added.pinned else "ts-button",
        **aria(pressed="true" if added.pinned else "false"),
    }
    return {
        "run-pin": pin,
        "run-notes-edit": {"children": "Edit notes" if added.notes.strip() else "Add notes"},
    }


def _changes(parts: Parts) -> list[Component]:
    return [
        html.Button(id="run-pin", title=PIN_MEANING, **parts["run-pin"]),
        html.Button(id="run-notes-edit", className="ts-button", **parts["run-notes-edit"]),
    ]


def _pin_mark(pinned: bool) -> list[Component]:
    mark = html.Span(
        [html.Span(className="ts-pin"), " pinned"], className="ts-muted", title=PIN_MEANING
    )
    return [mark] if pinned else []
