"""Table of the instructions of a program by the clocks that its waves lost at them."""

from __future__ import annotations

import pandas as pd
from dash import html

from components.aria import aria
from components.numbers import DASH, count_text, integer, missing, percent, shorten, significant

HEADS = ("pc", "instruction", "hits", "stall", "idle", "delay")
MAX_ROWS = 200
"""Instructions that are listed at most: those with most stalled and idle clocks."""
_MAX_TEXT_CHARACTERS = 120


def cost_table(costs: pd.DataFrame) -> html.Div:
    """Build the table of rows of a frame `instruction_costs`, most expensive first."""
    head = html.Thead(html.Tr([html.Th(text, scope="col") for text in HEADS]))
    rows = [html.Tr([html.Td(html.Bdi(cell)) for cell in cells]) for cells in cost_cells(costs)]
    table = html.Table([head, html.Tbody(rows)], className="ts-changes")
    frame = html.Div(
        table,
        className="ts-changes-frame",
        tabIndex=0,
        role="region",
        **aria(label="costs of instructions"),
    )
    left = len(costs) - MAX_ROWS
    more = f"{count_text(left, 'more instruction')}: frame instruction_costs" if left > 0 else ""
    return html.Div([frame, html.P(more, className="ts-panel-hint")])


def cost_cells(costs: pd.DataFrame) -> list[list[str]]:
    """Format the listed instructions as rows of texts."""
    order = (-(costs["stall"] + costs["idle"])).argsort(kind="stable")
    shown = costs.iloc[order].head(MAX_ROWS)
    names = ("pc", "text", "hits", "stall", "idle", "delay")
    return [
        [
            f"{pc:#x}",
            DASH if missing_text(text) else shorten(str(text), _MAX_TEXT_CHARACTERS),
            *map(integer, (hits, stall, idle)),
            DASH if missing(delay) else significant(delay),
        ]
        for pc, text, hits, stall, idle, delay in zip(
            *(shown[name].tolist() for name in names), strict=True
        )
    ]


def cost_caption(costs: pd.DataFrame) -> str:
    """Describe where most clocks are lost, and of how many issues the delay is known."""
    lost = costs["stall"] + costs["idle"]
    issues = int(costs["hits"].sum())
    counted = f"{count_text(issues, 'issue')} of {count_text(len(costs), 'instruction')}"
    timed = _delays_words(int(costs["executed"].sum()), issues)
    if not lost.sum():
        return f"{counted}; {timed}."
    row = costs.loc[lost.idxmax()]
    name = DASH if missing_text(row["text"]) else shorten(str(row["text"]).partition(" ")[0])
    share = percent(float(lost.max() / lost.sum()))
    clocks = count_text(int(lost.sum()), "clock")
    return f"{name} at {int(row['pc']):#x} has {share} of {clocks} in stalls and idle. {counted}; {timed}."


def _delays_words(delays: int, issues: int) -> str:
    if not delays:
        return "no delay is known"
    if delays == issues:
        return "the delay is known" if issues == 1 else "all delays are known"
    return f"the delay of {integer(delays)} is known"


def missing_text(text: object) -> bool:
    """Whether a cell has no text."""
    return not isinstance(text, str) or not text
