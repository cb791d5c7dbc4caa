"""A graph, or the difference of two graphs, as lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from dash import html
from dash.development.base_component import Component

from components.aria import aria
from components.hints import left_out_hint
from components.numbers import tame

MAX_LINES = 2_000
"""Lines that are shown at most."""
_SIDES = {"+": "ts-line-new", "-": "ts-line-old", "@": "ts-line-place"}


def graph_lines(lines: Sequence[str], label: str, *, difference: bool) -> html.Div:
    """Lay out the first 2,000 lines of text; if they are a `difference`, lines are coloured by
    their first character (+, -, @). A line below counts the rest.

    `label` is the name of the text for screen readers.
    """
    shown = [tame(line) for line in lines[:MAX_LINES]]
    runs = groupby(shown, lambda line: _SIDES.get(line[:1], "") if difference else "")
    parts: list[Component | str] = [
        html.Span("\n".join(own) + "\n", className=kind) if kind else "\n".join(own) + "\n"
        for kind, own in ((kind, list(own)) for kind, own in runs)
    ]
    where = " not shown." if difference else " in the export TEXT."
    more = left_out_hint(len(lines) - len(shown), "line", where)
    text = html.Pre(
        parts, className="ts-graph-lines", tabIndex=0, role="region", **aria(label=label)
    )
    return html.Div([text, *more])
