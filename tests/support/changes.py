"""Signed percentages that a page shows, and whether each names what it is relative to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from plotly.utils import PlotlyJSONEncoder

SIGNED = re.compile(
    r"(?<![\w.,×)])(?:[+−-]|–(?=\d))\s?\d[\d.,\u2009]*\s?(?:%|pp\b|(?:percentage )?points?\b)"
    r"|\b(?:rose|fell|grew|shrank)(?: by)? \d[\d.,\u2009]*\s?%"
    r"|\d\s?% (?:slower|faster|longer|shorter|higher|lower|more|less)\b"
)
"""A percentage of change, or a difference of two percentages. A range such as `1 – 5 %` is none."""
BASED = re.compile(
    r"\b(?:vs|against|than|from|base|baseline|measured)\b|→|->|\bstep\b|\bdip\b|\bdrift\b"
    r"|\bof the (?:base|step|predicted|level)|\b[AB] [−-] [AB]\b",
    re.IGNORECASE,
)
"""Words that name a base."""
BOXES = {"P", "Li", "Td", "Th", "Dd", "Dt", "Figcaption", "Summary", "Button", "Label"}
"""Components whose text is read as a whole: a sentence, a cell."""
TITLES = ("title", "aria-label")
FIGURE_TEXTS = ("text", "hovertext", "ticktext", "name", "hovertemplate")


def bare_changes(component: object) -> list[str]:
    """List the texts of components, as objects or as the JSON of a page, that have a signed
    percentage without its base.

    The base is in the same sentence or cell, in the heading of its column, or in a tooltip of one
    of these; in a figure in the same text or in the title of an axis.
    """
    return list(_bare(json.loads(json.dumps(component, cls=PlotlyJSONEncoder))))


def _bare(part: Any) -> Iterator[str]:
    if isinstance(part, list):
        for child in part:
            yield from _bare(child)
    if isinstance(part, str):
        yield from _without_base(part)
    if not isinstance(part, dict):
        return
    props = part.get("props", part)
    kind = part.get("type") if "props" in part else ""
    if kind == "Table":
        yield from _bare_cells(part)
    elif kind == "AgGrid":
        yield from _bare_rows(props)
    elif kind == "Graph":
        yield from bare_in_figure(props.get("figure"))
    elif kind in BOXES:
        yield from _without_base(text_of(part))
    elif kind != "Store":
        yield from _bare_children(props)


def _bare_children(props: dict[str, Any]) -> Iterator[str]:
    children = props.get("children")
    parts = children if isinstance(children, list) else [children]
    if any(isinstance(part, str) for part in parts):
        # A text beside elements, such as links in a line, is read with its whole line.
        yield from _without_base(f"{text_of(parts)} {_titles(props)}")
    else:
        yield from _bare(parts)


def _without_base(text: str, context: str = "") -> Iterator[str]:
    if SIGNED.search(text) and not BASED.search(f"{text} {context}"):
        yield text


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


def _bare_cells(table: dict[str, Any]) -> Iterator[str]:
    rows = list(_find(table["props"].get("children"), "Tr"))
    heads = [text_of(cell) for cell in _cells(rows[0])] if rows else []
    for row in rows[1:]:
        for at, cell in enumerate(_cells(row)):
            yield from _without_base(text_of(cell), heads[at] if at < len(heads) else "")


def _bare_rows(grid: dict[str, Any]) -> Iterator[str]:
    heads = {
        column.get("field"): f"{column.get('headerName', '')} {column.get('headerTooltip', '')}"
        for column in grid.get("columnDefs", [])
    }
    for row in grid.get("rowData") or []:
        for field, head in heads.items():
            yield from _without_base(str(row.get(field, "")), head)


def bare_in_figure(figure: Any) -> list[str]:
    """List the texts of a figure that have a signed percentage without its base."""
    figure = json.loads(json.dumps(figure, cls=PlotlyJSONEncoder)) or {}
    layout = figure.get("layout", {})
    axes = [value for name, value in layout.items() if name[1:].startswith("axis")]
    titles = " ".join(str((axis.get("title") or {}).get("text", "")) for axis in axes)
    texts = [note.get("text", "") for note in layout.get("annotations", [])]
    for item in [*figure.get("data", []), *axes]:
        for name in FIGURE_TEXTS:
            value = item.get(name)
            texts += value if isinstance(value, list) else [value]
    found = (text for text in texts if isinstance(text, str))
    return [bare for text in found for bare in _without_base(text, titles)]
