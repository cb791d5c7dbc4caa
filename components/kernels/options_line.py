"""The optimisations that a compiler applied to a kernel, as a line of links to the steps that
applied them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd
from dash import dcc, html
from dash.development.base_component import Component

from components.numbers import integer, missing, shorten

_MAX_OPTIONS = 40
"""Optimisations that are listed at most."""
_MAX_WORD = 40


def options_line(options: pd.DataFrame, page: str | None) -> html.P | None:
    """Build the line `Optimisations: UPCAST 0:4, LOCAL 1:16` from rows of frame `program_options`.

    Returns None without rows.

    `page` is the address of the context on the compiler page, to which `&step=` is added; without
    it the line has no links.
    """
    if options.empty:
        return None
    rows = options.sort_values("rank").to_dict("records")
    parts: list[Component | str] = ["Optimisations: "]
    for place, row in enumerate(rows[:_MAX_OPTIONS]):
        parts += [", "] if place else []
        parts.append(_option(row, page))
    left = len(rows) - _MAX_OPTIONS
    return html.P(
        [*parts, f" and {integer(left)} more" if left > 0 else ""], className="ts-options-line"
    )


def options_text(options: pd.DataFrame) -> str:
    """Format at most the first 40 optimisations by rank as text: `UPCAST 0:4, LOCAL 1:16`; ""
    without rows.
    """
    return ", ".join(map(_words, options.sort_values("rank").to_dict("records")[:_MAX_OPTIONS]))


def _option(row: Mapping[Hashable, Any], page: str | None) -> Component | str:
    if page is None or missing(row["step"]):
        return _words(row)
    title = "the rewrite step that applied it"
    return dcc.Link(
        _words(row), href=f"{page}&step={int(row['step'])}", className="ts-link", title=title
    )


def _words(row: Mapping[Hashable, Any]) -> str:
    axis, amount = (
        "" if pd.isna(row[name]) else shorten(str(row[name]), _MAX_WORD)
        for name in ("axis", "amount")
    )
    numbers = ":".join(part for part in (axis, amount if amount != "None" else "") if part)
    return f"{shorten(str(row['op']), _MAX_WORD)} {numbers}".strip()
