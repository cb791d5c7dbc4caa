"""Controls that choose how a page looks: each is a field of the view state."""

from __future__ import annotations

from collections.abc import Mapping

import dash_bootstrap_components as dbc
from dash import html
from dash.development.base_component import Component

CHOICE = "run-choice"
"""Type of the ids of what chooses how a run is shown, see `app.views.view_page`."""
_NO_BYTES = "not a number of bytes, such as 4096, 100KiB or 1.5MiB"


def choice(name: str, options: Mapping[str, str], value: str, kind: str = CHOICE) -> dbc.Select:
    """Lay out a choice between values of a field of the view state, by their labels; `kind` is the type of its id."""
    values = [{"label": label, "value": option} for option, label in options.items()]
    return dbc.Select(
        id={"type": kind, "name": name}, options=values, value=value, size="sm", class_name=f"ts-select run-{name}"
    )


def name_control(label: str, control: Component) -> html.Label:
    """Name a control for screen readers, where what it shows says it to the eye."""
    return html.Label([html.Span(label, className="visually-hidden"), control])


def number_box(name: str, value: str, label: str, placeholder: str, kind: str = CHOICE) -> html.Label:
    """Lay out a field of a positive number; `kind` is the type of its id."""
    field = dbc.Input(
        id={"type": kind, "name": name},
        value=value,
        placeholder=placeholder,
        type="number",
        min=0,
        step="any",
        debounce=True,
        size="sm",
        class_name="ts-find",
    )
    return html.Label([html.Span(label, className="ts-muted"), " ", field])


def bytes_box(name: str, value: str, label: str, placeholder: str, kind: str = CHOICE) -> html.Div:
    """Lay out a field of a number of bytes, with a unit or without; what it cannot read is told beside it.

    The browser reads it as `schema.byte_sizes` does (`assets/bytes.js`), and keeps the text.
    """
    field = dbc.Input(
        id={"type": kind, "name": name},
        value=value,
        placeholder=placeholder,
        type="text",
        debounce=True,
        size="sm",
        class_name=f"ts-find ts-bytes ts-bytes-{name}",
    )
    told = html.Span(_NO_BYTES, id=f"{kind}-{name}-refusal", className="ts-refusal")
    named = html.Label([html.Span(label, className="ts-muted"), " ", field])
    return html.Div([named, told], className="ts-bytes-field")


def find_box(name: str, value: str, placeholder: str, kind: str = CHOICE) -> html.Label:
    """Lay out a field of words to look for; `kind` is the type of its id."""
    field = dbc.Input(
        id={"type": kind, "name": name},
        value=value,
        placeholder=placeholder,
        type="search",
        debounce=True,
        size="sm",
        class_name="ts-find",
    )
    return name_control(placeholder, field)
