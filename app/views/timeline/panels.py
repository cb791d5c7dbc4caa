"""The timeline of a run with the strip above it, for tiles or devices."""

from __future__ import annotations

from analysis.kernels.links import place_of
from app.views.counters_option import timeline_shown
from app.views.executions import chosen_kernel, lit_kernels
from app.views.selected import compared_slice
from app.views.state import RunState
from app.views.tile_address import tile_source
from app.views.timeline import actions
from app.views.timeline.controls import LINKS, search_and_markers
from app.views.timeline.counters import COUNTERS
from app.views.timeline.lane_menu import LANE_LINK, lane_menu
from app.views.timeline.lanes import marked_tracks, timeline_rows, unfolded_rows
from app.views.timeline_lanes import HEIGHTS, LANES
from app.views.view import Panel, Plot, Width
from components.numbers import duration_text, integer, shorten
from components.timeline import figure as timeline
from components.timeline import overview
from schema.plurals import plural
from services.run.capabilities import Capability
from services.run.data import RunData


def tiles_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the timeline of a capture's window, with a lane per tile and event."""
    return _panel(data, state, theme, "tile")


def devices_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the timeline of a profile's window; the current match of the search, or else the
    selected kernel, is marked.

    The caption describes the match, or that there is no event of that name.
    """
    kernel = chosen_kernel(data, state)
    if not state.search:
        hit = None if kernel is None else place_of(data.timeline.events, kernel)
        return _panel(data, state, theme, "device", hit=hit)
    matches = data.profile.found(state.search)
    at = matches.at(state.hit)
    if at is None:
        return _panel(
            data, state, theme, "device", said=f"No event is called “{shorten(state.search, 40)}”. "
        )
    number = f"{integer(state.hit % matches.count + 1)} of {integer(matches.count)}"
    where = f"{shorten(at.track, 30)} at {duration_text(at.start)}"
    sentence = f"Match {number}: {shorten(at.name, 60)} on {where}. "
    return _panel(
        data, state, theme, "device", hit=(at.track, at.lane, at.start, at.end), said=sentence
    )


def _panel(
    data: RunData,
    state: RunState,
    theme: str,
    unit: str,
    *,
    hit: tuple[str, str, int, int] | None = None,
    said: str = "",
) -> Panel:
    rows = timeline_rows(data, state)
    view = timeline.timeline(
        timeline_shown(data.timeline, state),
        rows,
        state.selection,
        theme,
        lit=lit_kernels(data, state),
        lit_label=_lit_label(state),
        words=state.search,
        hit=hit,
        cursor=state.memory.step if data.can(Capability.SHARED_WINDOW) else None,
        tiles=tile_source(data, state, LANES.of(state), theme),
        folded=marked_tracks(data, state).folded,
        lane_scale=float(HEIGHTS.of(state)),
    )
    # Plotly keeps the zoom of the browser while `uirevision` is equal, so a new window needs a new
    # value.
    figure = view.figure.with_layout(uirevision=str(state.selection.window))
    unfolded = len(unfolded_rows(data, state))
    hidden = len(data.timeline.rows()) - unfolded
    if unfolded > len(rows):
        said = f"{said}{plural(unfolded - len(rows), 'lane')} folded. "
    more = f", {hidden} more under all lanes or when their {unit} is selected." if hidden else "."
    return Panel(figure, f"{said}{plural(len(rows), 'lane')}{more}", view.line)


def _lit_label(state: RunState) -> str:
    """Return the label of the executions that `lit_kernels` selects."""
    if state.memory.block is not None:
        return "Using the selected block"
    return "Launched by the selected operator or function"


def overview_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the strip above the timeline: share of time in kernels and lock stalls, or of busy
    devices, per bin of the whole run (see `overview`); dragging in it selects a window.
    """
    margin = _margin(data, state)
    # The strip is not drawn again when a tile is selected, so it always shows the named slice.
    counted = compared_slice(data)
    cores = data.tracks.loc[data.tracks["slice"] == counted, "track"] if counted else None
    figure = overview.overview(data.timeline, state.selection, theme, margin=margin, cores=cores)
    of_slice = f" Cores of slice {shorten(counted, 40)}." if counted else ""
    return Panel(figure, f"Drag to choose a window.{of_slice}")


def _margin(data: RunData, state: RunState) -> int:
    return timeline.left_margin(timeline_rows(data, state))


OVERVIEW = Plot(
    id="overview",
    title="Overview",
    help="All of the run's time. Drag to choose a window.",
    needs=frozenset({Capability.TIMELINE}),
    draw=overview_panel,
    zooms=("window",),
    # The browser marks the window, so that only another margin needs another drawing.
    key=lambda data, state: str(_margin(data, state)),
)
# Two records have the id `timeline`, so that a link to either stays valid; a run meets the needs of
# at most one.
TIMELINE_OF_TILES = Plot(
    id="timeline",
    title="Timeline",
    help="A lane per tile and event. Drag moves, shift and drag select the time for every other view, "
    "the wheel with ctrl zooms; double click shows all; w a s d and arrows zoom and move, f fits what is "
    "selected. Click a bar to select its tile, a kernel to select its duration.",
    needs=frozenset({Capability.TIMELINE, Capability.TICKS}),
    width=Width.FULL,
    choices=(LANES, HEIGHTS),
    controls=lane_menu,
    links=(LANE_LINK,),
    draw=tiles_panel,
    on_click=actions.bar_clicked,
    zooms=("window",),
    strip=OVERVIEW,
)
TIMELINE_OF_DEVICES = Plot(
    id="timeline",
    title="Timeline",
    help=(
        "A lane per level of each device, compiler and thread. Drag moves, shift and drag select the time for every "
        "other view, the wheel with ctrl zooms; double click shows all; w a s d and arrows zoom and move, f fits what is "
        "selected. Click a kernel to select it, or another event to search its name."
    ),
    needs=frozenset({Capability.TIMELINE, Capability.NANOSECONDS}),
    group="timeline",
    width=Width.FULL,
    choices=(LANES, HEIGHTS, COUNTERS),
    controls=lambda data, state: [*lane_menu(data, state), *search_and_markers(data, state)],
    links=(*LINKS, LANE_LINK),
    draw=devices_panel,
    on_click=actions.event_clicked,
    zooms=("window",),
    strip=OVERVIEW,
)
