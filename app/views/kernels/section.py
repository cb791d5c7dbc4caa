"""The sections of a profile's page: kernels with the chosen one beside them, counters, and the timeline's controls."""

from __future__ import annotations

from collections.abc import Mapping

import dash_bootstrap_components as dbc
from dash import dcc, html
from dash.development.base_component import Component

from analysis.timeline.marker_windows import marker_windows
from app.views.controls import find_box
from app.views.kernels.parts import PART_KEYS, PROFILE_PARTS, kernels_key, kernels_part
from app.views.sections import part_section
from app.views.state import RunState
from app.views.view import Part
from components.aria import aria
from components.numbers import duration_text, shorten
from services.runs import RunData

_MOST_WINDOWS = 200
_TITLES: Mapping[str, tuple[str, str]] = {
    "kernels": (
        "Kernels",
        "Kernels by program, over the selected time and device; total and share are of all their runs. Click selects "
        "one in every view.",
    ),
    "kernel": ("Kernel", "One run of a kernel: what it computed and moved, and the buffers that it used."),
    "program": ("Program", "What the compiler made of the chosen kernel."),
    "counts": ("Hardware counters", "Sums over all instances, per execution. Click a number for its instances."),
}


def kernels_section(data: RunData, state: RunState) -> list[Component]:
    """Lay out the kernel table and, beside it, the chosen kernel and its program; nothing without kernels."""
    if data.profile is None:
        return []
    return [
        html.Div(
            [
                html.Div([_part("kernels", kernels_part(data, state))], className="ts-kernels-main"),
                html.Div([_made("kernel", data, state), _made("program", data, state)], className="ts-kernels-side"),
            ],
            className="ts-kernels",
        ),
        dcc.Store(id="run-kernels-key", data=kernels_key(data, state)),
    ]


def counters_section(data: RunData, state: RunState) -> list[Component]:
    """Lay out the hardware counters; hidden where the capture has none."""
    return [_made("counts", data, state)] if data.profile is not None else []


def _made(name: str, data: RunData, state: RunState) -> html.Div:
    """Lay out a part with what it was made for, which keeps it from being made again for the same."""
    key = PART_KEYS.get(name, RunState.query)(state)
    return html.Div([_part(name, PROFILE_PARTS[name](data, state)), dcc.Store(id=f"run-{name}-key", data=key)])


def _part(name: str, made: Part) -> html.Section:
    title, help_text = _TITLES[name]
    return part_section(name, title, help_text, made)


def timeline_controls(data: RunData, state: RunState) -> list[Component]:
    """Return search and markers of a profile's timeline."""
    if data.profile is None:
        return []
    steps = [_step("match", -1, "‹", "Previous match (N)"), _step("match", 1, "›", "Next match (n)")]
    return [*_markers(data), find_box("search", state.search, "find an event"), *steps]


def _step(of: str, by: int, text: str, title: str) -> html.Button:
    return html.Button(
        text,
        id={"type": "run-step", "of": of, "by": by},
        className="ts-button ts-step",
        title=title,
        **aria(label=title),
    )


def _markers(data: RunData) -> list[Component]:
    """Return the windows between markers as a menu, with steps to the previous and the next one."""
    if data.profile is None:
        return []
    windows = marker_windows(data.profile.frame("markers"), data.profile.extent)
    if not len(windows):
        return []
    shown = windows.head(_MOST_WINDOWS)
    items: list[Component] = [
        dbc.DropdownMenuItem(
            f"{shorten(str(name), 60)} · {duration_text(end - start)}",
            id={"type": "run-interval", "window": f"{start}-{end}"},
        )
        for name, start, end in zip(shown["name"], shown["start"].tolist(), shown["end"].tolist(), strict=True)
    ]
    if len(windows) > len(shown):
        items.append(dbc.DropdownMenuItem(f"{len(windows) - len(shown)} more: step through them", disabled=True))
    menu = dbc.DropdownMenu(
        items, label="between markers", align_end=True, toggleClassName="ts-button", class_name="ts-windows"
    )
    return [
        _step("marker", -1, "‹", "Window before the previous marker (k)"),
        menu,
        _step("marker", 1, "›", "Window after the next marker (j)"),
    ]
