"""Flame graph of the host's calls in a window, with its caption."""

from __future__ import annotations

from typing import Any

import pandas as pd

from components.figure import Figure
from components.flame import flame, shown_parts, whole_of
from components.kernels.step_words import time_text
from components.numbers import count_text, duration_text, percent, plain, shorten
from components.time_axis import duration_axis


def call_flame(tree: pd.DataFrame, theme: str) -> Figure:
    """Draw the result of `analysis.kernels.call_tree` as a flame graph of time.

    customdata of a bar is [row of the tree]. Without calls the figure has no traces.
    """
    whole = whole_of(tree)
    shown = shown_parts(tree)
    hovers = [_hover(row, whole) for row in shown.to_dict("records")]
    axis = duration_axis((0, whole), "time in calls", ticks=5)
    return flame(shown, hovers, axis, theme, numbers=[int(row) for row in shown.index])


def call_caption(tree: pd.DataFrame, thread: str, length: int, *, has_python: bool) -> str:
    """Write the call with the most time of its own, of the calls of a thread in a window of
    `length` (ns), and whether Python functions are unknown.
    """
    python = "" if has_python else " Python functions are unknown: with_stack was off."
    if not len(tree):
        return f"No calls in the selected time.{python}"
    whole = whole_of(tree)
    own = tree.groupby("name")["own"].sum()
    name = str(own.idxmax())
    lead = f"{shorten(thread, 40)} is in calls for {time_text(whole)} of {time_text(length)}"
    return f"{lead}; most own time: {shorten(name)}, {100 * own.max() / whole:.0f} % of it.{python}"


def _hover(row: dict[Any, Any], whole: int) -> str:
    share = percent(row["total"] / whole)
    return (
        f"<b>{plain(str(row['name']), 90)}</b><br>{duration_text(row['total'])}, {share} of all calls; "
        f"itself {duration_text(row['own'])}<br>{count_text(int(row['calls']), 'call')}"
    )
