"""Texts of a view: caption, content or figure, and the tables that a snapshot has of it."""

from collections.abc import Iterator
from typing import Any

from app.views.view import Plot, View
from tests.support.page_texts import Shown, figure_texts, page_texts


def view_texts(view: View[Any, Any], data: Any, state: Any) -> Iterator[Shown]:
    """Yield the texts of a view with their context, a column's label for cells of its tables."""
    if isinstance(view, Plot):
        panel = view.draw(data, state, "light")
        yield from page_texts(panel.caption)
        yield from figure_texts(panel.figure)
    else:
        part = view.make(data, state)
        yield from page_texts(part.caption)
        yield from page_texts(part.body)
    for table in view.tables(data, state):
        for row in table.rows:
            for label, cell in zip(table.labels, row, strict=True):
                head = " ".join(label) if isinstance(label, tuple) else str(label)
                yield from (Shown(shown.text, head, str(row[0])) for shown in page_texts(cell))
