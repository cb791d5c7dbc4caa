"""Machine code of a program, instructions grouped by basic block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.program.block_loops import Loops
from components.aria import aria
from components.hints import left_out_hint
from components.kernels.source_text import loop_class
from components.numbers import count_text, missing, shorten
from schema.command import COMMAND

MAX_LINES = 3_000
"""Instructions that are shown at most."""
_MAX_TEXT_CHARACTERS = 120
"""Characters of an instruction or symbol at most."""
_FULL_LISTING = f"{COMMAND} frames RUN disassembly"
"""Command that prints all instructions."""


def disassembly(
    instructions: pd.DataFrame,
    blocks: pd.DataFrame,
    loops: Loops,
    issued: Mapping[int, int] | None = None,
) -> html.Div:
    """Build the listing of a program: the first 3,000 rows (MAX_LINES) of a frame `disassembly`,
    grouped by rows of `basic_blocks`.

    Blocks of `loops` are marked. `issued` maps an instruction's address (pc) to the number of times
    that thread traces recorded it; each line then shows its share, as a number and as a background
    colour.
    """
    shown = instructions.head(MAX_LINES)
    heat = Heat(issued or {})
    parts: list[Component] = []
    for block in blocks.itertuples():
        own = shown[(shown["pc"] >= block.start) & (shown["pc"] < block.end)]
        # Blocks are sorted by address: when a block has no shown line, later blocks have none
        # either.
        if own.empty:
            break
        looped = loops.words(int(block.block))
        number = loops.number_of.get(int(block.block))
        name = html.Span(
            f"block {block.block}{f' · {looped}' if looped else ''}\n", className="ts-muted"
        )
        lines = [
            piece
            for row in own.to_dict("records")
            for piece in heat.line(int(row["pc"]), _line(row))
        ]
        marked = "ts-looped" if looped else ""
        if number:
            marked = loop_class(number)
        parts.append(html.Span([name, *lines], className=f"ts-block {marked}".strip()))
    more = left_out_hint(len(instructions) - len(shown), "instruction", f": {_FULL_LISTING}")
    text = html.Pre(
        parts,
        className="ts-graph-lines ts-assembly",
        tabIndex=0,
        role="region",
        **aria(label="machine code"),
    )
    return html.Div([text, *more])


class Heat:
    """Shares of the recorded instructions, by address."""

    def __init__(self, issued: Mapping[int, int]) -> None:
        self._issued = issued
        self._all = sum(issued.values())
        self._most = max(issued.values(), default=0)

    def line(self, pc: int, text: str) -> list[Component | str]:
        """Build the line of the instruction at address `pc`: its share of all recorded instructions
        in per cent, and `text`, darker for a larger share.

        Only blanks in place of the share if the instruction was not recorded, and only the text if
        no instruction was.
        """
        if not self._all:
            return [f"{text}\n"]
        count = self._issued.get(pc, 0)
        if not count:
            # As wide as a share with its unit, so that all instructions are aligned.
            return [f"{'':>7} {text}\n"]
        # Five shades; only the most frequent instructions have the darkest.
        level = 1 + int(4 * count / self._most)
        line = f"{100 * count / self._all:5.1f} % {text}\n"
        title = f"{count_text(count, 'issue')} in thread traces"
        return [html.Span(line, className=f"ts-heat ts-heat-{level}", title=title)]


def _line(row: Mapping[Any, Any]) -> str:
    target = "" if missing(row["target"]) else f"  → {int(row['target']):#x}"
    symbol = (
        f"  {shorten(str(row['symbol']), _MAX_TEXT_CHARACTERS)}"
        if row["symbol"] and not missing(row["symbol"])
        else ""
    )
    return f"{int(row['pc']):6x}  {shorten(str(row['text']), _MAX_TEXT_CHARACTERS)}{target}{symbol}"
