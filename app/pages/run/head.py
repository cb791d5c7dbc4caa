"""What heads a run's page: numbers, selection, findings, ways out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, urlencode

import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.aie.kernel_kinds import counted_kernels
from analysis.timeline.marker_windows import window_name
from app.pages.run.compare_menu import compare_items
from app.views.drawing import Piece, Properties
from app.views.memory.shown import shown_map
from app.views.selected import selected_kernels
from app.views.state import RunState
from components.aie.answers import health_answer
from components.health import health
from components.memory.scopes import memory_scopes
from components.memory.words import memory_words
from components.numbers import shorten
from components.summary import STRIP, memory_strip, metric_strip, profile_strip, selection_summary, selection_words
from schema.frames import FRAMES
from services.capabilities import Capability
from services.export import WRITERS
from services.memory import MemoryData
from services.profile import ProfileData
from services.runs import RunData

_ATTEMPT = re.compile(r"attempt (\d{1,9})\b")


def _strip(data: RunData, _state: RunState, _theme: str) -> Properties:
    return {"run-strip": {"children": metric_strip(data.headline, strip_of(data), scopes_of(data))}}


def _selection(data: RunData, state: RunState, _theme: str) -> Properties:
    return {"run-selection": {"children": _selection_bar(data, state)}}


def _health(data: RunData, state: RunState, _theme: str) -> Properties:
    findings = health(data.diagnostics, lambda place: _link(place, data, state))
    return {
        "run-health": {"children": findings},
        "run-health-answer": {"children": health_answer(data.diagnostics)},
    }


def _snapshot(data: RunData, state: RunState, _theme: str) -> Properties:
    return {"run-snapshot": {"href": _snapshot_href(data.run_id, state)}}


def _exports(data: RunData, state: RunState, _theme: str) -> Properties:
    return {"run-export": {"children": _export_items(data, state)}}


def _comparisons(data: RunData, state: RunState, _theme: str) -> Properties:
    return {"run-compare": {"children": compare_items(data.run.iloc[0].to_dict(), data.run_id, state)}}


HEAD = (
    Piece("strip", _strip),
    Piece("selection", _selection),
    Piece("health", _health),
    Piece("snapshot", _snapshot),
    Piece("exports", _exports),
    Piece("comparisons", _comparisons),
)
"""What heads the page: numbers, what is selected, findings, ways out."""


def strip_of(data: RunData) -> tuple[str, ...]:
    """Return the metrics that head the run, in order."""
    if data.can(Capability.NAMED_KERNELS):
        return profile_strip(data.headline)
    return memory_strip(data.headline) if data.can(Capability.MEMORY) else STRIP


def scopes_of(data: RunData) -> Mapping[str, str]:
    """Return what of the run the metrics of its strip are about, where that is not all of it."""
    return memory_scopes(data.memory.attempts) if data.can(Capability.ADDRESSES) else {}


def words_of(data: RunData, state: RunState) -> dict[str, str]:
    """Return what is selected in words, by the part of the view state."""
    words = selection_words(state.selection, data.unit)
    if data.can(Capability.NAMED_KERNELS):
        words |= _profile_words(data.profile, state)
    return words | memory_words(state.memory, shown_map(data, state)) | _found_words(state) | _tiling_words(data, state)


def _tiling_words(data: RunData, state: RunState) -> dict[str, str]:
    """Return what is selected in the views of tilings."""
    words = {}
    if state.operator is not None and data.can(Capability.TILING, Capability.MEMORY):
        words["operator"] = f"tiling {state.operator}"
        if state.operator < len(data.tiling.tiled):
            operator = data.tiling.tiled[state.operator].operator
            words["operator"] = f"{shorten(operator.name, 30)} at {operator.level}"
        if state.buffers:
            words["buffers"] = "other buffering"
    return words | ({"l1": f"local memory of {state.l1} KiB"} if state.l1 and data.can(Capability.TILING) else {})


def _profile_words(profile: ProfileData, state: RunState) -> dict[str, str]:
    """Return what only profiles have: windows between markers go by their names, a kernel by its run."""
    chosen = state.selection
    named = window_name(profile.frame("markers"), chosen.window, profile.extent) if chosen.window else None
    words = {"window": shorten(named, 60)} if named else {}
    if chosen.kernel is not None and chosen.kernel < len(profile.kernels):
        kernel = profile.kernels.iloc[chosen.kernel]
        words["kernel"] = f"run {kernel['run']} on {shorten(str(kernel['track']), 30)}"
    return words


def _found_words(state: RunState) -> dict[str, str]:
    words = {"find": state.find, "search": state.search}
    return {part: f"“{shorten(text, 30)}”" for part, text in words.items() if text}


def _selection_bar(data: RunData, state: RunState) -> list[Component]:
    """Name what is selected, each with a way to clear it, and its n, sum, median and p95."""
    words = words_of(data, state)
    chips: list[Component] = [
        html.Button([text, " ×"], id={"type": "run-clear", "part": part}, className="ts-chip", title="Clear (Esc: all)")
        for part, text in words.items()
    ]
    if len(chips) > 1:
        chips.append(html.Button("clear", id={"type": "run-clear", "part": "all"}, className="ts-chip"))
    named: list[Component] = chips or [html.Span(_everything(data), className="ts-muted")]
    return [
        html.Span("selection", className="ts-muted"),
        *named,
        html.Span(className="ts-grow"),
        *([selection_summary(_counted(data, state), data.clock_hz, data.unit)] if len(data.kernels) else []),
    ]


def _everything(data: RunData) -> str:
    """Return what is selected where nothing is chosen."""
    if data.can(Capability.NAMED_KERNELS):
        return "all devices, kernels and time"
    return "all steps and addresses" if data.can(Capability.MEMORY) else "all tiles, iterations and time"


def _counted(data: RunData, state: RunState) -> pd.DataFrame:
    """Return the selected kernels that header and durations state numbers of."""
    chosen = selected_kernels(data, state.selection)
    return counted_kernels(chosen) if data.can(Capability.ITERATIONS) else chosen


def _link(place: str, data: RunData, state: RunState) -> str | None:
    """Return the address that shows one place of a finding: a tile, an attempt or a memory level."""
    if place in set(data.tracks["track"].astype("str")):
        return f"/run/{data.run_id}?{state.selecting(track=place).query()}#timeline"
    attempt = _attempt_at(place, data.memory)
    return None if attempt is None else f"/run/{data.run_id}?{state.remembering(attempt=attempt).query()}#map"


def _attempt_at(place: str, memory: MemoryData) -> int | None:
    """Return the attempt that a place names by its number or its level."""
    found = _ATTEMPT.search(place)
    if found:
        return int(found.group(1)) if memory.has(int(found.group(1))) else None
    levels = memory.attempts["level"].astype("str")
    named = memory.attempts.loc[levels == place, "attempt"]
    return int(named.iloc[0]) if len(named) else None


def _snapshot_href(run_id: str, state: RunState) -> str:
    query = state.query()
    return f"/snapshot?run={quote(run_id)}" + (f"&{query}" if query else "")


def _export_items(data: RunData, state: RunState) -> list[Component]:
    """Return a line of formats per frame, and the shown attempt as a MiniMalloc problem and solution."""
    options = urlencode(state.options())
    run_id = quote(data.run_id)
    items: list[Component] = []
    for frame in FRAMES:
        if frame in data.frames:
            links = [
                html.A(fmt.upper(), href=f"/export/{run_id}/{frame}.{fmt}?{options}", download="") for fmt in WRITERS
            ]
            items.append(html.Div([html.Span(frame), *links], className="ts-export"))
    shown = shown_map(data, state)
    if shown is not None:
        links = [
            html.A(kind, href=f"/minimalloc/{run_id}/{shown.number}-{kind}.csv?{state.query()}", download="")
            for kind in ("problem", "solution")
        ]
        items.append(html.Div([html.Span(f"MiniMalloc, {shown.label}"), *links], className="ts-export"))
    return items


def table_links(run_id: str, state: RunState) -> list[Component]:
    """Return the formats in which the shown table is exported."""
    return [html.A(fmt.upper(), href=f"/table/{quote(run_id)}.{fmt}?{state.query()}", download="") for fmt in WRITERS]
