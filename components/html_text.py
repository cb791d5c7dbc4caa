"""HTML text of components, for files that have no Dash."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from dash.development.base_component import Component

_ATTRIBUTES = {"href": "href", "rel": "rel", "target": "target", "start": "start"}
"""Property of a component -> attribute; all other properties are left out."""
_EMPTY = frozenset(("Br", "Hr"))
"""Components without an end tag."""


def html_text(parts: Sequence[Component | str]) -> str:
    """Write components of `dash.html`, and texts, as HTML; texts and attributes are escaped.

    Links to pages of the server are written as their text, since a file has no server.
    """
    return "".join(map(_part_text, parts))


def _part_text(part: Component | str) -> str:
    if not isinstance(part, Component):
        return escape(str(part))
    kind = type(part).__name__
    inner = html_text(_children(part))
    # Such a link would lead to a path on the reader's own disk.
    if kind == "A" and str(getattr(part, "href", "")).startswith("/"):
        return inner
    tag = kind.lower()
    # Classes and ids belong to styles and scripts that a file does not have.
    attributes = "".join(
        f' {attribute}="{escape(str(getattr(part, name)))}"'
        for name, attribute in _ATTRIBUTES.items()
        if getattr(part, name, None) is not None
    )
    return f"<{tag}{attributes}>" if kind in _EMPTY else f"<{tag}{attributes}>{inner}</{tag}>"


def _children(part: Component) -> list[Any]:
    children = getattr(part, "children", None)
    if children is None:
        return []
    return list(children) if isinstance(children, (list, tuple)) else [children]
