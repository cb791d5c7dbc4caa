"""Bars of a timeline's figure, decoded from its packed columns as a browser does."""

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np

from components.figure import Figure


@dataclass(frozen=True)
class Bar:
    """A bar of a timeline: its part's role, its row, times in ticks, and how it looks."""

    role: str
    y: float
    track: str
    name: str
    start: int
    end: int
    count: int
    busy: int
    faded: bool
    colour: str
    hatch: str
    most: int
    """Percentage of the busy time that the name of a mixed bar has, 100 for other bars."""


def numbers(text: str) -> list[int]:
    """Decode a packed column of whole numbers."""
    values = [0]
    shift = 0
    for byte in base64.b64decode(text):
        values[-1] |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(0)
            shift = 0
    return values[:-1]


def flags(text: str, count: int) -> list[bool]:
    """Decode a packed column of flags."""
    packed = np.frombuffer(base64.b64decode(text), np.uint8)
    bits = np.unpackbits(packed, bitorder="little").astype(bool).tolist()
    return (bits + [False] * count)[:count]


def record_of(figure: Figure) -> dict[str, Any]:
    """Return the record of bars that the browser paints."""
    return dict(figure.to_plotly_json()["layout"]["meta"]["bars"])


def bars_of(figure: Figure, *, beside: bool = False) -> list[Bar]:
    """List the bars in a figure's window, or the bars beside the window, in the order of painting."""
    record = record_of(figure)
    parts = [part for part in record["parts"] if part["beside"] == beside]
    return [bar for part in parts for bar in _bars_of_part(part, record)]


def iterations_of(figure: Figure) -> list[tuple[int, int, int, bool]]:
    """List (number, start, end, is faded) of the iterations in the top row."""
    record = record_of(figure)
    columns = record["iterations"]
    start = np.cumsum(numbers(columns["gap"])) + record["origin"]
    end = start + numbers(columns["length"])
    faded = flags(columns["faded"], len(start))
    rows = zip(numbers(columns["number"]), start.tolist(), end.tolist(), faded, strict=True)
    return list(rows)


def tile_bars(tile: dict[str, Any]) -> list[Bar]:
    """List the bars of a tile; a tile has no names of rows."""
    count = 1 + max((row for part in tile["parts"] for row, _ in part["lanes"]), default=0)
    rows = {"y": [*range(count)], "track": [""] * count, "hatch": [""] * count}
    return [bar for part in tile["parts"] for bar in _bars_of_part(part, tile | {"rows": rows})]


def _bars_of_part(part: dict[str, Any], record: dict[str, Any]) -> list[Bar]:
    gaps = numbers(part["gap"])
    lengths = numbers(part["length"])
    names = numbers(part["name"])
    counts = numbers(part["count"]) or [1] * len(gaps)
    faded = flags(part["faded"], len(gaps))
    merged = iter(numbers(part["busy"]))
    mixed = flags(part["mixed"], len(gaps))
    most = iter(numbers(part["most"]))
    rows = [row for row, size in part["lanes"] for _ in range(size)]
    bars = []
    start = 0
    for at, row in enumerate(rows):
        is_first = at == 0 or rows[at - 1] != row
        start = gaps[at] + (record["origin"] if is_first else start)
        bars.append(
            Bar(
                role=part["role"],
                y=record["rows"]["y"][row],
                track=record["rows"]["track"][row],
                name=part["names"][names[at]],
                start=start,
                end=start + lengths[at],
                count=counts[at],
                busy=next(merged) if counts[at] > 1 else lengths[at],
                faded=faded[at],
                colour=part["colours"][names[at]],
                hatch=record["rows"]["hatch"][row] or "copy" * part["copies"][names[at]],
                most=next(most) if mixed[at] else 100,
            )
        )
    return bars
