"""The memory section of a run's page: attempts and blocks on the left, map, banks and live bytes on the right."""

from __future__ import annotations

from collections.abc import Mapping

import dash_bootstrap_components as dbc
from dash import dcc, html
from dash.development.base_component import Component

from app.memory_parts import PARTS, attempts_key, attempts_part
from app.memory_views import LAYOUT_LABELS, MEMORY_PANELS
from app.pages.run_header import CHOICE, choice
from app.pages.run_panels import panel_section
from app.panels import drawn
from app.run_data import RunData
from app.state import SHOWN_ATTEMPTS, RunState
from components.memory.memory_map import COLOURS

_TITLES: Mapping[str, tuple[str, str]] = {
    "attempts": (
        "Attempts",
        "What the allocator tried, or the levels of the plan. Click shows one; the last column compares it with it.",
    ),
    "packing": (
        "What was possible",
        "The same blocks laid out by our own allocators, whatever the capacity. The choice above the map shows how.",
    ),
    "block": ("Block", "The selected block, what lies beside it, and who uses it."),
    "alive": ("Alive", "What is alive at the step cursor, or at the peak. Click selects a block."),
    "conflicts": (
        "Bank conflicts",
        "Candidates: blocks that one step computes with and moves, in one bank. Not each costs time.",
    ),
    "compare": ("Comparison", "The shown attempt against the other: each number, and each block by name."),
}


def memory_section(data: RunData, state: RunState, theme: str) -> list[Component]:
    """Lay out the memory views; nothing for a run without them."""
    if data.memory is None:
        return []
    panels = [
        panel_section(spec, drawn(spec, data, state, theme), _controls(spec.id, state))
        for spec in MEMORY_PANELS.values()
        if spec.shown(data)
    ]
    several = len(data.memory.attempts) > 1
    side = [
        _part(name, data, state)
        for name in ("attempts", "alive", "block", "packing", "conflicts")
        if several or name != "attempts"
    ]
    return [
        html.Div(
            [html.Div(side, className="ts-memory-side"), html.Div(panels, className="ts-memory-main")],
            className="ts-memory",
        ),
        _part("compare", data, state),
        dcc.Store(id="run-attempts-key", data=attempts_key(state)),
    ]


def _part(name: str, data: RunData, state: RunState) -> html.Section:
    made = attempts_part(data, state) if name == "attempts" else PARTS[name](data, state)
    title, help_text = _TITLES[name]
    levels = data.memory is not None and bool(data.memory.attempts["level"].notna().all())
    title = "Levels" if name == "attempts" and levels else title
    filters = {shown: shown for shown in SHOWN_ATTEMPTS}
    controls = [choice("attempts", filters, state.attempts)] if name == "attempts" else []
    return html.Section(
        [
            html.Div(
                [
                    html.H2(title, className="ts-panel-title", title=help_text),
                    html.Span(className="ts-grow"),
                    *controls,
                ],
                className="ts-panel-head",
            ),
            html.P(made.answer, id=f"run-{name}-answer", className="ts-answer"),
            html.Div(made.body, id=f"run-{name}-body"),
        ],
        id=f"run-{name}-section",
        className="ts-panel ts-part",
        hidden=made.body is None,
    )


def _controls(panel: str, state: RunState) -> list[Component]:
    if panel != "map":
        return []
    return [
        dbc.Input(
            id={"type": CHOICE, "name": "find"},
            value=state.find,
            placeholder="find a block",
            type="search",
            debounce=True,
            size="sm",
            class_name="ts-find",
        ),
        choice("colour", {name: f"colour by {label}" for name, label in COLOURS.items()}, state.colour),
        choice("layout", LAYOUT_LABELS, state.layout),
    ]
