"""Flame graph of live bytes at a step by the call stacks that allocated them, with its caption."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.memory.alive_stacks import UNKNOWN
from components.byte_axis import byte_ticks
from components.figure import Figure
from components.flame import flame, shown_parts, whole_of
from components.numbers import count_text, percent, plain, shorten, size

_NAME, _LONG_NAME, _CALLS = 40, 90, 4


def stack_flame(tree: pd.DataFrame, theme: str) -> Figure:
    """Draw the result of `analysis.memory.alive_stacks.stack_tree` as a flame graph of bytes.

    The customdata of a bar is [rank of the largest block below it]. If no block is alive, the
    figure has no traces.
    """
    whole = whole_of(tree)
    shown = shown_parts(tree)
    hovers = [_hover(row, whole) for row in shown.to_dict("records")]
    return flame(shown, hovers, _bytes_axis(whole), theme, numbers=shown["block"].tolist())


def stacks_caption(by_stack: pd.DataFrame, paths: Mapping[int, Sequence[str]], at: str) -> str:
    """Write which call stack allocated most of the live bytes, in a sentence.

    `by_stack` is the result of `bytes_by_stack`; `at` is the begin of the sentence, which names the
    step or time. `paths` maps a stack to its calls, outermost first, at least for the first known
    stack. If no block is alive or no stack is known, it states that.
    """
    whole = int(by_stack["total"].sum())
    with_stack = by_stack[by_stack["stack"].notna()]
    if not whole or with_stack.empty:
        return (
            f"{at}: no block is alive."
            if not whole
            else f"{at}: the call stacks of the blocks alive are not known."
        )
    first = with_stack.iloc[0]
    path = paths.get(int(first["stack"]), [UNKNOWN])
    # A caption is text, in which `plain` would show its escapes for figures.
    outer = [shorten(name, _NAME) for name in path[-_CALLS:-1]]
    through = f", called by {' ‹ '.join(reversed(outer))}" if outer else ""
    stacks = count_text(len(with_stack), "call stack")
    asks = f"{shorten(path[-1], _NAME)} asked for most, {size(first['total'])} ({percent(first['total'] / whole)} of it)"
    return f"{at}: {size(whole)} by {stacks}; {asks}{through}."


def _hover(row: Mapping[Any, Any], whole: int) -> str:
    amount = f"{size(row['total'])}, {percent(row['total'] / whole)} of what is alive"
    blocks = f"{count_text(row['blocks'], 'block')}; click selects the largest"
    return f"<b>{plain(str(row['name']), _LONG_NAME)}</b><br>{amount}<br>{blocks}"


def _bytes_axis(whole: int) -> dict[str, Any]:
    """Build the layout of an x axis of bytes from 0 to `whole`, with ticks at multiples of a power
    of two.
    """
    return {"range": [0, max(whole, 1)], "title": {"text": "bytes alive"}, **byte_ticks(0, whole)}
