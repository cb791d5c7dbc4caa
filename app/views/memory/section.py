"""The memory section of a run's page: attempts and blocks on the left, map, banks and live bytes on the right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import dash_bootstrap_components as dbc
from dash import dcc, html
from dash.development.base_component import Component

from app.views.controls import choice, find_box
from app.views.memory.devices import COLOURS as BUFFER_COLOURS
from app.views.memory.devices import LAYOUTS as BUFFER_LAYOUTS
from app.views.memory.panels import LAYOUT_LABELS, MEMORY_PANELS
from app.views.memory.parts import PARTS, attempts_key, attempts_part
from app.views.memory.words import words_for
from app.views.sections import panel_section, part_section
from app.views.state import SHOWN_ATTEMPTS, RunState
from app.views.view import drawn
from components.memory.memory_map import COLOURS
from services.memory import BEST_FIT, PLACED
from services.runs import RunData

_BELOW: Mapping[str, str] = {"map": "compare", "banks": "occupants"}
"""Panel -> the part that stands under it."""
_SIDE = ("attempts", "alive", "block", "packing", "conflicts")


def memory_section(data: RunData, state: RunState, theme: str) -> list[Component]:
    """Lay out the memory views; nothing for a run without them."""
    if data.memory is None or not data.memory.has_views:
        return []
    words = words_for(data)
    panels = []
    for spec in MEMORY_PANELS.values():
        if spec.shown(data):
            helped = replace(spec, help=words.panels.get(spec.id, spec.help))
            panels.append(panel_section(helped, drawn(spec, data, state, theme), _controls(spec.id, data, state)))
        below = _BELOW.get(spec.id, "")
        panels += [_part(below, data, state)] if below in words.parts else []
    several = len(data.memory.attempts) > 1
    side = [_part(name, data, state) for name in _SIDE if name in words.parts and (several or name != "attempts")]
    return [
        html.Div(
            [html.Div(side, className="ts-memory-side"), html.Div(panels, className="ts-memory-main")],
            className="ts-memory",
        ),
        dcc.Store(id="run-attempts-key", data=attempts_key(state)),
    ]


def _part(name: str, data: RunData, state: RunState) -> html.Section:
    made = attempts_part(data, state) if name == "attempts" else PARTS[name](data, state)
    filters = {shown: shown for shown in SHOWN_ATTEMPTS}
    chosen = name == "attempts" and not data.timed
    controls = [choice("attempts", filters, state.attempts)] if chosen else []
    return part_section(name, *words_for(data).parts[name], made, controls)


def _controls(panel: str, data: RunData, state: RunState) -> list[Component]:
    if panel != "map":
        return []
    find = find_box("find", state.find, words_for(data).find)
    if data.timed:
        layout = BEST_FIT if state.layout == BEST_FIT else PLACED
        colour = state.colour if state.colour in BUFFER_COLOURS else next(iter(BUFFER_COLOURS))
        return [find, _colours(BUFFER_COLOURS, colour), choice("layout", BUFFER_LAYOUTS, layout)]
    known = {name: label for name, label in COLOURS.items() if name != "dtype" or state.colour == "dtype"}
    return [find, _colours(known, state.colour), choice("layout", LAYOUT_LABELS, state.layout)]


def _colours(known: Mapping[str, str], colour: str) -> dbc.Select:
    return choice("colour", {name: f"colour by {label}" for name, label in known.items()}, colour)
