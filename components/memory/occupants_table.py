"""Table of banks by steps with the blocks in each bank at each step."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from dash import html

from analysis.memory.attempt_map import AttemptMap
from components.memory.block_words import exact
from components.names import short_names
from components.numbers import count_text, integer, percent, shorten

_MAX_NAMED = 2
"""Maximum number of blocks that a cell names."""
_NAME = 16
_MAX_IN_TOOLTIP = 12
"""Maximum number of blocks in the tooltip of a cell."""


def occupants_table(
    amap: AttemptMap, occupants: pd.DataFrame, steps: range, cursor: int | None = None
) -> html.Div:
    """Lay out `bank_occupants` with a row per bank in use and a column per step.

    The column of the step `cursor` is marked. A cell shows the shortened names of its largest
    blocks, which stay distinct; its tooltip lists blocks with their bytes.
    """
    short = short_names(amap.blocks["name"].tolist(), _NAME)
    cells = dict(list(occupants.groupby(["bank", "step"])))
    # An empty frame with all columns, for banks without blocks at a step.
    none = occupants.head(0)
    marks = {step: "ts-at-cursor" if step == cursor else None for step in steps}
    head = [html.Th("bank"), *(html.Th(integer(step), className=marks[step]) for step in steps)]
    rows = [
        html.Tr(
            [
                html.Th(str(bank), scope="row"),
                *(_cell(amap, cells.get((bank, step), none), short, marks[step]) for step in steps),
            ]
        )
        for bank in sorted(occupants["bank"].unique().tolist())
    ]
    # The table scrolls, so it must be reachable by keyboard.
    return html.Div(
        html.Table([html.Thead(html.Tr(head)), html.Tbody(rows)]),
        className="ts-occupants",
        tabIndex=0,
    )


def occupants_caption(amap: AttemptMap, occupants: pd.DataFrame, steps: range) -> str:
    """Write which steps are shown and how many banks they use, as a sentence; "" if no bank is in
    use.
    """
    if not len(occupants):
        return ""
    used = count_text(int(occupants["bank"].nunique()), "bank")
    cut = f" of {integer(amap.length)}" if len(steps) < amap.length else ""
    span = (
        f"Step {integer(steps[0])}"
        if len(steps) == 1
        else f"Steps {integer(steps[0])} – {integer(steps[-1])}"
    )
    return f"{span}{cut}: {used} of {integer(amap.whole('banks'))} in use."


def _cell(amap: AttemptMap, rows: pd.DataFrame, short: Sequence[str], mark: str | None) -> html.Td:
    """Build the cell of a bank at a step: the names of its first blocks from rows of
    `bank_occupants`, and a tooltip with their bytes. It is empty without rows; `mark` is its CSS
    class.
    """
    if not len(rows):
        return html.Td(className=mark)
    pairs = list(zip(rows["row"].tolist(), rows["bytes"].tolist(), strict=True))
    named = ", ".join(short[row] for row, _ in pairs[:_MAX_NAMED])
    rest = f" +{integer(len(pairs) - _MAX_NAMED)}" if len(pairs) > _MAX_NAMED else ""
    share = percent(int(rows["bytes"].sum()) / (amap.whole("bank_bytes") or 1))
    names = amap.blocks["name"]
    lines = [
        f"{shorten(str(names.iloc[row]))}: {exact(part)}" for row, part in pairs[:_MAX_IN_TOOLTIP]
    ]
    return html.Td(
        f"{named}{rest}", title="\n".join([f"{share} of the bank", *lines]), className=mark
    )
