"""Texts of components and figures, each with the words around it."""

import json
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from plotly.utils import PlotlyJSONEncoder

BOXES = {"P", "Li", "Td", "Th", "Dd", "Dt", "Figcaption", "Summary", "Button", "Label"}
"""Components whose text is read as a whole: a sentence, a cell."""
TITLES = ("title", "aria-label")
FIGURE_TEXTS = ("text", "hovertext", "ticktext", "name", "hovertemplate")


class Shown(NamedTuple):
    """A text of a page with its headings and tooltips (of its column, of axes) and further words
    beside it: the name of its row, legend and notes of its figure. `is_tick` is True for a label of
    an axis.
    """

    text: str
    headings: str = ""
    beside: str = ""
    is_tick: bool = False


def page_texts(component: object) -> Iterator[Shown]:
    """Yield the texts of components, given as objects or as the JSON of a page, with the words
    around them.
    """
    yield from _texts(json.loads(json.dumps(component, cls=PlotlyJSONEncoder)))


def _texts(part: Any) -> Iterator[Shown]:
    if isinstance(part, list):
        for child in part:
            yield from _texts(child)
    if isinstance(part, str):
        yield Shown(part)
    if not isinstance(part, dict):
        return
    props = part.get("props", part)
    kind = part.get("type") if "props" in part else ""
    if kind == "Table":
        yield from _cell_texts(part)
    elif kind == "AgGrid":
        yield from _row_texts(props)
    elif kind == "Graph":
        yield from figure_texts(props.get("figure"))
    elif kind in BOXES:
        yield Shown(text_of(part))
    elif kind != "Store":
        yield from _child_texts(props)


def _child_texts(props: dict[str, Any]) -> Iterator[Shown]:
    children = props.get("children")
    parts = children if isinstance(children, list) else [children]
    if any(isinstance(part, str) for part in parts):
        # A text beside elements, such as links in a line, is read with its whole line.
        yield Shown(f"{text_of(parts)} {_titles(props)}")
    else:
        yield from _texts(parts)


def text_of(part: Any) -> str:
    """Join the texts and tooltips of a component and of all that it contains."""
    if isinstance(part, list):
        return " ".join(map(text_of, part))
    if isinstance(part, dict):
        props = part.get("props", {})
        return f"{text_of(props.get('children'))} {_titles(props)}"
    return "" if part is None else str(part)


def _titles(props: dict[str, Any]) -> str:
    return " ".join(str(props[name]) for name in TITLES if props.get(name))


def _find(part: Any, kind: str) -> Iterator[dict[str, Any]]:
    if isinstance(part, list):
        for child in part:
            yield from _find(child, kind)
    elif isinstance(part, dict):
        if part.get("type") == kind:
            yield part
        else:
            yield from _find(part.get("props", {}).get("children"), kind)


def _cells(row: dict[str, Any]) -> list[Any]:
    children = row["props"].get("children")
    return children if isinstance(children, list) else [children]


def _cell_texts(table: dict[str, Any]) -> Iterator[Shown]:
    """Yield the texts of cells with the heading of their column and the name of their row."""
    rows = list(_find(table["props"].get("children"), "Tr"))
    heads = [text_of(cell) for cell in _cells(rows[0])] if rows else []
    for row in rows[1:]:
        cells = _cells(row)
        for at, cell in enumerate(cells):
            head = heads[at] if at < len(heads) else ""
            yield Shown(text_of(cell), head, text_of(cells[0]))


def _row_texts(grid: dict[str, Any]) -> Iterator[Shown]:
    heads = {
        column.get("field"): f"{column.get('headerName', '')} {column.get('headerTooltip', '')}"
        for column in grid.get("columnDefs", [])
    }
    for row in grid.get("rowData") or []:
        for field, head in heads.items():
            yield Shown(str(row.get(field, "")), head)


def figure_texts(figure: Any) -> Iterator[Shown]:
    """Yield the texts of a figure with the titles of its axes and colour bars, the names in its
    legend and its notes.
    """
    figure = json.loads(json.dumps(figure, cls=PlotlyJSONEncoder)) or {}
    layout = figure.get("layout", {})
    axes = [value for name, value in layout.items() if name[1:].startswith("axis")]
    bars = [
        (item.get("marker") or {}).get("colorbar") or {}
        for item in figure.get("data", [])
        if isinstance(item.get("marker"), dict)
    ]
    titled = [str((part.get("title") or {}).get("text", "")) for part in [*axes, *bars]]
    names = [str(item.get("name", "")) for item in figure.get("data", [])]
    texts = [note.get("text", "") for note in layout.get("annotations", [])]
    beside = "\n".join([*names, *map(str, texts)])
    for item in figure.get("data", []):
        texts += _listed(item, FIGURE_TEXTS)
    ticks = [text for axis in axes for text in _listed(axis, FIGURE_TEXTS)]
    titles = " ".join(titled)
    yield from (Shown(text, titles, beside) for text in texts if isinstance(text, str))
    yield from (Shown(text, titles, beside, True) for text in ticks if isinstance(text, str))


def _listed(item: dict[str, Any], names: Collection[str]) -> list[Any]:
    values = [item.get(name) for name in names]
    return [text for value in values for text in (value if isinstance(value, list) else [value])]
