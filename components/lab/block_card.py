"""Card of a block in the lab: address before and after, and actions to try."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from dash import html
from dash.development.base_component import Component

from components.memory.block_words import Life, both
from components.numbers import DASH, address, integer, missing, shorten, signed_text, size

DO = "lab-do"
"""Type of the ids of buttons that change the problem; further keys `do`, `block`, `value`, `place`.
"""
_MAX_NAME_CHARACTERS = 120
"""Characters of a block's name at most."""


@dataclass(frozen=True)
class Action:
    """A button: its text, the action on the block (`do`), and the address or size that the action
    sets (`value`, else 0).
    """

    text: str
    do: str
    value: int = 0
    title: str = ""


def action_buttons(block: int, actions: Sequence[Action], place: str) -> list[Component]:
    """Build a button per action on the block of this number, in the given order.

    `place` is a part of the page; it keeps ids unique when several parts have buttons for the same
    block.
    """
    return [
        html.Button(
            action.text,
            id={"type": DO, "do": action.do, "block": block, "value": action.value, "place": place},
            className="ts-button",
            title=action.title,
        )
        for action in actions
    ]


def lab_card(
    block: pd.Series, before: object, after: object, actions: Sequence[Action]
) -> html.Div:
    """Build the card of a block, a row of frame `allocations`, with its facts and a button per
    action.

    `before` and `after` are its addresses; a null address means that it was not placed.
    """
    number = int(block["block"])
    facts = {
        "size": both(int(block["size"])),
        "before": _where(before),
        "after": _where(after),
        "moved by": _change_text(before, after),
        "steps": Life.of(block).steps,
        "kind": str(block["kind"]),
        "alignment": DASH if pd.isna(block["alignment"]) else integer(int(block["alignment"])),
    }
    parts = [part for label, value in facts.items() for part in (html.Dt(label), html.Dd(value))]
    name = shorten(str(block["name"]) or f"block {number}", _MAX_NAME_CHARACTERS)
    return html.Div(
        [
            html.H3(html.Bdi(name)),
            html.Dl(parts, className="ts-facts"),
            html.Div(action_buttons(number, actions, "card"), className="ts-lab-actions"),
        ],
        className="ts-block-card",
    )


def _where(place: object) -> str:
    return "nowhere" if missing(place) else address(place)  # type: ignore[arg-type]


def _change_text(before: object, after: object) -> str:
    if missing(before) or missing(after):
        return DASH
    change = int(after) - int(before)  # type: ignore[call-overload]
    return signed_text(size(abs(change)), change) if change else "it stayed"
