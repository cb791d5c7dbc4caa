"""What the reader and the analysis noticed, in words, worst first."""

from __future__ import annotations

import re
from collections.abc import Callable

import pandas as pd
from dash import html
from dash.development.base_component import Component

from components.numbers import integer, shorten

_SYMBOLS = {"error": "✖", "warning": "▲", "info": "●"}
_ORDER = ("error", "warning", "info")
_MOST = 40
_CODE = re.compile(r"`([^`]{1,200})`")
_NUMBER = re.compile(r"(?<![\w.,:/+-])[0-9]{4,18}(?![\w/-]|[.,:][0-9])", re.ASCII)
"""A whole number of four digits or more that stands alone: no part of a name, date, address or fraction."""


def health(diagnostics: pd.DataFrame, link: Callable[[str], str | None] | None = None) -> html.Div:
    """Build the health panel from a frame `diagnostics`.

    `link` gives the address of the view that shows a finding's location, or None. Each row also has the id
    `{"type": "finding", "index": i}`, i counting worst first.
    """
    ordered = worst_first(diagnostics)
    if not len(ordered):
        return html.Div([html.Span("✓", className="ts-good"), " No findings."], className="ts-health", role="status")
    rows = [_finding(i, row, link) for i, row in enumerate(ordered.head(_MOST).itertuples(index=False))]
    rest = len(ordered) - len(rows)
    more = [html.Li(f"and {integer(rest)} more in the table of findings", className="ts-muted")] if rest else []
    return html.Div([html.Ul([*rows, *more], className="ts-findings")], className="ts-health")


def worst_first(diagnostics: pd.DataFrame) -> pd.DataFrame:
    """Return the findings by severity, errors first, otherwise in their order."""
    rank = diagnostics["severity"].astype("str").map({name: i for i, name in enumerate(_ORDER)})
    return diagnostics.iloc[rank.argsort(kind="stable")]


def message_parts(message: str) -> list[Component | str]:
    """Return a finding's message for a page: names between backticks as code, long numbers with thin spaces."""
    parts = _CODE.split(message)
    return [
        html.Code(part) if at % 2 else _NUMBER.sub(lambda found: integer(int(found[0])), part)
        for at, part in enumerate(parts)
        if part
    ]


def _untold(count: int, message: str) -> bool:
    """Return whether a finding's count is worth saying: more than one, and not a number of its message already."""
    return count > 1 and re.search(rf"(?<!\d){count}(?!\d)", message) is None


def _finding(index: int, row: object, link: Callable[[str], str | None] | None) -> html.Li:
    severity, message = str(getattr(row, "severity", "")), str(getattr(row, "message", ""))
    location, count = str(getattr(row, "location", "")), int(getattr(row, "count", 1))
    href = link(location) if link and location else None
    place: list[Component | str] = []
    if location:
        where = shorten(location, 80)
        place = [" ", html.A(where, href=href) if href else html.Span(where, className="ts-muted")]
    said = message_parts(shorten(message, 400))
    times = [html.Span(f" ({integer(count)} times)", className="ts-muted")] if _untold(count, message) else []
    return html.Li(
        [
            html.Span(f"{_SYMBOLS.get(severity, '●')} {severity}", className=f"ts-severity ts-{severity}"),
            html.Span([*said, *times, *place], title=str(getattr(row, "code", ""))),
        ],
        id={"type": "finding", "index": index},
    )
