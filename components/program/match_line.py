"""Selector of the shown match of a step: a slider, buttons to step, and facts about the match."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import dash_bootstrap_components as dbc
import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.program.replay import StateChange
from components.aria import aria
from components.numbers import DASH, count_text, duration_text, integer, missing, shorten

PLACES: Mapping[str, str] = MappingProxyType(
    {"first": "«", "previous": "‹", "next": "›", "last": "»"}
)
"""Target of a button -> its sign."""
_BACK = ("first", "previous")
"""Targets of the buttons left of the slider."""
_PAUSE_MS = 120
"""The browser requests a state once the slider has rested for this long."""
_MAX_FILE_CHARACTERS = 110
"""Characters of a file's name at most."""


@dataclass(frozen=True)
class LineIds:
    """Ids of the slider and of the text with its position, and the type of the ids of the buttons
    (key `place`).

    `said` is the id of the text.
    """

    slider: str
    said: str
    button: str

    def of(self, place: str) -> dict[str, str]:
        """Return the id of the button with the target `place`, a key of PLACES."""
        return {"type": self.button, "place": place}


def line_properties(ids: LineIds, match: int, matches: int) -> dict[str, dict[str, Any]]:
    """Map ids to the properties that change with the shown match: value of the slider, text of the
    position, and whether each button is disabled.

    The id of a button is JSON text, as Dash writes it. `match` is 0 before the first match,
    `matches` the number of matches.
    """
    shown = (
        "as the step began" if match == 0 else f"after match {integer(match)} of {integer(matches)}"
    )
    return {
        ids.slider: {"value": match},
        ids.said: {"children": shown},
        **{
            json.dumps(ids.of(place)): {"disabled": match == (0 if place in _BACK else matches)}
            for place in PLACES
        },
    }


def match_line(ids: LineIds, match: int, matches: int) -> html.Div:
    """Build the slider over states 0 (before the first match) to `matches`, and a button for each
    of PLACES.
    """
    properties = line_properties(ids, match, matches)
    buttons = {
        place: html.Button(
            sign,
            id=ids.of(place),
            className="ts-button ts-step-button",
            title=f"{place} state",
            **properties[json.dumps(ids.of(place))],
            **aria(label=f"{place} state"),
        )
        for place, sign in PLACES.items()
    }
    slider = dbc.Input(
        id=ids.slider,
        type="range",
        min=0,
        max=max(matches, 1),
        step=1,
        disabled=matches == 0,
        debounce=_PAUSE_MS,
        class_name="ts-slider",
        **properties[ids.slider],
    )
    return html.Div(
        [
            html.Span([button for place, button in buttons.items() if place in _BACK]),
            html.Label(
                [html.Span("state of the graph", className="visually-hidden"), slider],
                className="ts-grow",
            ),
            html.Span([button for place, button in buttons.items() if place not in _BACK]),
            html.Span(id=ids.said, **properties[ids.said]),
        ],
        className="ts-match-line",
    )


def match_facts(match: pd.Series, change: StateChange) -> list[Component]:
    """Build the facts about a row of frame `rewrite_matches`, a span each: place of its pattern (a
    dash if unknown), duration, and numbers of nodes made, rebuilt and removed.
    """
    file = shorten(str(match["file"]), _MAX_FILE_CHARACTERS)
    line = match["line"]
    place = f"{file}:{line}" if file and not missing(line) else file or DASH
    # Other added nodes were only rebuilt, because their operands changed.
    made_count = len(change.added & change.changed)
    return [
        html.Span(["pattern ", html.Span(place, className="ts-mono")]),
        html.Span(duration_text(int(match["duration"]))),
        html.Span(f"{count_text(made_count, 'node')} made", className="ts-made"),
        html.Span(
            f"{integer(len(change.added) - made_count)} rebuilt above", className="ts-rebuilt"
        ),
        html.Span(f"{integer(len(change.removed))} gone", className="ts-gone"),
    ]
