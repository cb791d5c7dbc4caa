"""The table of allocators and runs: a row per run, a column per strategy, the gap as colour, the
proof as a mark.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from dash import dcc, html
from dash.development.base_component import Component

from analysis.allocators.listed import LISTED
from app.pages.matrix.state import MatrixState
from app.views.lab.state import LabState
from components.aria import aria
from components.numbers import excess_percent, integer, percent, seconds, shorten, size
from services.lab.matrix_page import MatrixRow
from services.lab.matrix_table import REFUSED

PROVED, FOUND = "✓", "~"
"""Marks of an extent that is proved to be the least, and of one that a strategy found."""
_STEPS = (0.0, 0.01, 0.05, 0.2)
"""Upper limits of the gap for the colours of the cells, by rank."""
_NAME = 48


def gap_class(gap: float | None) -> str:
    """Return the CSS class for the colour of a gap (a share), `ts-gap-0` (at the bound) to
    `ts-gap-4` (above 20 %); "" if the gap is unknown.
    """
    return "" if gap is None else f"ts-gap-{sum(gap > step for step in _STEPS)}"


def matrix_table(rows: list[MatrixRow], state: MatrixState) -> html.Div:
    """Lay out the table, in a frame that scrolls: a row per run with its bound, and a column per
    strategy.
    """
    named = [
        html.Th(strategy.label, title=strategy.help, scope="col") for strategy in LISTED.values()
    ]
    head = html.Thead(html.Tr([html.Th("run", scope="col"), html.Th("bound", scope="col"), *named]))
    body = html.Tbody([_row(row, state) for row in rows])
    table = html.Table([head, body], className="ts-matrix", id="matrix-table")
    return html.Div(
        table, className="ts-matrix-scroll", tabIndex=0, role="region", **aria(label="Matrix")
    )


def legend() -> html.P:
    """Lay out the meaning of colours and marks of the matrix."""
    edges = [
        "at the bound",
        *(f"up to {percent(step)}" for step in _STEPS[1:]),
        f"above {percent(_STEPS[-1])}",
    ]
    keys: list[Component] = [
        html.Span(words, className=f"ts-matrix-key ts-gap-{rank}")
        for rank, words in enumerate(edges)
    ]
    marks = f"{PROVED} proved least, {FOUND} found. Click a cell to open its problem in the lab."
    return html.P(
        [html.Span("gap to the bound: "), *keys, html.Span(marks)],
        className="ts-line ts-matrix-legend",
    )


def _row(row: MatrixRow, state: MatrixState) -> html.Tr:
    data = row.data
    label = "" if data is None or data.stored_map is None else data.stored_map.label
    href = f"/run/{quote(row.run_id)}"
    run = [dcc.Link(html.Bdi(shorten(row.name, _NAME)), href=href, title=row.name)]
    bound = None if data is None else data.lower_bound
    cells = [_cell(row, row.cell(name, state.seed, state.effort), state) for name in LISTED]
    return html.Tr(
        [
            html.Th([*run, html.Span(f" {label}", className="ts-muted")], scope="row"),
            html.Td(
                "–" if bound is None else size(bound),
                title="" if bound is None else f"{integer(bound)} B",
            ),
            *cells,
        ]
    )


def _cell(row: MatrixRow, cell: dict[str, Any], state: MatrixState) -> html.Td:
    if cell["status"] == REFUSED:
        return html.Td("refused", title=cell["reason"], className="ts-muted")
    query = LabState(cell["attempt"], str(cell["strategy"]), state.seed, state.effort).query()
    link = dcc.Link(_words(cell), href=f"/run/{quote(row.run_id)}/lab?{query}", title=_title(cell))
    return html.Td(link, className=gap_class(cell["gap"]))


def _words(cell: dict[str, Any]) -> list[Component]:
    if cell["status"] is None:
        return [html.Span("not run", className="ts-muted")]
    if cell["extent"] is None:
        return [html.Span("not found")]
    gap = f"{excess_percent(cell['gap'])} above" if cell["gap"] else "at the bound"
    mark = PROVED if cell["status"] == "optimal" else FOUND
    return [
        html.B(f"{size(cell['extent'])} {mark}"),
        html.Span(f"{gap} · {seconds(cell['seconds'])}", className="ts-matrix-more"),
    ]


def _title(cell: dict[str, Any]) -> str:
    if cell["extent"] is None:
        return ""
    worth = "proved least" if cell["status"] == "optimal" else "found"
    return f"{worth}: {integer(cell['extent'])} B, bound {integer(cell['bound'])} B"
