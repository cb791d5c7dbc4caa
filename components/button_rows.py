"""Table whose rows end in buttons. On a narrow screen each row becomes a paragraph, so that its
buttons stay inside the page.
"""

from __future__ import annotations

from collections.abc import Sequence

from dash import html

ROWS = "ts-button-rows"
"""CSS class of a table with such rows."""


def button_rows(heads: Sequence[str], rows: Sequence[html.Tr], class_name: str) -> html.Div:
    """Build the table in a frame that scrolls; the column of the buttons has the head ""."""
    name_cells(heads, rows)
    cells = [html.Th(text, scope="col") if text else html.Td() for text in heads]
    classes = f"ts-changes {ROWS} {class_name}".strip()
    table = html.Table([html.Thead(html.Tr(cells)), html.Tbody(list(rows))], className=classes)
    # Between 700 px and the width of the table, the frame still scrolls by keyboard.
    return html.Div(table, className="ts-changes-frame", tabIndex=0)


def name_cells(heads: Sequence[str], rows: Sequence[html.Tr]) -> None:
    """Give each cell its head, which a narrow screen shows before it instead of the row of heads.

    Each row has a cell per head; a cell with the head "" needs none, and an empty cell would be a
    head without a value.
    """
    for row in rows:
        for head, cell in zip(heads, row.children, strict=True):
            is_empty = getattr(cell, "children", None) in (None, "", [])
            setattr(cell, "data-head", "" if is_empty else head)
