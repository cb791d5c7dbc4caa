"""The instructions of a wave, a line each: clock, time until the next, time until its
execution, address and text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from dash import html

from components.aria import aria
from components.hints import left_out_hint
from components.numbers import shorten
from schema.command import COMMAND

MAX_LINES = 3_000
"""Instructions that are shown at most."""
_MAX_TEXT_CHARACTERS = 120
"""Characters of an instruction at most."""
_FULL_LISTING = f"{COMMAND} frames RUN wave_instructions"
"""Command that prints all instructions."""


def wave_code(instructions: pd.DataFrame, texts: Mapping[int, str]) -> html.Div:
    """Build the listing of the first 3,000 rows (MAX_LINES) of a frame `wave_instructions` of a
    single wave; a line below counts the rest.

    `texts` maps an address (pc) to the instruction's text; a missing text is replaced by the kind
    of instruction.
    """
    shown = instructions.head(MAX_LINES)
    columns = (
        shown["at"].tolist(),
        zip(shown["duration"].tolist(), shown["delay"].tolist(), strict=True),
        shown["pc"].tolist(),
        shown["kind"].astype("str"),
    )
    lines = [_line(*row, texts) for row in zip(*columns, strict=True)]
    head = html.Span(
        f"{'clock':>10}  {'next':>6}  {'delay':>6}  {'pc':>6}  instruction\n", className="ts-muted"
    )
    text = html.Pre(
        [head, "\n".join(lines)],
        className="ts-graph-lines ts-assembly",
        tabIndex=0,
        role="region",
        **aria(label="instructions of the wave"),
    )
    more = left_out_hint(len(instructions) - len(shown), "instruction", f": {_FULL_LISTING}")
    return html.Div([text, *more])


def _line(at: int, clocks: tuple[Any, Any], pc: Any, kind: str, texts: Mapping[int, str]) -> str:  # noqa: ANN401 - may be null
    """Format a line; `clocks` are the clocks until the next instruction and until the execution."""
    until, executed = ("" if pd.isna(value) else f"{value:+}" for value in clocks)
    # When packets and program stop matching, the rest of the wave has no address.
    place = "" if pd.isna(pc) else f"{pc:x}"
    text = texts.get(int(pc), "") if place else ""
    return f"{at:>10}  {until:>6}  {executed:>6}  {place:>6}  {shorten(text, _MAX_TEXT_CHARACTERS) or kind.lower()}"
