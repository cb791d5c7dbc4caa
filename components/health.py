"""What the reader and the analysis noticed, in words, worst first."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from dash import html
from dash.development.base_component import Component

from components.numbers import integer, shorten

_SYMBOLS = {"error": "✖", "warning": "▲", "info": "●"}
_ORDER = ("error", "warning", "info")
_MOST = 40


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


def _finding(index: int, row: object, link: Callable[[str], str | None] | None) -> html.Li:
    severity, message = str(getattr(row, "severity", "")), str(getattr(row, "message", ""))
    location, count = str(getattr(row, "location", "")), int(getattr(row, "count", 1))
    href = link(location) if link and location else None
    place: list[Component | str] = []
    if location:
        where = shorten(location, 80)
        place = [" ", html.A(where, href=href) if href else html.Span(where, className="ts-muted")]
    times = [html.Span(f" ×{integer(count)}", className="ts-muted ts-number")] if count > 1 else []
    return html.Li(
        [
            html.Span(f"{_SYMBOLS.get(severity, '●')} {severity}", className=f"ts-severity ts-{severity}"),
            html.Span([shorten(message, 400), *times, *place], title=str(getattr(row, "code", ""))),
        ],
        id={"type": "finding", "index": index},
    )
