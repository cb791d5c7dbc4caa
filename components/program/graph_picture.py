"""A compiler's graph as a picture: nodes in layers from operands (left) to the result (right), what changed in front.

Edges are straight and lie below the nodes; those of the selected node are lit.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.program.kinds import KINDS
from analysis.program.layout import Places
from analysis.program.picture import GraphPicture
from analysis.program.state import State
from components.figure import Figure
from components.graph import figure
from components.numbers import integer, plain
from components.program.kinds import kind_colour
from components.theme import MONO, fade, palette

UNIT = 10
"""A layer's width, and a row's height, in the axes' numbers: they are whole in addresses."""
MOST_NAMED, MOST_LAYERS = 150, 20
"""Nodes and layers in view up to which each node is named beside its mark; beyond, what the match made is."""
_ROW_PX, _LEAST_PX, _MOST_PX, _MARGIN_PX = 26, 240, 720, 56
_NAME, _HOVER_LINES, _HOVER_WIDTH = 14, 14, 90
_SIZES = ((150, 13), (1000, 9), (10**9, 6))


@dataclass(frozen=True)
class Lit:
    """What stands out: the selected node, and nodes that a search found."""

    node: int | None = None
    found: Collection[int] = frozenset()


def graph_picture(
    state: State,
    picture: GraphPicture,
    places: Places,
    lit: Lit,
    theme: str,
    *,
    view: tuple[tuple[int, int] | None, tuple[int, int] | None] = (None, None),
) -> Figure:
    """Draw a state's picture; a node's customdata is [its name]. `view` are the ranges of both axes, None for all."""
    shown = [node for node in picture.nodes if _within(places, node, view)]
    size = next(size for most, size in _SIZES if len(shown) <= most)
    traces = [
        _edges(places, picture.edges, fade(palette(theme).muted, 0.5), 0.9),
        *_halos(state, places, shown, size, theme),
        *_touching(picture, places, lit.node, theme),
        *_marks(state, places, shown, _named_nodes(state, places, shown, lit), theme, size),
        *_rings(places, shown, lit, size, theme),
    ]
    return figure([trace for trace in traces if trace], _layout(places, view), theme)


def _within(places: Places, node: int, view: tuple[tuple[int, int] | None, tuple[int, int] | None]) -> bool:
    at = UNIT * places.x[node], UNIT * places.y[node]
    return all(span is None or span[0] <= value <= span[1] for value, span in zip(at, view, strict=True))


def _layout(places: Places, view: tuple[tuple[int, int] | None, tuple[int, int] | None]) -> dict[str, Any]:
    layers, rows = view
    bottom = places.widest / 2 + 0.2
    across = layers or (-0.6 * UNIT, (places.layers - 1 + 0.9) * UNIT)
    down = rows or (-bottom * UNIT, bottom * UNIT)
    axis = {"showgrid": False, "showticklabels": False, "ticks": "", "title": {"text": ""}}
    return {
        "height": min(max(_ROW_PX * places.widest + _MARGIN_PX, _LEAST_PX), _MOST_PX),
        "margin": {"l": 8, "r": 8, "t": 34, "b": 8},
        "clickmode": "event",
        "dragmode": "pan",
        "uirevision": f"{layers} {rows}",
        "xaxis": axis | {"range": [float(end) for end in across]},
        "yaxis": axis | {"range": [float(end) for end in reversed(down)]},
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "font": {"size": 11}},
    }


def _edges(places: Places, edges: Sequence[tuple[int, int]], colour: str, width: float) -> dict[str, Any]:
    """Return edges as one line with gaps."""
    x = [at for source, user in edges for at in (UNIT * places.x[source], UNIT * places.x[user], None)]
    y = [at for source, user in edges for at in (UNIT * places.y[source], UNIT * places.y[user], None)]
    line = {"color": colour, "width": width}
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "hoverinfo": "skip", "showlegend": False}


def _touching(picture: GraphPicture, places: Places, node: int | None, theme: str) -> list[dict[str, Any]]:
    """Return the edges of the selected node: from its operands, and to what uses it."""
    if node is None or node not in places.x:
        return []
    colours = palette(theme)
    into = [edge for edge in picture.edges if edge[1] == node]
    out = [edge for edge in picture.edges if edge[0] == node]
    return [_edges(places, into, colours.link, 2.0), _edges(places, out, colours.caution, 2.0)]


def _halos(state: State, places: Places, shown: Sequence[int], size: int, theme: str) -> list[dict[str, Any]]:
    """Return what lies behind nodes of this state: strong where the pattern made them, weak where they were rebuilt."""
    change, good = state.change, palette(theme).good
    made = [node for node in shown if node in change.added and node in change.changed]
    rebuilt = [node for node in shown if node in change.added and node not in change.changed]
    return [
        _points(places, rebuilt, {"size": size + 6, "symbol": "square", "color": fade(good, 0.28)}, "rebuilt"),
        _points(places, made, {"size": size + 11, "symbol": "square", "color": good}, "made by the match"),
    ]


def _points(places: Places, nodes: Sequence[int], marker: dict[str, Any], name: str) -> dict[str, Any]:
    """Return marks that say nothing themselves; none for no nodes."""
    if not nodes:
        return {}
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [UNIT * places.x[node] for node in nodes],
        "y": [UNIT * places.y[node] for node in nodes],
        "marker": marker,
        "name": name,
        "hoverinfo": "skip",
    }


def _rings(places: Places, shown: Sequence[int], lit: Lit, size: int, theme: str) -> list[dict[str, Any]]:
    colours = palette(theme)
    found = [node for node in shown if node in lit.found]
    chosen = [node for node in shown if node == lit.node]
    ring = {"symbol": "square-open", "line": {"width": 2.5}}
    return [
        _points(places, found, ring | {"size": size + 7, "color": colours.caution}, "found"),
        _points(places, chosen, ring | {"size": size + 10, "color": colours.selection}, "selected"),
    ]


def _named_nodes(state: State, places: Places, shown: Sequence[int], lit: Lit) -> Collection[int]:
    """Return the nodes that are named: all where there is room, else the selected one and what the match made."""
    layers = {places.x[node] for node in shown}
    if len(shown) <= MOST_NAMED and len(layers) <= MOST_LAYERS:
        return frozenset(shown)
    made = state.change.added & state.change.changed
    return (made if len(made) <= MOST_LAYERS else frozenset()) | {node for node in (lit.node,) if node is not None}


def _marks(  # noqa: PLR0917 - each tells another thing about the same nodes
    state: State, places: Places, shown: Sequence[int], named: Collection[int], theme: str, size: int
) -> list[dict[str, Any]]:
    """Return the nodes, a trace per kind; `named` ones have their names beside them."""
    kinds: dict[str, list[int]] = {}
    for node in shown:
        kinds.setdefault(state.kind(node), []).append(node)
    return [
        {
            **_points(places, nodes, {"size": size, "symbol": "square", "color": kind_colour(kind, theme)}, kind),
            "mode": "markers+text" if named else "markers",
            "customdata": [[state.names[node]] for node in nodes],
            "hovertext": [_hover(state, node) for node in nodes],
            "hoverinfo": "text",
            **({"text": [_name(state, node) if node in named else "" for node in nodes], **_TEXT} if named else {}),
        }
        for kind, nodes in sorted(kinds.items(), key=lambda item: KINDS.index(item[0]))
    ]


_TEXT: dict[str, Any] = {"textposition": "top center", "textfont": {"size": 10, "family": MONO}, "cliponaxis": False}


def _name(state: State, node: int) -> str:
    """Return what stands beside a node: its operation and what is short enough of its argument."""
    argument = " ".join(state.nodes.argument_text(node).split())
    operation = state.nodes.operations[node]
    said = f"{operation} {argument}" if argument and len(operation) + len(argument) < _NAME else operation
    return plain(said, _NAME + 4)


def _hover(state: State, node: int) -> str:
    """Return a node's label, shortened, and how many use it."""
    lines = state.labels.label(node).split("\n")
    shown = [plain(line, _HOVER_WIDTH) for line in lines[:_HOVER_LINES]]
    left = len(lines) - len(shown)
    shown += [f"… {integer(left)} more lines"] if left else []
    users = len(state.users[node])
    tag = state.nodes.tag_text(node)
    shown += [f"tag {plain(tag, _HOVER_WIDTH)}"] if tag else []
    return "<br>".join([*shown, f"used by {integer(users)}"])
