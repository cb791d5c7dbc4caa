"""Facets: a group of check boxes per column, each value with its number of runs under the other
filters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dash_bootstrap_components as dbc
from dash import dcc, html
from dash.development.base_component import Component

from components.aria import aria
from components.numbers import DASH, count_text, integer, tame
from schema.run_columns import RUN_COLUMNS

Counts = Sequence[tuple[str, int]]
"""Pairs of value and number of runs."""
_LABELS = {column.name: column.label for column in RUN_COLUMNS}


def facet_label(name: str) -> str:
    """Return the label of a facet, which is that of its column; the name itself if no column has
    it.
    """
    return _LABELS.get(name, name)


def facet_id(page: str, name: str) -> dict[str, str]:
    """Build the pattern-matching id of a facet's check boxes: type and name."""
    return {"type": f"{page}-facet", "name": name}


def fold_id(page: str, name: str) -> dict[str, str]:
    """Build the pattern-matching id (type, name) of a facet, which can be folded or open."""
    return {"type": f"{page}-facet-fold", "name": name}


def more_id(page: str, name: str) -> dict[str, str]:
    """Build the pattern-matching id (type, name) of the button that opens a facet.

    The browser sets its text to the number of hidden values.
    """
    return {"type": f"{page}-facet-more", "name": name}


def find_id(page: str, name: str) -> dict[str, str]:
    """Build the pattern-matching id (type, name) of the field that searches a facet's values."""
    return {"type": f"{page}-facet-find", "name": name}


def facet(
    page: str,
    name: str,
    label: str,
    counts: Counts,
    chosen: Sequence[str],
    *,
    searched: int | None = None,
    hidden: bool = False,
) -> html.Fieldset:
    """Build a facet with a check box per value; `counts` are in display order, the value "" means
    missing.

    A folded facet shows its first values and the chosen values. `searched` is the number of values
    when they are too many to list; a field then searches all of them. None if all are listed. A
    `hidden` facet keeps its chosen values.
    """
    boxes = dbc.Checklist(
        id=facet_id(page, name),
        options=facet_options(counts),
        value=list(chosen),
        className="ts-facet-values",
    )
    more = html.Button(id=more_id(page, name), className="ts-facet-more ts-link", hidden=True)
    legend = html.Legend(label, className="ts-facet-name")
    find = [] if searched is None else [_find(page, name, label, searched)]
    return html.Fieldset(
        [legend, *find, boxes, more],
        id=fold_id(page, name),
        className="ts-facet",
        hidden=hidden,
        **_data_attribute(name),
    )


def _data_attribute(name: str) -> dict[str, Any]:
    return {"data-facet": name}


def _find(page: str, name: str, label: str, values: int) -> Component:
    return html.Label(
        [
            html.Span(f"Find a value of {label}", className="visually-hidden"),
            dcc.Input(
                id=find_id(page, name),
                type="search",
                placeholder=f"find in {integer(values)}",
                # Search when the user pauses for 0.3 s, not at every key.
                debounce=0.3,
                autoComplete="off",
            ),
        ],
        className="ts-facet-find",
    )


def capture_id(page: str, name: str) -> dict[str, str]:
    """Build the pattern-matching id (type, name) of a field about the captures of runs."""
    return {"type": f"{page}-capture", "name": name}


def capture_fields(page: str, values: Mapping[str, str]) -> html.Fieldset:
    """Build the fields for the beginning of a commit, and for the first and last day of captures.

    `values` has keys `commit`, `since`, `until` with the contents of the fields, "" for an empty
    field.
    """
    fields = [
        html.Label(
            [html.Span(label), dbc.Input(id=capture_id(page, name), value=values[name], **look)]
        )
        for name, label, look in (
            (
                "commit",
                "commit",
                {"type": "search", "placeholder": "its beginning", "maxlength": 64},
            ),
            ("since", "from", {"type": "date"}),
            ("until", "to", {"type": "date"}),
        )
        for look in [
            {**look, "debounce": True, "autocomplete": "off", "className": "ts-capture-field"}
        ]
    ]
    return html.Fieldset(
        [html.Legend("captured", className="ts-facet-name"), *fields],
        className="ts-facet ts-capture",
    )


def facet_options(counts: Counts) -> list[dict[str, Any]]:
    """Build the options (label, value) of a facet's check boxes in the order of `counts`.

    A value without runs is pale but keeps its place.
    """
    return [{"label": _label(value, count), "value": value} for value, count in counts]


def _label(value: str, count: int) -> html.Span:
    shown = tame(value)
    spoken = f"{shown or 'not known'}, {count_text(count, 'run')}"
    return html.Span(
        [
            html.Span(shown or DASH, className="ts-facet-value", title=shown or "not known"),
            html.Span(integer(count), className="ts-facet-count", **aria(label=spoken)),
        ],
        className="ts-facet-option" if count else "ts-facet-option ts-none",
    )
