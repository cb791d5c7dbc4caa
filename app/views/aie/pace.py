"""Views of the limiters of a capture's rate, and of the time of its tiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import html

from app.views.aie.actions import tile_clicked
from app.views.state import RunState
from app.views.text_tables import Table, plain_table
from app.views.view import ContentView, Link, Panel, Part, Plot, Width, whole
from components.aie import pace as figures
from components.aie import tile_bars
from components.graph import nothing
from components.numbers import count_text
from schema.choices import METHODS
from schema.peak_rates import has_impossible_rates
from services.run.capabilities import Capability
from services.run.data import RunData

_OTHER_METHOD = f"The pace is only available with method {METHODS[0]}."
_LINK = "limiter-link"
_NEEDS = frozenset({Capability.ITERATIONS})


def limiters_part(data: RunData, state: RunState) -> Part:
    """Lay out the table of limiters, first the limiter that gains most; without limiters, or by
    another method, only a sentence.
    """
    if state.method != METHODS[0]:
        return Part(None, _OTHER_METHOD)
    if data.pace is None:
        return Part(None, figures.NO_PACE)
    limiters = data.pace.limiters
    caption = figures.limiters_caption(limiters)
    if not limiters:
        return Part(None, caption)
    if has_impossible_rates(data.headline):
        caption = f"Impossible: {caption}"
    places = [
        limiter.where
        if figures.limiter_jump(limiter, limiter.where) is None
        else _link(rank, limiter.where)
        for rank, limiter in enumerate(limiters)
    ]
    return Part(html.Div(figures.limiters_table(limiters, places)), caption)


def _link(rank: int, where: str) -> html.Button:
    named = {"type": _LINK, "rank": rank}
    return html.Button(where, id=named, className="ts-link", title="Select")


def limiter_clicked(state: RunState, data: RunData, named: Mapping[str, Any]) -> RunState:
    """Return the state with the tile or iteration of a limiter selected, by its `rank` from 0;
    unchanged if the rank is invalid or the limiter has no place.
    """
    rank = whole(named["rank"])
    limiters = () if data.pace is None else data.pace.limiters
    # The rank comes from the browser, and other settings may give fewer limiters.
    if rank is None or not 0 <= rank < len(limiters):
        return state
    jump = figures.limiter_jump(limiters[rank], "")
    return state if jump is None else state.selecting(**{jump.part: jump.value})


def limiters_tables(data: RunData, state: RunState) -> list[Table]:
    """Build a text table of the limiters, ranks from 1; empty without limiters or by another
    method.
    """
    if state.method != METHODS[0] or data.pace is None or not data.pace.limiters:
        return []
    rows = [
        figures.limiter_cells(rank, limiter)
        for rank, limiter in enumerate(data.pace.limiters, start=1)
    ]
    return [Table("limiters", count_text(len(rows), "row"), figures.limiter_labels(), rows)]


def tile_times_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw how each tile spends its time in an iteration, the tiles with the least slack first; by
    another method only a sentence.
    """
    if state.method != METHODS[0]:
        return Panel(nothing(theme), _OTHER_METHOD)
    pace = data.pace
    drawn = 0 if pace is None else len(tile_bars.shown_tiles(pace, state.selection))
    left = 0 if pace is None else len(pace.tiles) - drawn
    line = f"{count_text(left, 'tile')} with more slack not shown." if left else ""
    return Panel(
        tile_bars.tile_bars(pace, state.selection, theme),
        tile_bars.tiles_caption(pace, state.selection),
        line,
    )


def tile_times_tables(data: RunData, state: RunState) -> list[Table]:
    """Build a text table of the time of the tiles in whole cycles, least slack first; empty if the
    pace is unknown or by another method.
    """
    if state.method != METHODS[0] or data.pace is None:
        return []
    # The core with the least slack sets the pace, so that it comes first.
    tiles = data.pace.tiles.sort_values("slack", kind="stable", ignore_index=True).round(0)
    whole = dict.fromkeys([name for name in tiles if name != "tile"], "int64")
    return [plain_table("time of the tiles, cycles of an iteration", tiles.astype(whole))]


LIMITERS = ContentView(
    id="limiters",
    title="Pace",
    help=(
        "Limiters of the rate, in the order of the gain if each is fixed after those above it. Gains come "
        "from a replay in which cores wait for the blocks that they share. Click a place to select its tile or iteration."
    ),
    needs=_NEEDS,
    group="pace",
    width=Width.HALF,
    make=limiters_part,
    links=(Link(_LINK, ("rank",), limiter_clicked),),
    tables=limiters_tables,
)
TILE_TIMES = Plot(
    id="pace",
    title="Time of the tiles",
    help="Where the time of each tile goes in an iteration on average, least slack first. Waiting (by the core that is "
    "waited for) and early end are slack; all other time is the tile's own. Click selects a tile.",
    needs=_NEEDS,
    group="pace",
    width=Width.WIDE,
    draw=tile_times_panel,
    on_click=tile_clicked,
    tables=tile_times_tables,
)
