"""Search field and markers above a timeline of named events."""

from __future__ import annotations

import dash_bootstrap_components as dbc
from dash import html
from dash.development.base_component import Component

from analysis.timeline.marker_windows import marker_windows
from app.views.controls import find_box
from app.views.state import RunState
from app.views.timeline.actions import marker_stepped, match_stepped, window_chosen
from app.views.view import Link
from components.aria import aria
from components.numbers import duration_text, shorten
from services.run.data import RunData

_MAX_WINDOWS = 200
_STEP, _INTERVAL = "run-step", "run-interval"
_STEPS = {"match": match_stepped, "marker": marker_stepped}

LINKS = (
    Link(
        _STEP,
        ("of", "by"),
        lambda state, data, named: _STEPS[named["of"]](state, data, int(named["by"])),
    ),
    Link(
        _INTERVAL,
        ("window",),
        lambda state, _data, named: window_chosen(state, str(named["window"])),
    ),
)


def search_and_markers(data: RunData, state: RunState) -> list[Component]:
    """Lay out the search field with buttons for the matches, and the windows between markers."""
    steps = [
        _step("match", -1, "‹", "Previous match (N)"),
        _step("match", 1, "›", "Next match (n)"),
    ]
    return [*_markers(data), find_box("search", state.search, "find an event"), *steps]


def _step(of: str, by: int, text: str, title: str) -> html.Button:
    return html.Button(
        text,
        id={"type": _STEP, "of": of, "by": by},
        className="ts-button ts-step",
        title=title,
        **aria(label=title),
    )


def _markers(data: RunData) -> list[Component]:
    """Lay out a menu of the windows between markers (at most 200, _MAX_WINDOWS), with buttons for
    the previous and next window; empty without markers.
    """
    windows = marker_windows(data.profile.frame("markers"), data.profile.extent)
    if not len(windows):
        return []
    shown = windows.head(_MAX_WINDOWS)
    items: list[Component] = [
        dbc.DropdownMenuItem(
            f"{shorten(str(name), 60)} · {duration_text(end - start)}",
            id={"type": _INTERVAL, "window": f"{start}-{end}"},
        )
        for name, start, end in zip(
            shown["name"], shown["start"].tolist(), shown["end"].tolist(), strict=True
        )
    ]
    if len(windows) > len(shown):
        items.append(
            dbc.DropdownMenuItem(
                f"{len(windows) - len(shown)} more: step through them", disabled=True
            )
        )
    menu = dbc.DropdownMenu(
        items,
        label="between markers",
        align_end=True,
        toggleClassName="ts-button",
        class_name="ts-windows",
    )
    return [
        _step("marker", -1, "‹", "Window before the previous marker (k)"),
        menu,
        _step("marker", 1, "›", "Window after the next marker (j)"),
    ]
