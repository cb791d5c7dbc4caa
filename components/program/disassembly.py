"""Machine code of a program: instructions by block, and the blocks as a graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.program.layout import Places, places_of
from analysis.program.loops import walk_blocks
from components.aria import aria
from components.figure import Figure
from components.graph import figure
from components.kernels.source_text import loop_class
from components.numbers import count_text, missing, plain, shorten
from components.theme import MONO, Palette, palette
from schema.command import COMMAND

LOOP_COLOURS = ("#2f6fb7", "#b3541e", "#2f7f4f", "#8a4fb0", "#a06a00", "#b23a6b")
"""Colours of loops, as in assets/program.css."""
MOST_LINES = 3_000
MOST_BLOCKS = 400
"""Blocks that are drawn."""
_TEXT = 120
_ROW_PX, _LEAST_PX, _MOST_PX = 44, 220, 900
_WHERE = f"{COMMAND} frames RUN disassembly"
_KINDS: Mapping[str, str] = MappingProxyType({"taken": "link", "not taken": "muted", "always": "ink"})
"""Kind of an edge -> the colour of the palette that it has."""


@dataclass(frozen=True)
class Loops:
    """Blocks of innermost loops, and of the one that issued most instructions where it is known.

    `number_of` is block -> number of the loop of the source text that it belongs to.
    """

    innermost: frozenset[int] = frozenset()
    hottest: frozenset[int] = frozenset()
    number_of: Mapping[int, int] = field(default_factory=dict)

    def name(self, block: int) -> str:
        """Return what a block is called; empty where it is in no innermost loop."""
        if block in self.hottest:
            return "hottest loop"
        return "innermost loop" if block in self.innermost else ""

    def words(self, block: int) -> str:
        """Return that and the number of its loop in the source text; empty where it is in no loop that is told."""
        number = self.number_of.get(block)
        return " · ".join(filter(None, (f"loop {number}" if number else "", self.name(block))))


def disassembly(
    instructions: pd.DataFrame, blocks: pd.DataFrame, loops: Loops, issued: Mapping[int, int] | None = None
) -> html.Div:
    """Lay out rows of frame `disassembly` of one program by rows of `basic_blocks`; blocks of `loops` are marked.

    `issued` is pc -> how often thread traces saw it issued: each line has its share, as a number and as heat.
    """
    shown = instructions.head(MOST_LINES)
    heat = Heat(issued or {})
    parts: list[Component] = []
    for block in blocks.itertuples():
        own = shown[(shown["pc"] >= block.start) & (shown["pc"] < block.end)]
        if own.empty:
            break
        looped, number = loops.words(int(block.block)), loops.number_of.get(int(block.block))
        name = html.Span(f"block {block.block}{f' · {looped}' if looped else ''}\n", className="ts-muted")
        lines = [piece for row in own.to_dict("records") for piece in heat.line(int(row["pc"]), _line(row))]
        marked = f"ts-block {loop_class(number)}" if number else "ts-block ts-looped" if looped else "ts-block"
        parts.append(html.Span([name, *lines], className=marked))
    left = len(instructions) - len(shown)
    more = [html.P(f"{count_text(left, 'more instruction')}: {_WHERE}", className="ts-panel-hint")] if left else []
    text = html.Pre(
        parts, className="ts-graph-lines ts-assembly", tabIndex=0, role="region", **aria(label="machine code")
    )
    return html.Div([text, *more])


class Heat:
    """How much of all issues each instruction has, by thread traces."""

    def __init__(self, issued: Mapping[int, int]) -> None:
        self._issued = issued
        self._all = sum(issued.values())
        self._most = max(issued.values(), default=0)

    def line(self, pc: int, text: str) -> list[Component | str]:
        """Return the line of an instruction with its share before it, darker the more it has."""
        if not self._all:
            return [f"{text}\n"]
        count = self._issued.get(pc, 0)
        if not count:
            return [f"{'':>7} {text}\n"]
        level = 1 + int(4 * count / self._most)
        said = f"{100 * count / self._all:5.1f} % {text}\n"
        title = f"{count_text(count, 'issue')} in thread traces"
        return [html.Span(said, className=f"ts-heat ts-heat-{level}", title=title)]


def _line(row: Mapping[Any, Any]) -> str:
    target = "" if missing(row["target"]) else f"  → {int(row['target']):#x}"
    symbol = f"  {shorten(str(row['symbol']), _TEXT)}" if row["symbol"] and not missing(row["symbol"]) else ""
    return f"{int(row['pc']):6x}  {shorten(str(row['text']), _TEXT)}{target}{symbol}"


def block_graph(blocks: pd.DataFrame, edges: pd.DataFrame, loops: Loops, theme: str) -> Figure:
    """Draw rows of `basic_blocks` of one program from top to bottom with rows of `block_edges` between them."""
    shown = blocks.head(MOST_BLOCKS)
    numbers = shown["block"].tolist()
    known = set(numbers)
    pairs = [
        (source, target, kind)
        for source, target, kind in zip(edges["source"], edges["target"], edges["kind"].astype("str"), strict=True)
        if source in known and target in known
    ]
    ways = [(source, target) for source, target, _ in pairs]
    places = places_of(walk_blocks(numbers, ways)[0], ways)
    layout: dict[str, Any] = {
        "height": min(max(_ROW_PX * places.layers + 60, _LEAST_PX), _MOST_PX),
        "margin": {"l": 8, "r": 8, "t": 30, "b": 8},
        "xaxis": _AXIS | {"range": [-places.widest / 2 - 0.8, places.widest / 2 + 0.8]},
        "yaxis": _AXIS | {"range": [places.layers - 0.4, -0.6]},
    }
    lines = [_edges(kind, [pair for pair in pairs if pair[2] == kind], places, theme) for kind in _KINDS]
    return figure([line for line in lines if line] + [_marks(shown, places, loops, theme)], layout, theme)


def blocks_left_out(count: int) -> str:
    """Say how many of so many blocks are not drawn; empty for none."""
    left = max(count - MOST_BLOCKS, 0)
    return f"{count_text(left, 'block')} {'is' if left == 1 else 'are'} not drawn." if left else ""


_AXIS: dict[str, Any] = {"showgrid": False, "showticklabels": False, "ticks": "", "title": {"text": ""}}


def _edges(kind: str, pairs: list[tuple[int, int, str]], places: Places, theme: str) -> dict[str, Any]:
    """Return edges of one kind; one that leads back is bent aside."""
    if not pairs:
        return {}
    x: list[float | None] = []
    y: list[float | None] = []
    for source, target, _ in pairs:
        begin, end = (places.y[source], places.x[source]), (places.y[target], places.x[target])
        back = end[1] <= begin[1]
        side = [(max(begin[0], end[0]) + 0.45, begin[1] + 0.2), (max(begin[0], end[0]) + 0.45, end[1] - 0.2)]
        for at in (begin, *(side if back else []), end):
            x.append(at[0])
            y.append(at[1])
        x.append(None)
        y.append(None)
    line = {"color": getattr(palette(theme), _KINDS[kind]), "width": 1.4}
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "name": kind, "hoverinfo": "skip"}


def _colour(loops: Loops, block: int, colours: Palette) -> str:
    number = loops.number_of.get(block)
    if number is not None:
        return LOOP_COLOURS[(number - 1) % len(LOOP_COLOURS)]
    return colours.caution if loops.name(block) else colours.reference


def _marks(blocks: pd.DataFrame, places: Places, loops: Loops, theme: str) -> dict[str, Any]:
    colours = palette(theme)
    numbers = blocks["block"].tolist()
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [places.y[number] for number in numbers],
        "y": [places.x[number] for number in numbers],
        "text": [plain(f"{number}: {start:#x}") for number, start in zip(numbers, blocks["start"], strict=True)],
        "textposition": "middle left",  # edges that lead back are on the right
        "textfont": {"size": 10, "family": MONO},
        "marker": {
            "symbol": "square",
            "size": 14,
            "color": [_colour(loops, number, colours) for number in numbers],
        },
        "hovertext": [
            "<br>".join(filter(None, (f"block {number}", f"{start:#x} – {end:#x}", loops.words(number))))
            for number, start, end in zip(numbers, blocks["start"], blocks["end"], strict=True)
        ],
        "hoverinfo": "text",
        "showlegend": False,
    }
