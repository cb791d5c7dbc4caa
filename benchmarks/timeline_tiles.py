"""Size of the tiles that a browser loaded, and the server's time for tiles that it makes and keeps."""

from __future__ import annotations

import urllib.request
from collections.abc import Collection, Mapping

from benchmarks.report import check, note
from benchmarks.serving import Served

_MAX_TILE_KB = 60.0
_MAX_TILE_SERVER_MS = 5.0
_KEPT_TURNS = 10
"""Times that each tile is requested from the server, after the browser did."""


def measure_tiles(served: Served, tiles: Mapping[str, int], what: str) -> None:
    """Print the size of the largest of `tiles` (bytes by address) and the server's processor time
    for a kept tile and for a tile that is made.
    """
    largest = max(tiles.values(), default=0) / 1e3
    note(f"timeline, {len(tiles)} tiles with {sum(tiles.values()) / 1e3:.0f} kB before compression")
    check(f"timeline of {what}, largest tile", largest, _MAX_TILE_KB, "kB")
    each = _server_ms(served, [*tiles] * _KEPT_TURNS)
    check(f"timeline of {what}, a kept tile on the server", each, _MAX_TILE_SERVER_MS, "ms")
    # No page was opened in the dark theme, so that all of its tiles are made now.
    dark = [address.replace("/light/", "/dark/") for address in tiles if "/light/" in address]
    made = _server_ms(served, dark)
    check(f"timeline of {what}, a tile that is made", made, _MAX_TILE_SERVER_MS, "ms")


def _server_ms(served: Served, addresses: Collection[str]) -> float:
    """Request tiles; return the milliseconds of processor time of the server for each."""
    before = served.processor_s()
    for address in addresses:
        # As a browser asks for it: the server would decompress it for other clients.
        asked = urllib.request.Request(address, headers={"Accept-Encoding": "gzip"})  # noqa: S310
        with urllib.request.urlopen(asked) as response:  # noqa: S310 - our own server
            response.read()
    return 1e3 * (served.processor_s() - before) / max(1, len(addresses))
