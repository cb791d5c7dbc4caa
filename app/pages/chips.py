"""Chips above a page: each names a selected part and clears it when clicked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dash import ALL, Input, ctx, html
from dash.development.base_component import Component
from dash.exceptions import PreventUpdate

from app.views.binding import Binding
from app.views.page_data import Data, State
from app.views.view_page import ViewPage

EVERY_PART = "all"
"""Name of the part for the chip that clears the whole selection."""


def selection_chips(screen: ViewPage[Data, State], words: Mapping[str, str]) -> list[Component]:
    """Lay out a chip per selected part (`words`: part -> text), and a chip that clears all parts if
    there are several; empty if no part is selected.
    """
    chips: list[Component] = [
        html.Button(
            [text, " ×"], id=_id(screen, part), className="ts-chip", title="Clear (Esc: all)"
        )
        for part, text in words.items()
    ]
    return (
        [*chips, html.Button("clear", id=_id(screen, EVERY_PART), className="ts-chip")]
        if len(chips) > 1
        else chips
    )


def register_chips(
    binding: Binding[Data, State], clear_part: Callable[[State, str], State]
) -> None:
    """Register the callback that clears a part of the view state when its chip is clicked.

    `clear_part(state, part)` gets the name of the part, or EVERY_PART.
    """

    @binding.steps(Input(_id(binding.screen, ALL), "n_clicks"))
    def clear(state: State, _data: Data, clicks: list[int | None]) -> State:
        # Dash also calls this when a drawing creates chips, which have no clicks.
        if not any(clicks) or not isinstance(ctx.triggered_id, dict):
            raise PreventUpdate
        return clear_part(state, str(ctx.triggered_id["part"]))


def _id(screen: ViewPage[Data, State], part: Any) -> dict[str, Any]:  # noqa: ANN401 -- a part, or Dash's wildcard
    return {"type": screen.id("clear"), "part": part}
