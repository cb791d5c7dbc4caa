"""The list of findings of a run, errors first."""

from __future__ import annotations

import re
from collections.abc import Callable

import pandas as pd
from dash import html
from dash.development.base_component import Component

from components.numbers import count_text, grouped_digits, integer, shorten
from schema.diagnostics import places_of

_SYMBOLS = {"error": "✖", "warning": "▲", "info": "●"}
_ORDER = ("error", "warning", "info")
_MAX_FINDINGS = 40
"""Findings that the list shows at most; the table of findings has all."""
_CODE = re.compile(r"`([^`]{1,200})`")
_MAX_PLACE_CHARACTERS = 60

Link = Callable[[str], str | None]
"""Function that returns the address of the view that shows a place of a finding, None if there is
no such view.
"""


def health(diagnostics: pd.DataFrame, link: Link | None = None) -> html.Div:
    """Build the list of the first 40 findings from a frame `diagnostics`, errors first; "No
    findings." if there are none.

    Each place of a finding becomes a link if `link` returns an address for it. Row i, counted from
    0 at the worst finding, has the id `{"type": "finding", "index": i}`.
    """
    ordered = worst_first(diagnostics)
    if not len(ordered):
        return html.Div(
            [html.Span("✓", className="ts-good"), " No findings."],
            className="ts-health",
            role="status",
        )
    rows = [
        _finding(i, row, link)
        for i, row in enumerate(ordered.head(_MAX_FINDINGS).itertuples(index=False))
    ]
    rest = len(ordered) - len(rows)
    more = (
        [html.Li(f"and {integer(rest)} more in the table of findings", className="ts-muted")]
        if rest
        else []
    )
    return html.Div([html.Ul([*rows, *more], className="ts-findings")], className="ts-health")


def has_errors(diagnostics: pd.DataFrame) -> bool:
    """Whether a frame `diagnostics` has errors, without which the numbers cannot be read."""
    return bool((diagnostics["severity"] == "error").any())


def worst_first(diagnostics: pd.DataFrame) -> pd.DataFrame:
    """Sort the rows of a frame `diagnostics` by severity: errors, warnings, then notes; the order
    within a severity is unchanged.
    """
    rank = diagnostics["severity"].astype("str").map({name: i for i, name in enumerate(_ORDER)})
    return diagnostics.iloc[rank.argsort(kind="stable")]


def message_parts(message: str) -> list[Component | str]:
    """Format a finding's message as the children of an element: names in backticks as code, long
    numbers with thin spaces. Empty for an empty message.
    """
    parts = _CODE.split(message)
    return [
        html.Code(part) if at % 2 else grouped_digits(part) for at, part in enumerate(parts) if part
    ]


def _finding(index: int, row: object, link: Link | None) -> html.Li:
    severity = str(getattr(row, "severity", ""))
    message = str(getattr(row, "message", ""))
    location = str(getattr(row, "location", ""))
    count = int(getattr(row, "count", 1))
    words = message_parts(shorten(message, 400))
    return html.Li(
        [
            html.Span(
                f"{_SYMBOLS.get(severity, '●')} {severity}", className=f"ts-severity ts-{severity}"
            ),
            html.Span(
                [*words, *_times(count, message), *_places(location, link)],
                title=str(getattr(row, "code", "")),
            ),
        ],
        id={"type": "finding", "index": index},
    )


def _times(count: int, message: str) -> list[Component]:
    """Format how often a finding occurred: ` (3 occurrences)`.

    Returns an empty list if it occurred once or if the message contains the number.
    """
    if count < 2 or re.search(rf"(?<!\d){count}(?!\d)", message):
        return []
    return [html.Span(f" ({count_text(count, 'occurrence')})", className="ts-muted ts-number")]


def _places(location: str, link: Link | None) -> list[Component | str]:
    """Build the places of a finding, each a link if a view shows it, and the number of further
    places; empty without places.
    """
    named, rest = places_of(location)
    shown: list[Component | str] = []
    for place in named:
        shown += [", " if shown else " ", _place(place, link(place) if link else None)]
    return [*shown, html.Span(f" and {rest}", className="ts-muted")] if rest else shown


def _place(place: str, href: str | None) -> Component:
    words = shorten(place, _MAX_PLACE_CHARACTERS)
    return html.A(words, href=href) if href else html.Span(words, className="ts-muted")
