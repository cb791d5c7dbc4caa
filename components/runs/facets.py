"""Facets: a group of check boxes per column, each value with its count under the other filters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_bootstrap_components as dbc
from dash import html

from components.aria import aria
from components.numbers import DASH, integer, tame

Counts = Sequence[tuple[str, int]]


def facet_id(page: str, name: str) -> dict[str, str]:
    """Return the pattern-matching id of a facet's check boxes."""
    return {"type": f"{page}-facet", "name": name}


def fold_id(page: str, name: str) -> dict[str, str]:
    """Return the pattern-matching id of a facet, which is folded or open."""
    return {"type": f"{page}-facet-fold", "name": name}


def more_id(page: str, name: str) -> dict[str, str]:
    """Return the pattern-matching id of the button that opens a facet; the browser writes on it how many are hidden."""
    return {"type": f"{page}-facet-more", "name": name}


def facet(page: str, name: str, label: str, counts: Counts, chosen: Sequence[str]) -> html.Fieldset:
    """Lay out one facet; `counts` are (value, runs) in the order of display, "" is the missing value.

    Folded, it shows its first values and those that are chosen.
    """
    boxes = dbc.Checklist(
        id=facet_id(page, name), options=facet_options(counts), value=list(chosen), className="ts-facet-values"
    )
    more = html.Button(id=more_id(page, name), className="ts-facet-more ts-link", hidden=True)
    legend = html.Legend(label, className="ts-facet-name")
    return html.Fieldset([legend, boxes, more], id=fold_id(page, name), className="ts-facet")


def facet_options(counts: Counts) -> list[dict[str, Any]]:
    """Return the options of a facet's check boxes; a value without runs is pale but stays in its place."""
    return [{"label": _label(value, count), "value": value} for value, count in counts]


def _label(value: str, count: int) -> html.Span:
    shown = tame(value)
    spoken = f"{shown or 'not known'}, {count} runs"
    return html.Span(
        [
            html.Span(shown or DASH, className="ts-facet-value", title=shown or "not known"),
            html.Span(integer(count), className="ts-facet-count", **aria(label=spoken)),
        ],
        className="ts-facet-option" if count else "ts-facet-option ts-none",
    )
