"""`/timeline/...`: tiles of a run's timeline, which browsers and proxies cache for a year."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass, replace

from flask import Flask, Response, request

from analysis.timeline.rows import TimelineData, TimelineRow
from app.context import AppContext
from app.request.errors import RequestError
from app.request.user import EVERYONE
from app.server.access.gate import check_origin
from app.server.render.lanes import RenderWork
from app.server.render.rendering import Rendering
from app.server.tile_folder import TileFolder, TileKey
from app.views.tile_address import TILE_ROUTE, join_version, parse_settings, tile_rows
from app.views.timeline_lanes import LANES
from components.timeline.tiles import TilePlace, tile_text
from schema.choices import METHODS
from services.run.capabilities import Capability
from services.run.tile_version import version_of_prefix
from storage.run_prefixes import read_prefix

ENDPOINT = "timeline_tile"
_LEVEL = 5
"""Compression level of gzip."""
_YEAR_S = 31_536_000
_THEMES = ("light", "dark")
_GONE = "This run has no such tile of its timeline: reload the page."


@dataclass(frozen=True)
class _Wanted:
    """A tile of an address that is valid for the run as it is stored now."""

    run_id: str
    method: str
    settings: str
    lanes: str
    theme: str
    place: TilePlace
    version: str

    @property
    def key(self) -> TileKey:
        """Key that differs for each tile, and changes with the content of the run."""
        rows = f"{self.method} {self.settings} {self.lanes} {self.theme}"
        first = self.place.block[0]
        return TileKey(
            self.run_id,
            self.version,
            f"{rows} {self.place.level} {self.place.number}",
            f"{rows} {first.level} {first.number}",
        )


def register(server: Flask, context: AppContext, rendering: Rendering) -> None:
    """Add the route of the tiles.

    A tile that is kept is read here; any other tile is made by the render process that has drawn
    the run's page, which has the run in memory.
    """
    folder = TileFolder.of(context.settings)

    def make(**_parts: object) -> Response:
        wanted = _find(context)
        with folder.making(wanted.key):
            # Another process may have made the tile while this process waited.
            content = folder.read(wanted.key) or _make_block(context, folder, wanted)
        return _respond(context, wanted, content)

    compute = rendering.delegate_view(ENDPOINT, make, for_page=True)

    @server.get(TILE_ROUTE, endpoint=ENDPOINT)
    def tile(**_parts: object) -> Response:
        # A page of another site could make browsers compute many tiles.
        check_origin(context.settings, EVERYONE)
        wanted = _find(context)
        content = folder.read(wanted.key)
        if content is None:
            return compute(RenderWork(wanted.run_id))
        return _respond(context, wanted, content)


def _make_block(context: AppContext, folder: TileFolder, wanted: _Wanted) -> bytes:
    """Make a tile and return it; if there is a folder, keep it there with its neighbours.

    Raises RequestError (404) if the run has no such tile.
    """
    timeline, rows = _read(context, wanted)
    content = _compress(timeline, rows, wanted)
    folder.write(wanted.key, content)
    # A request of a render process takes longer than a tile, so that neighbours are made too.
    for place in wanted.place.block if folder.path else ():
        if place != wanted.place and place.is_in(timeline.extent):
            other = replace(wanted, place=place)
            folder.write(other.key, _compress(timeline, rows, other))
    return content


def _find(context: AppContext) -> _Wanted:
    """Read the address of the current request; raises RequestError (404) if there is no such run or
    tile, or if the run has been read again since.
    """
    parts = request.view_args or {}
    known = parts["method"] in METHODS and parts["lanes"] in LANES.options
    is_current = parts["version"] == _version(context, parts["run_id"])
    if not known or not is_current or parts["theme"] not in _THEMES:
        raise RequestError(_GONE, 404)
    try:
        place = TilePlace.parse(parts["level"], parts["number"])
        parse_settings(parts["settings"])
    except ValueError as error:
        raise RequestError(_GONE, 404) from error
    return _Wanted(
        parts["run_id"],
        parts["method"],
        parts["settings"],
        parts["lanes"],
        parts["theme"],
        place,
        parts["version"],
    )


def _version(context: AppContext, run_id: str) -> str:
    """Return the version that an address of the run's tiles must have; "" if there is no such run."""
    # The catalogue is read each time, so that a deleted run has no tiles. Only the prefix is read:
    # to read and check the whole row took a third of the time of a kept tile.
    prefix = read_prefix(context.repository.catalogue, run_id)
    return "" if prefix is None else join_version(version_of_prefix(prefix))


def _read(context: AppContext, wanted: _Wanted) -> tuple[TimelineData, list[TimelineRow]]:
    """Return the timeline of a run and the rows of its tiles; raises RequestError (404) if it has
    no tiles, or none as fine as the wanted tile.
    """
    try:
        data = context.data.get(wanted.run_id, wanted.method, parse_settings(wanted.settings))
    except ValueError as error:  # such as more cores than this installation accepts
        raise RequestError(_GONE, 404) from error
    timeline = data.timeline
    rows = tile_rows(timeline, wanted.lanes)
    if not data.can(Capability.TIMELINE) or not rows or not wanted.place.is_in(timeline.extent):
        raise RequestError(_GONE, 404)
    return timeline, rows


def _compress(timeline: TimelineData, rows: Sequence[TimelineRow], wanted: _Wanted) -> bytes:
    # Without a time in it, equal tiles are equal bytes.
    return gzip.compress(tile_text(timeline, rows, wanted.theme, wanted.place), _LEVEL, mtime=0)


def _respond(context: AppContext, wanted: _Wanted, content: bytes) -> Response:
    """Build the response; it may be cached for ever, by shared caches only if everybody may read."""
    accepted = request.accept_encodings.quality("gzip") > 0
    response = Response(
        content if accepted else gzip.decompress(content), content_type="application/json"
    )
    response.vary.add("Accept-Encoding")
    if accepted:
        response.content_encoding = "gzip"
    if context.settings.auth == "none":
        scope = "public"
    else:
        scope = "private"
        # After another person has signed in, the browser must request the tile again.
        response.vary.update(("Cookie", "Authorization"))
    response.headers["Cache-Control"] = f"{scope}, max-age={_YEAR_S}, immutable"
    response.set_etag(f"{wanted.version}{'-gzip' if accepted else ''}")
    return response.make_conditional(request)  # type: ignore[return-value]
