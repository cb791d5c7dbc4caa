"""Lay out tables of text."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from app.text_table import TextTable
from components.numbers import tame

_BAR = "color-mix(in srgb, var(--ts-link) 22%, transparent)"


def text_table(table: TextTable) -> Component:
    """Lay out a table of text; the share (0 to 1) of each row, if the table has shares, is drawn as
    a bar behind its last cell.
    """
    looks = [""] * (len(table.heads) - table.numbers) + ["ts-number"] * table.numbers
    heads = [
        html.Th(head, scope="col", className=look)
        for head, look in zip(table.heads, looks, strict=True)
    ]
    shares = table.shares or (0.0,) * len(table.rows)
    rows = [_row(row, looks, share) for row, share in zip(table.rows, shares, strict=True)]
    laid_out = html.Table(
        [html.Thead(html.Tr(heads)), html.Tbody(rows)], className="ts-changes ts-text-table"
    )
    return html.Div(laid_out, className="ts-changes-frame")


def _row(row: Sequence[str], looks: Sequence[str], share: float) -> html.Tr:
    width = f"{100 * share:.1f}%"
    bar = (
        {"backgroundImage": f"linear-gradient(to left, {_BAR} {width}, transparent {width})"}
        if share
        else {}
    )
    *cells, last = [tame(cell) for cell in row]
    shown = [html.Td(cell, className=look) for cell, look in zip(cells, looks[:-1], strict=True)]
    return html.Tr([*shown, html.Td(last, className=looks[-1], style=bar)])
