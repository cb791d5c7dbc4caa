"""Source text and machine code of a program, side by side."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from analysis.program.loop_pairs import LoopPairs
from components.numbers import count_text, integer


def code_pair(source: Component, machine: Component) -> html.Div:
    """Lay out source text and machine code.

    In the browser, pointing at a loop highlights it on both sides.
    """
    return html.Div([html.Div(source), html.Div(machine)], className="ts-code-pair")


def loops_words(same: LoopPairs) -> str:
    """Write how many loops of the source were identified in the machine code, and why the counts
    differ, as a sentence.

    Returns "" if neither side has a loop.
    """
    if not same.source and not same.machine:
        return ""
    count = len(same.matched)
    matched = f"{count_text(count, 'loop')} {'is' if count == 1 else 'are'} the same on both sides"
    if same.source == same.machine:
        return (
            f"{matched}."
            if count
            else "No loop of the source can be identified in the machine code."
        )
    counts = f"{count_text(same.source, 'innermost loop')} in the source, {integer(same.machine)} in the machine code"
    why = "the compiler unrolled, vectorised or split loops"
    return f"{counts}: {why}; {matched if count else 'no loop can be matched'}."
