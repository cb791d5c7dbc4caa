"""Lanes of counters in a timeline, as columns for `assets/timeline_counters.js`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from analysis.timeline.counters import BYTES, CALLS, DERIVED_UNITS, RATE, CounterTrack
from analysis.timeline.rows import TimelineData
from components.numbers import integer, plain, rate_text, shorten, significant, size
from components.theme import palette
from components.timeline.bars import MAX_NAME
from components.timeline.packed import pack_numbers
from components.timeline.places import LANE
from schema.array_types import Floats, Ints

_LEVELS = 65_535
"""Values are sent as whole numbers from the lowest to the highest of the run: three digits are shown."""
_MAX_LABEL = 19
"""Characters of a label that fit into the smallest left margin."""
_MIN_PLAIN, _MAX_PLAIN = 1e-3, 1e7
"""Values from and up to which all digits fit into a label; other values have an exponent."""
FIGURE_COLUMNS = 800
"""Stretches of a counter in a figure; a tile has fewer, as two or three of them are in view."""
TILE_COLUMNS = 256


def lane_labels(data: TimelineData) -> list[str]:
    """Format the labels of two lines: the counter, and the range of its lane."""
    return [f"{_label(track)}<br>{_range(track)}" for track in data.counters]


def counter_lanes(data: TimelineData, middles: Sequence[float], theme: str) -> list[dict[str, Any]]:
    """Build the records of the lanes without their values: name, unit, colour, middle `y` and
    height `size` in rows, and the values `low` and `high` at the edges.
    """
    colour = palette(theme).perf
    return [
        {
            "name": counter_name(track),
            "unit": track.unit,
            "colour": colour,
            "y": middle,
            "size": LANE,
            "low": track.limits[0],
            "high": track.limits[1],
        }
        for track, middle in zip(data.counters, middles, strict=True)
    ]


def counter_values(
    data: TimelineData, window: tuple[int, int], columns: int
) -> list[dict[str, Any]]:
    """Build the columns of the values of each counter in a window, at most `columns` + 1 stretches.

    `gap` is the distance to the start before (the first: to the begin of the window), `low` and
    `high` are from 0 (the lowest value of the run) to 65,535; `high` is "" if it is equal to `low`.
    """
    records = []
    for track in data.counters:
        steps = track.steps(window, columns)
        low = _levels(track, steps.low)
        high = _levels(track, steps.high)
        records.append(
            {
                "gap": pack_numbers(np.diff(steps.start, prepend=window[0])),
                "low": pack_numbers(low),
                "high": "" if np.array_equal(low, high) else pack_numbers(high),
                "exact": len(steps) <= columns and bool((low == high).all()),
            }
        )
    return records


def are_exact(records: list[dict[str, Any]]) -> bool:
    """Whether these values are all that a finer level has."""
    return all(record["exact"] for record in records)


def counters_note(data: TimelineData) -> str:
    """Name the kinds of counters that are drawn as lanes, with their units; "" without counters.

    The lanes' labels name the devices: the note has each kind once.
    """
    if not data.counters:
        return ""
    kinds = [(_kind(track), track.unit or "unit not in the file") for track in data.counters]
    names = [f"{kind} ({unit})" for kind, unit in dict.fromkeys(kinds)]
    return f"Counters: {'; '.join(names)}."


def _kind(track: CounterTrack) -> str:
    """Return the counter's name without that of its device."""
    kind = track.name.removeprefix(track.track).strip() or track.name
    return shorten(kind, MAX_NAME)


def _levels(track: CounterTrack, values: Floats) -> Ints:
    low, high = track.limits
    # Halves, since the difference of two large values of a file may not be finite.
    shares = (values / 2 - low / 2) / ((high / 2 - low / 2) or 1.0)
    return np.round(shares * _LEVELS).astype(np.int64)


def counter_name(track: CounterTrack) -> str:
    """Return the name of a counter with its track, at most MAX_NAME characters."""
    # The names of allocators begin with their device already.
    is_whole = track.name.startswith(track.track)
    return shorten(track.name if is_whole else f"{track.track} {track.name}", MAX_NAME)


def _label(track: CounterTrack) -> str:
    """Format the first line: the counter's name, of a derived counter its track."""
    return plain(track.track if track.unit in DERIVED_UNITS else counter_name(track), _MAX_LABEL)


def _range(track: CounterTrack) -> str:
    """Format the second line: lowest and highest value of the lane."""
    low, high = (value_text(value, track.unit) for value in track.limits)
    words = f"{track.name} " if track.unit in DERIVED_UNITS else ""
    return f"{words}{low} – {high}"


def value_text(value: float, unit: str) -> str:
    """Format a value of a counter in its unit; a counter without a unit as a plain number."""
    if value == 0 or unit == CALLS:
        return integer(value)
    if unit == BYTES:
        return size(value)
    if unit == RATE:
        return rate_text(value, "B/s")
    is_plain = _MIN_PLAIN <= abs(value) < _MAX_PLAIN
    return significant(value) if is_plain else f"{value:.3g}"
