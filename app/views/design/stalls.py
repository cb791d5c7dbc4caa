"""View of the stalls of each traced core that the design explains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import html

from analysis.aie.design.lock_waits import STALL as LOCK_STALL
from analysis.aie.design.memory_pairs import STALL as MEMORY_STALL
from app.views.design.place import choose_tile, design_of, selected_tile
from app.views.state import RunState
from app.views.text_tables import Table
from app.views.view import ContentView, Link, Part, Width
from components.design.stall_table import HEADS, NamedPair, StallRow, stall_cells, stall_table
from components.numbers import count_text
from services.run.capabilities import Capability
from services.run.data import RunData

_LINK = "design-core-link"
_PAIR_LINK = "design-pair-link"
_OPENS: dict[str, Any] = {"data-opens": "tilemap"}
"""Attribute by which `assets/anchors.js` opens the fold with the memory of the selected tile."""
_MAX_ROWS = 64
"""Cores that are listed; an array of today has at most 32 cores, larger ones are cut."""


def stalls_part(data: RunData, state: RunState) -> Part:
    """Lay out a row per traced core; empty without a traced core."""
    try:
        rows = _rows(data, state)
    except ValueError as error:
        return Part(html.P(f"{error}.", className="ts-panel-hint"), "")
    if not rows:
        return Part(None, "")
    left = len(design_of(data).cores) - len(rows)
    more = f" {count_text(left, 'core')} not listed." if left else ""
    window = " in the selected window" if state.selection.window else ""
    caption = f"{count_text(len(rows), 'traced core')}, stalls in cycles{window}.{more}"
    return Part(stall_table(rows, _link, _pair_link, selected_tile(data, state)), caption)


def _rows(data: RunData, state: RunState) -> list[StallRow]:
    """Join the first _MAX_ROWS cores; the cycles are those in the selected window."""
    design = design_of(data)
    window = state.selection.window
    rows = []
    for core in design.cores[:_MAX_ROWS]:
        locks = design.locks(core)
        waits = locks.waits
        ranks = {request: rank for rank, request in enumerate(waits.requests)}
        rows.append(
            StallRow(
                core,
                design.stall_cycles(core, MEMORY_STALL, window),
                design.memory(core),
                design.stall_cycles(core, LOCK_STALL, window),
                locks,
                [
                    waits.request_cycles(ranks[wait.request], window=window)
                    for wait in locks.by_lock
                ],
                "" if design.join is None else design.join.slice_of(core),
            )
        )
    return rows


def _link(core: str) -> html.Button:
    return html.Button(
        core,
        id={"type": _LINK, "tile": core},
        className="ts-link",
        title="Select",
        **_OPENS,
    )


def _pair_link(core: str, pair: NamedPair, rank: int) -> html.Button:
    # Several rows may have pairs of the same memory, so an id has core and rank too.
    return html.Button(
        pair.words,
        id={"type": _PAIR_LINK, "tile": pair.memory, "core": core, "rank": rank},
        className="ts-link",
        title=f"Select {pair.memory}, whose memory has both",
        **_OPENS,
    )


def pair_clicked(state: RunState, data: RunData, named: Mapping[str, Any]) -> RunState:
    """Return the state with the tile selected whose memory has both buffers of the pair, or cleared
    if it was selected.
    """
    tile = str(named["tile"])
    known = {str(row["tile"]) for row in design_of(data).mapping["tiles"]}
    return choose_tile(data, state, tile) if tile in known else state


def core_clicked(state: RunState, data: RunData, named: Mapping[str, Any]) -> RunState:
    """Return the state with the core of a row selected, or cleared if it was selected."""
    core = str(named["tile"])
    return choose_tile(data, state, core) if core in design_of(data).cores else state


def stalls_tables(data: RunData, state: RunState) -> list[Table]:
    """Build a text table of the rows; empty without a traced core."""
    try:
        rows = [stall_cells(row) for row in _rows(data, state)]
    except ValueError:
        return []
    counted = count_text(len(rows), "row")
    return [Table("stalls and the design", counted, list(HEADS), rows)] if rows else []


STALLS = ContentView(
    id="designstalls",
    title="Stalls and the design",
    help="What the design explains of the stalls of each core: the bank and the buffers that share it, with the smallest "
    "move that leaves fewer pairs, and the lock that the core waits for. Unknown: the trace does not tell it.",
    needs=frozenset({Capability.DESIGN, Capability.TIMELINE}),
    group="stalls of the design",
    width=Width.FULL,
    make=stalls_part,
    links=(
        Link(_LINK, ("tile",), core_clicked),
        Link(_PAIR_LINK, ("tile", "core", "rank"), pair_clicked),
    ),
    tables=stalls_tables,
)
