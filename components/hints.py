"""Hints: quiet lines below a list or a grid."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from components.numbers import count_text


def left_out_hint(left: int, noun: str, where: str = " not listed.") -> list[Component]:
    """Build the line that counts the items that a list leaves out, such as `3 more steps not
    listed.`; empty if it lists all. `noun` is the singular, `where` the end of the sentence.
    """
    if left <= 0:
        return []
    return [html.P(f"{count_text(left, f'more {noun}')}{where}", className="ts-panel-hint")]
