"""The menu of a timeline that folds and pins the lanes of its tracks, on runs and comparisons."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import dash_bootstrap_components as dbc
from dash import html
from dash.development.base_component import Component

from app.views.page_data import State
from app.views.state import MAX_MARKED_TRACKS
from app.views.view import Link
from components.aria import aria
from components.numbers import integer, shorten

_MARKS = {"pinned": ("pin", "shown above the others"), "folded": ("fold", "only its first lane")}
"""Field of the view state -> the word of its button, and what it does."""


def track_marked(state: State, field: str, track: int) -> State:
    """Return the state with a track (its number) added to field `pinned` or `folded`, or removed
    if it is there; unchanged if MAX_MARKED_TRACKS are.
    """
    # The browser sends the name of the field, so it may be any text.
    name = "pinned" if field == "pinned" else "folded"
    return replace(state, **{name: _toggle(getattr(state, name), track)})  # type: ignore[type-var]


def _toggle(numbers: tuple[int, ...], number: int) -> tuple[int, ...]:
    toggled = set(numbers) ^ {number}
    return tuple(sorted(toggled)) if len(toggled) <= MAX_MARKED_TRACKS else numbers


def lane_link(kind: str) -> Link[Any, Any]:
    """Create the link of the menu's buttons; `kind` is the type in their ids."""
    return Link(
        kind,
        ("of", "track"),
        lambda state, _data, named: track_marked(state, str(named["of"]), int(named["track"])),
    )


def marking_menu(
    tracks: Sequence[str], shown: Collection[str], state: State, kind: str
) -> list[Component]:
    """Lay out the menu with those of the tracks that are shown, at most MAX_MARKED_TRACKS; empty if
    there is one track. `kind` is the type in the ids of its buttons.

    `assets/timeline_lanes.js` presses the buttons when the view state changes.
    """
    listed = [(number, name) for number, name in enumerate(tracks) if name in shown]
    if len(listed) < 2:
        return []
    items = [_track(number, name, state, kind) for number, name in listed[:MAX_MARKED_TRACKS]]
    if len(listed) > MAX_MARKED_TRACKS:
        more = f"{integer(len(listed) - MAX_MARKED_TRACKS)} more have no buttons."
        items.append(html.Div(more, className="ts-muted ts-lane"))
    menu = dbc.DropdownMenu(
        items,
        label="fold and pin",
        align_end=True,
        toggleClassName="ts-button",
        class_name="ts-windows",
    )
    return [menu]


def _track(number: int, name: str, state: State, kind: str) -> html.Div:
    buttons = [
        html.Button(
            word,
            id={"type": kind, "of": field, "track": number},
            className="ts-button ts-step",
            title=f"{word} {shorten(name, 40)}: {effect}",
            **aria(pressed=str(number in getattr(state, field)).lower()),
        )
        for field, (word, effect) in _MARKS.items()
    ]
    return html.Div([html.Span(shorten(name, 30)), *buttons], className="ts-lane")
