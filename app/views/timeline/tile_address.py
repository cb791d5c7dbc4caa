"""Addresses of the tiles of a run's timeline, as its page requests them."""

from __future__ import annotations

from analysis.timeline.rows import TimelineData, TimelineRow, default_rows
from app.views.state import RunState
from app.views.timeline.lanes import LANES
from components.timeline.tiles import MAX_TILE_ROWS, TILE_FORMAT, TileSource
from services.run.data import RunData

TILE_ROUTE = "/timeline/<run_id>/<version>/<method>/<lanes>/<theme>/<level>/<number>"


def join_version(version: str) -> str:
    """Join the format of tiles and the version of a run's content."""
    return f"{TILE_FORMAT}-{version}"


def tile_rows(data: TimelineData, lanes: str) -> list[TimelineRow]:
    """Return the rows of the tiles for a value of option LANES; empty if they are too many."""
    rows = data.rows() if lanes == "all" else default_rows(data)
    return rows if len(rows) <= MAX_TILE_ROWS else []


def tile_source(data: RunData, state: RunState, theme: str) -> TileSource | None:
    """Return the tiles of a view of a run; None if it has none.

    Changed settings may change which kernels are left out, and are not part of an address.
    """
    lanes = LANES.of(state)
    rows = tile_rows(data.timeline, lanes)
    if state.overrides or not rows:
        return None
    version = join_version(data.version)
    return TileSource(f"/timeline/{data.run_id}/{version}/{state.method}/{lanes}/{theme}", rows)
