"""Addresses of the tiles of a run's timeline, as its page and comparisons request them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

from analysis.timeline.rows import TimelineData, TimelineRow, default_rows
from app.views.state import OVERRIDES, RunState, valid_setting
from components.timeline.tiles import MAX_TILE_ROWS, TILE_FORMAT, TileSource
from schema.choices import METHODS
from services.comparison.compared_runs import ComparedRun
from services.run.data import RunData
from services.run.tile_version import tile_version

TILE_ROUTE = "/timeline/<run_id>/<version>/<method>/<settings>/<lanes>/<theme>/<level>/<number>"
MAIN_LANES = "auto"
"""Lanes of tiles that a timeline shows by default."""
_AS_STORED = "-"
"""Settings of an address if no setting of the run is changed."""
_MAX_SETTINGS = 2_000
"""Maximum number of characters of the settings in an address."""


def join_version(version: str) -> str:
    """Join the format of tiles and the version of a run's content."""
    return f"{TILE_FORMAT}-{version}"


def pack_settings(settings: Mapping[str, str]) -> str:
    """Write changed settings of a run as a part of an address; equal settings have equal texts."""
    pairs = [(name, settings[name]) for name in OVERRIDES if name in settings]
    # Base64, because a server decodes %2F before it splits an address into parts.
    text = base64.urlsafe_b64encode(urlencode(pairs).encode()).decode("ascii")
    return text.rstrip("=") if pairs else _AS_STORED


def parse_settings(text: str) -> dict[str, str]:
    """Read changed settings from an address; raises ValueError if `pack_settings` does not write
    this text, or if a setting is invalid.
    """
    if text == _AS_STORED:
        return {}
    if len(text) > _MAX_SETTINGS:
        raise ValueError(f"the settings of a tile have more than {_MAX_SETTINGS} characters")
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        settings = dict(parse_qsl(packed.decode("ascii"), max_num_fields=len(OVERRIDES)))
    except (binascii.Error, UnicodeError) as error:
        raise ValueError("the settings of a tile are not readable") from error
    if pack_settings(settings) != text:
        raise ValueError("the settings of a tile are not in their shortest spelling")
    if not all(valid_setting(name, value) for name, value in settings.items()):
        raise ValueError("a setting of a tile is invalid")
    return settings


def tile_rows(data: TimelineData, lanes: str) -> list[TimelineRow]:
    """Return the rows of the tiles for a value of the timeline's option `lanes`; empty if they are
    too many.
    """
    rows = data.rows() if lanes == "all" else default_rows(data)
    return rows if len(rows) <= MAX_TILE_ROWS else []


def tile_source(data: RunData, state: RunState, lanes: str, theme: str) -> TileSource | None:
    """Return the tiles of a view of a run with these lanes; None if it has none."""
    rows = tile_rows(data.timeline, lanes)
    run = f"{data.run_id}/{join_version(data.version)}/{state.method}"
    return _source(run, state.overrides, lanes, theme, rows)


def compared_tiles(
    run: ComparedRun, timeline: TimelineData, lanes: str, theme: str
) -> TileSource | None:
    """Return the tiles of a side of a comparison with these lanes; None if it has none."""
    version = join_version(tile_version(run.stored))
    path = f"{run.stored.run_id}/{version}/{METHODS[0]}"
    rows = tile_rows(timeline, lanes)
    return _source(path, run.settings, lanes, theme, rows)


def _source(
    run: str, settings: Mapping[str, str], lanes: str, theme: str, rows: list[TimelineRow]
) -> TileSource | None:
    address = f"/timeline/{run}/{pack_settings(settings)}/{lanes}/{theme}"
    return TileSource(address, rows) if rows else None
