"""The panels of a capture as figures and words; the page and the snapshot draw the same ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from analysis.aie.tiles import TILE_METRICS, tile_table
from analysis.aie.window_activity import window_activity
from analysis.derive import METHODS
from analysis.kernels.first_runs import first_runs
from analysis.kernels.links import place_of
from analysis.selection import Selection, select_kernels
from analysis.timeline.rows import Row, default_rows
from app.views.kernels.panels import PROFILE_PANELS
from app.views.links import chosen_kernel, lit_kernels
from app.views.memory.panels import MEMORY_PANELS
from app.views.state import RunState
from app.views.view import Panel, PanelSpec
from components.aie import answers, floorplan, iterations, stalls
from components.aie.iterations import Peak
from components.kernels import answers as profile_answers
from components.kernels import cycle_durations as durations
from components.numbers import duration_text, integer, shorten
from components.timeline import figure as timeline
from components.timeline import overview
from schema.plurals import plural
from services.runs import RunData


def selected_kernels(data: RunData, selection: Selection) -> pd.DataFrame:
    """Return the kernels that the whole selection covers; copies only where their name is selected."""
    chosen = select_kernels(data.kernels, selection)
    return chosen[~chosen["copy"]] if data.profile is not None and selection.kind is None else chosen


def selected_activity(data: RunData, selection: Selection) -> pd.DataFrame:
    """Return frame `activity` over the selected window, or the selected iteration's time."""
    window = selection.window or _iteration_window(data, selection)
    if window is None:
        return data.activity
    return window_activity(data.activity, data.timeline.events, data.tracks, data.kernels, window)


def _iteration_window(data: RunData, selection: Selection) -> tuple[int, int] | None:
    """Return the time of the selected iteration on the selected track, else on the system."""
    rows = data.iterations[data.iterations["iteration"] == selection.iteration]
    rows = rows[rows["track"] == iterations.shown_track(data.iterations, selection)]
    if selection.iteration is None or not len(rows) or pd.isna(rows["first_start"].iloc[0]):
        return None
    return int(rows["first_start"].iloc[0]), int(rows["last_end"].iloc[0])


def selected_iterations(data: RunData, selection: Selection) -> pd.DataFrame:
    """Return the rows of frame `iterations` that the selection covers."""
    rows = data.iterations
    if selection.track is not None:
        rows = rows[rows["track"] == selection.track]
    if selection.iteration is not None:
        rows = rows[rows["iteration"] == selection.iteration]
    if selection.window is not None:
        begin, end = selection.window
        rows = rows[((rows["first_start"] < end) & (rows["last_end"] > begin)).fillna(False).astype(bool)]
    return rows


def iterations_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw GMAC/s per iteration; the reference method's stand beside the robust ones."""
    reference = data.reference if state.method == METHODS[0] else None
    drawn = iterations.iterations(data.iterations, state.selection, theme, reference=reference, peak=Peak.of(data.run))
    return Panel(drawn, answers.iterations_answer(data.iterations, state.selection, data.stalls))


def floorplan_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the array, coloured by the chosen metric over the selection."""
    kernels = selected_kernels(data, replace(state.selection, track=None))
    rows = selected_iterations(data, replace(state.selection, track=None))
    activity = selected_activity(data, replace(state.selection, track=None))
    tiles = tile_table(data.tracks, kernels, rows, activity, data.diagnostics)
    metric = TILE_METRICS[state.tile_metric]
    return Panel(
        floorplan.floorplan(tiles, metric, state.selection, theme, shape=data.shape),
        answers.floorplan_answer(tiles, data.shape),
        floorplan.left_out(tiles),
    )


def timeline_rows(data: RunData, state: RunState) -> list[Row]:
    """Return the lanes that the timeline shows."""
    if state.lanes == "all":
        return data.timeline.rows()
    return default_rows(data.timeline, state.selection.track)


def timeline_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the timeline of the window."""
    rows = timeline_rows(data, state)
    hit, found = _hit(data, state)
    view = timeline.timeline(
        data.timeline,
        rows,
        state.selection,
        theme,
        lit=lit_kernels(data, state),
        words=state.search,
        hit=hit,
        cursor=state.memory.step if data.timed else None,
    )
    # The range follows the state: a new revision lets it move, an equal one keeps what the user zoomed.
    view.figure.update_layout(uirevision=str(state.selection.window))
    hidden = len(data.timeline.rows()) - len(rows)
    unit = "device" if data.profile is not None else "tile"
    more = f", {hidden} more under all lanes or when their {unit} is selected." if hidden else "."
    return Panel(view.figure, f"{found}{plural(len(rows), 'lane')}{more}", view.line)


def _hit(data: RunData, state: RunState) -> tuple[tuple[str, str, int, int] | None, str]:
    """Return what the timeline points at (track, lane, start, end), and what the search found in words."""
    if data.profile is None:
        return None, ""
    kernel = chosen_kernel(data, state)
    if not state.search:
        return (None if kernel is None else place_of(data.timeline.events, kernel)), ""
    found = data.profile.found(state.search)
    hit = found.at(state.hit)
    if hit is None:
        return None, f"No event is called “{shorten(state.search, 40)}”. "
    number = f"{integer(state.hit % found.count + 1)} of {integer(found.count)}"
    where = f"{shorten(hit.track, 30)} at {duration_text(hit.start)}"
    return (hit.track, hit.lane, hit.start, hit.end), f"Match {number}: {shorten(hit.name, 60)} on {where}. "


def overview_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the strip above the timeline."""
    margin = timeline.left_margin(timeline_rows(data, state))
    return Panel(overview.overview(data.timeline, state.selection, theme, margin=margin), "Drag to choose a window.")


def durations_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the distribution of the durations of what is selected; the duration range is marked, not applied."""
    chosen = selected_kernels(data, replace(state.selection, duration=None))
    drawn = durations.durations(chosen, state.selection, theme, view=state.durations, unit=data.unit)
    return Panel(drawn, _durations_answer(data, state, chosen))


def _durations_answer(data: RunData, state: RunState, chosen: pd.DataFrame) -> str:
    if data.profile is None:
        return answers.durations_answer(chosen, data.unit, data.clock_hz)
    if state.durations == "first":
        return profile_answers.first_runs_answer(first_runs(chosen))
    return profile_answers.durations_answer(chosen)


def stalls_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw where each tile's time went."""
    activity = selected_activity(data, state.selection)
    cores = activity[activity["track"].isin(data.tracks.loc[data.tracks["kind"] == "core", "track"])]
    return Panel(
        stalls.stalls(cores, state.selection, theme, share=state.share),
        answers.stalls_answer(cores, state.selection, state.share),
    )


def _has_iterations(data: RunData) -> bool:
    return "iterations" in data.frames


def _has_durations(data: RunData) -> bool:
    return _has_iterations(data) or (data.profile is not None and len(data.kernels) > 0)


def _has_events(data: RunData) -> bool:
    return _has_iterations(data) or len(data.timeline.events) > 0


PANELS: Mapping[str, PanelSpec] = {
    spec.id: spec
    for spec in (
        PanelSpec(
            "iterations",
            "Iteration GMAC/s",
            "Work over time per iteration. Bars by phase; a hatched one was cut by the capture's end and counts its "
            "kernels only. Points are tiles, ticks the reference method. Click selects an iteration.",
            iterations_panel,
            _has_iterations,
        ),
        PanelSpec(
            "floorplan",
            "Array floor plan",
            "The tiles as they lie on the chip, row 0 (shim) at the bottom. Click selects a tile.",
            floorplan_panel,
            _has_iterations,
        ),
        PanelSpec(
            "timeline",
            "Timeline",
            "A lane per tile and event. Drag zooms and selects the time for every other view; double click shows all; "
            "w a s d zoom and move. Click a bar to select its tile, a kernel to select its duration.",
            timeline_panel,
            _has_events,
        ),
        PanelSpec(
            "durations",
            "Kernel durations",
            "Durations of the kernels in the selection, those left out apart. Click a bin to select its range.",
            durations_panel,
            _has_durations,
        ),
        PanelSpec(
            "stalls",
            "Stall shares",
            "Share of time in stalls and vector work per tile, over all time or inside or outside of kernels. "
            "Click selects a tile.",
            stalls_panel,
            _has_iterations,
        ),
    )
}
"""The panels in reading order."""

ALL_PANELS: Mapping[str, PanelSpec] = {**MEMORY_PANELS, **PANELS, **PROFILE_PANELS}
"""Every panel that a run may have, in reading order."""
