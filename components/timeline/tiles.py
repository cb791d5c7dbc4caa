"""Tiles of a timeline: the bars of a stretch of time at a level of detail, as bytes to cache.

Level 0 is a tile with the whole run; each level cuts the tiles of the level above in half. A tile
depends on the run, the rows, and the theme, and on no selection: `assets/timeline_tiles.js` fades
its bars.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from analysis.selection import Selection
from analysis.timeline.rows import TimelineData, TimelineRow
from components.timeline.bars import Scene, origin_of
from components.timeline.counter_lanes import TILE_COLUMNS, are_exact, counter_values
from components.timeline.parts import event_parts

MAX_TILE_BYTES = 60_000
"""Maximum size of a tile before it is compressed."""
MAX_TILE_LEVEL = 32
MAX_TILE_ROWS = 400
"""Timelines with more rows have no tiles: a bar for each row would not fit."""
TILE_FORMAT = 3
"""Number of this format; a change of the content of a tile needs another number, since browsers keep
tiles for a year.
"""
_NUMBER = re.compile("0|[1-9][0-9]{0,9}")
"""The numbers of an address; ten digits are enough for the finest level."""
_WHOLE_LEVELS = 2
"""Levels 0 to 2 are made at once: a page requests them first."""
_BLOCK = 4
"""Tiles of a finer level that are made at once; a hand that moves needs the neighbours next."""
_BUDGET = 2_400
"""Bars of a tile: two or three tiles are in view, which a browser paints in a few milliseconds."""
_SMALLER = 0.8
"""Factor of the budget of a tile that was too large."""


@dataclass(frozen=True)
class TilePlace:
    """Place of a tile: `number` counts from 0 along the 2^`level` tiles of a level.

    Raises ValueError if there is no such place.
    """

    level: int
    number: int

    def __post_init__(self) -> None:
        if self.level > MAX_TILE_LEVEL or self.number >= 1 << self.level:
            raise ValueError(f"there is no tile {self.number} of level {self.level}")

    @classmethod
    def parse(cls, level: str, number: str) -> TilePlace:
        """Read a place from the parts of an address.

        Raises ValueError if there is no such place, or if a number is not in its shortest spelling:
        each further spelling would fill caches with another copy.
        """
        if not (_NUMBER.fullmatch(level) and _NUMBER.fullmatch(number)):
            raise ValueError("level and number of a tile are whole numbers from 0")
        return cls(int(level), int(number))

    def is_in(self, extent: tuple[int, int]) -> bool:
        """Whether a run with this extent has the tile: no level has tiles shorter than a tick."""
        first, last = extent
        return self.level == 0 or 1 << self.level <= last - first

    @property
    def block(self) -> list[TilePlace]:
        """The places that are made together: all of the first levels, else four neighbours."""
        if self.level <= _WHOLE_LEVELS:
            levels = range(_WHOLE_LEVELS + 1)
            return [TilePlace(level, at) for level in levels for at in range(1 << level)]
        first = self.number - self.number % _BLOCK
        return [TilePlace(self.level, at) for at in range(first, first + _BLOCK)]

    def span(self, extent: tuple[int, int]) -> tuple[int, int]:
        """Return the stretch [begin, end) in ticks of a run with this extent, at least a tick
        long.
        """
        first, last = extent
        # Whole numbers: equal edges of neighbours leave neither gaps nor overlaps.
        begin = first + (((last - first) * self.number) >> self.level)
        end = first + (((last - first) * (self.number + 1)) >> self.level)
        return begin, max(end, begin + 1)


@dataclass(frozen=True)
class TileSource:
    """Address of a run's tiles up to their level, and the rows that they have."""

    address: str
    rows: Sequence[TimelineRow]

    def record(self, data: TimelineData, shown: Sequence[TimelineRow]) -> dict[str, Any]:
        """Build the address and, for each row on the page, its number in tiles (-1 if tiles lack
        it). `shift` is the number of ticks by which the figure moves the times of tiles.
        """
        tiled = set(self.rows)
        numbers = {row: number for number, row in enumerate(data.rows()) if row in tiled}
        return {
            "address": self.address,
            "shift": 0,
            "rows": [numbers.get(row, -1) for row in shown],
        }


def tile_text(
    data: TimelineData, rows: Sequence[TimelineRow], theme: str, place: TilePlace
) -> bytes:
    """Write the tile with the bars of these rows as JSON, at most MAX_TILE_BYTES long.

    `span` is [begin, end) in ticks, `exact` is true if no bar stands for several events and no
    value of a counter is left out, `counters` are the result of `counter_values`, and `parts` are as in
    `Part.record`, except that rows are numbers in `data.rows()`.
    """
    at = {row: float(number) for number, row in enumerate(data.rows())}
    scene = Scene(data, at, place.span(data.extent), Selection(), theme)
    budget = _BUDGET
    while True:
        record = _record(scene, rows, budget)
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
        if len(text) <= MAX_TILE_BYTES or budget <= len(rows):
            return text
        # Names take most of a tile that is too large, and fall with the bars.
        budget = int(min(budget, _BUDGET) * _SMALLER * min(1, MAX_TILE_BYTES / len(text)))


def _record(scene: Scene, rows: Sequence[TimelineRow], budget: int) -> dict[str, Any]:
    parts = [part for part in event_parts(scene, rows, budget) if len(part.rects)]
    origin = origin_of([part.rects.start for part in parts])
    counters = counter_values(scene.data, scene.window, TILE_COLUMNS)
    return {
        "span": list(scene.window),
        "origin": origin,
        "exact": are_exact(counters) and not any(part.rects.merged_count for part in parts),
        "parts": [part.record(origin) for part in parts],
        "counters": counters,
    }
