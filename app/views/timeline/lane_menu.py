"""The menu of a timeline that folds and pins the lanes of its tracks."""

from __future__ import annotations

from dataclasses import replace

import dash_bootstrap_components as dbc
from dash import html
from dash.development.base_component import Component

from app.views.state import MAX_MARKED_TRACKS, RunState
from app.views.timeline.lanes import tracks_of, unfolded_rows
from app.views.view import Link
from components.aria import aria
from components.numbers import integer, shorten
from services.run.data import RunData

_LANE = "run-lane"
_MARKS = {"pinned": ("pin", "shown above the others"), "folded": ("fold", "only its first lane")}
"""Field of the view state -> the word of its button, and what it does."""


def track_marked(state: RunState, field: str, track: int) -> RunState:
    """Return the state with a track (its number) added to field `pinned` or `folded`, or removed
    if it is there; unchanged if MAX_MARKED_TRACKS are.
    """
    if field == "pinned":
        return replace(state, pinned=_toggle(state.pinned, track))
    return replace(state, folded=_toggle(state.folded, track))


def _toggle(numbers: tuple[int, ...], number: int) -> tuple[int, ...]:
    toggled = set(numbers) ^ {number}
    return tuple(sorted(toggled)) if len(toggled) <= MAX_MARKED_TRACKS else numbers


LANE_LINK = Link(
    _LANE,
    ("of", "track"),
    lambda state, _data, named: track_marked(state, str(named["of"]), int(named["track"])),
)


def lane_menu(data: RunData, state: RunState) -> list[Component]:
    """Lay out the menu with the tracks that are shown, at most MAX_MARKED_TRACKS; empty if there is
    one track.
    """
    shown = {row.track for row in unfolded_rows(data, state)}
    tracks = [
        (number, name) for number, name in enumerate(tracks_of(data.timeline)) if name in shown
    ]
    if len(tracks) < 2:
        return []
    items = [_track(number, name, state) for number, name in tracks[:MAX_MARKED_TRACKS]]
    if len(tracks) > MAX_MARKED_TRACKS:
        more = f"{integer(len(tracks) - MAX_MARKED_TRACKS)} more have no buttons."
        items.append(html.Div(more, className="ts-muted ts-lane"))
    menu = dbc.DropdownMenu(
        items,
        label="fold and pin",
        align_end=True,
        toggleClassName="ts-button",
        class_name="ts-windows",
    )
    return [menu]


def _track(number: int, name: str, state: RunState) -> html.Div:
    buttons = [
        html.Button(
            word,
            id={"type": _LANE, "of": field, "track": number},
            className="ts-button ts-step",
            title=f"{word} {shorten(name, 40)}: {effect}",
            **aria(pressed=str(number in getattr(state, field)).lower()),
        )
        for field, (word, effect) in _MARKS.items()
    ]
    return html.Div([html.Span(shorten(name, 30)), *buttons], className="ts-lane")
