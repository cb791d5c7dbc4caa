"""Read the traces of a figure in Deeploy's page: rectangles, and the line of the capacity."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from data_loaders.reading.json_values import DamagedValueError, read_value

CAPACITY = " Memory Size"
"""Suffix of the name of the capacity's trace, behind the level's name."""
MAX_DAMAGE_COST = 64 << 20
"""Characters that may be read in vain before the rest of a figure is skipped.

A damaged trace counts for at least `_MIN_COST`.
"""
MAX_COORDINATE = 2**52
"""Largest x of a point: beyond it, a float cannot represent half a step."""
MAX_ADDRESS = 2**43
"""Largest y of a point: a page has fewer than a million blocks, so sums of sizes fit into int64."""

_DATA = re.compile(r'"data"\s*:\s*\[')
_NEXT = re.compile(r"[}\]]\s*,\s*(?=\{)")
_END = re.compile(r'\]\s*,\s*"layout"\s*:')
_SPACE = re.compile(r"[\s,]*")
_PACKED = {"f8", "f4", "i1", "i2", "i4", "u1", "u2", "u4"}
_MAX_POINTS = 8
"""Points of a trace that is considered."""
_MIN_COST = 1 << 13
"""Least cost, in characters, of a damaged trace."""
_MAX_OTHERS = 100_000
"""Traces of other shapes after which a figure is not Deeploy's and the rest is skipped."""


class Rectangle(NamedTuple):
    """A closed line: from x = `start` to `end`, from y = `low` to `high`."""

    name: str
    start: float
    end: float
    low: int
    high: int


class Line(NamedTuple):
    """The line of the capacity: it ends at x = `end`, at y = `height`."""

    name: str
    end: float
    height: int


@dataclass
class Traces:
    """Shapes of a figure.

    `skipped` counts other traces; `damaged` is the offset of invalid JSON, `None` without damage.
    """

    rectangles: list[Rectangle] = field(default_factory=list)
    capacity: Line | None = None
    skipped: int = 0
    damaged: int | None = None


def read_traces(text: str, start: int, stop: int) -> Traces:
    """Read the traces of the figure whose JSON begins at `start` and ends before `stop`.

    Traces that are not JSON, or longer than a block's could be, are skipped; if the figure has no
    data, `damaged` is `start`.
    """
    traces = Traces()
    begin = _DATA.search(text, start, stop)
    end = _END.search(text, start, stop)
    limit = end.start() if end else stop
    if begin is None or begin.end() > limit:
        traces.damaged = start
        return traces
    at = _read_all(text, begin.end(), limit, traces)
    if end is None and traces.damaged is None and at >= limit:
        traces.damaged = at
    return traces


def _read_all(text: str, at: int, limit: int, traces: Traces) -> int:
    """Add the traces from offset `at` to `limit` to `traces`; damaged traces are skipped.

    Returns the offset at which reading ended: of the `]`, of `limit`, or behind the last trace if
    more than 100,000 were skipped (_MAX_OTHERS).
    """
    cost = 0
    others = 0
    while (
        (at := _after_space(text, at, limit)) < limit and text[at] != "]" and others <= _MAX_OTHERS
    ):
        try:
            value, at = read_value(text, at)
        except DamagedValueError as damage:
            traces.damaged = at if traces.damaged is None else traces.damaged
            cost += max(damage.cost, _MIN_COST)
            following = _NEXT.search(text, at + 1, limit) if cost < MAX_DAMAGE_COST else None
            at = following.end() if following else limit
        else:
            others += not _collect(value, traces)
    return at


def _after_space(text: str, at: int, limit: int) -> int:
    match = _SPACE.match(text, at, limit)
    return match.end() if match else at


def _collect(value: object, traces: Traces) -> bool:
    """Add a trace to the rectangles or set it as the capacity line, and return True.

    Otherwise count it as skipped and return False.
    """
    name, x, y = _line(value)
    if len(x) == len(y) == 4 and _is_rectangle(x, y) and max(map(abs, y)) <= MAX_ADDRESS:
        traces.rectangles.append(Rectangle(name, x[0], x[2], int(y[0]), int(y[1])))
    elif len(x) == len(y) == 2 and name.endswith(CAPACITY) and x[1] > -0.5:
        traces.capacity = Line(name, x[1], int(y[1]))
    else:
        # Values behind damage may be parts of a trace or of the layout, so they are not counted.
        traces.skipped += traces.damaged is None
        return False
    return True


def _line(value: object) -> tuple[str, list[float], list[float]]:
    """Return name, x and y of a trace; ("", [], []) if it is not a trace."""
    if not isinstance(value, dict) or not {"x", "y"} <= value.keys():
        return "", [], []
    return str(value.get("name", value.get("text", ""))), _points(value["x"]), _points(value["y"])


def _is_rectangle(x: list[float], y: list[float]) -> bool:
    return x[0] == x[1] and x[2] == x[3] and y[0] == y[3] and y[1] == y[2]


def _points(value: object) -> list[float]:
    """Return the numbers of a list or of plotly's packed array.

    Returns [] for other values, more than eight numbers, or a number that is NaN or beyond 2**52.
    """
    numbers = _unpack_numbers(value) if isinstance(value, dict) else value
    if not isinstance(numbers, list) or len(numbers) > _MAX_POINTS:
        return []
    good = all(
        isinstance(n, int | float) and not isinstance(n, bool) and _is_sound(n) for n in numbers
    )
    return numbers if good else []


def _is_sound(number: float) -> bool:
    """Whether a number is not NaN and at most 2**52, so that a float can represent half a step."""
    return abs(number) <= MAX_COORDINATE


def _unpack_numbers(value: dict[str, object]) -> object:
    """Decode the list of numbers of `{"dtype": "f8", "bdata": BASE64}`.

    Returns `None` if they cannot be decoded.
    """
    dtype = value.get("dtype")
    data = value.get("bdata")
    if dtype not in _PACKED or not isinstance(data, str) or len(data) > 16 * _MAX_POINTS:
        return None
    try:
        return np.frombuffer(base64.b64decode(data, validate=True), dtype=f"<{dtype}").tolist()
    except ValueError:
        return None
