"""Components of a page for the fields of its view state: selectors, number fields, search fields."""

from __future__ import annotations

from collections.abc import Mapping

import dash_bootstrap_components as dbc
from dash import html
from dash.development.base_component import Component

CHOICE = "run-choice"
"""Type in the component ids of the selectors on a run's page, see `app.views.view_page`."""
_NO_BYTES = "not a number of bytes, such as 4096, 100KiB or 1.5MiB"


def choice(name: str, options: Mapping[str, str], value: str, kind: str = CHOICE) -> dbc.Select:
    """Lay out a selector for the field `name` of the view state.

    `options` maps values to labels; `kind` is the type in the component's id.
    """
    values = [{"label": label, "value": option} for option, label in options.items()]
    return dbc.Select(
        id={"type": kind, "name": name},
        options=values,
        value=value,
        size="sm",
        class_name=f"ts-select run-{name}",
    )


def name_control(label: str, control: Component) -> html.Label:
    """Wrap a control in a label that only screen readers show; its content explains itself
    visually.
    """
    return html.Label([html.Span(label, className="visually-hidden"), control])


def number_box(name: str, value: str, label: str, placeholder: str) -> html.Label:
    """Lay out a labelled field for a number from 0."""
    field = dbc.Input(
        id={"type": CHOICE, "name": name},
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


def bytes_box(name: str, value: str, label: str, placeholder: str, kind: str) -> html.Div:
    """Lay out a field for a number of bytes with an optional unit, and a message for invalid input.

    The browser parses the text like `schema.byte_sizes` does (`assets/bytes.js`) and keeps the text
    as typed.
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
    message = html.Span(_NO_BYTES, id=f"{kind}-{name}-refusal", className="ts-refusal")
    named = html.Label([html.Span(label, className="ts-muted"), " ", field])
    return html.Div([named, message], className="ts-bytes-field")


def find_box(name: str, value: str, placeholder: str, kind: str = CHOICE) -> html.Label:
    """Lay out a search field, labelled by its placeholder; `kind` is the type in its id."""
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
