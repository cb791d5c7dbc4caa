"""The traces of one figure of Deeploy's page: rectangles of four points and the capacity's line of two."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from data_loaders.reading.json_values import DamagedValueError, read_value

CAPACITY = " Memory Size"
"""What follows the level's name in the name of the capacity's trace."""
MAX_DAMAGE_COST = 64 << 20
"""Characters read for nothing before the rest of a figure is skipped; a bad trace counts for `_LEAST_COST`."""
MOST_STEPS = 2**52
"""Steps beyond this have no half in a float."""
MOST_ADDRESS = 2**43
"""A page has less than a million blocks: of blocks below this the sum fits into int64."""

_DATA = re.compile(r'"data"\s*:\s*\[')
_NEXT = re.compile(r"[}\]]\s*,\s*(?=\{)")
_END = re.compile(r'\]\s*,\s*"layout"\s*:')
_SPACE = re.compile(r"[\s,]*")
_PACKED = {"f8", "f4", "i1", "i2", "i4", "u1", "u2", "u4"}
_MOST_POINTS = 8
_LEAST_COST = 1 << 13
_MOST_OTHERS = 100_000
"""A figure with more traces of another shape than this is not Deeploy's."""


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
    """What a figure draws; `skipped` traces are of another shape, and what lies at `damaged` is not JSON."""

    rectangles: list[Rectangle] = field(default_factory=list)
    capacity: Line | None = None
    skipped: int = 0
    damaged: int | None = None


def read_traces(text: str, start: int, stop: int) -> Traces:
    """Read the traces of the figure whose JSON begins at `start` and ends before `stop`.

    A trace that is no JSON, or longer than a block's could be, is skipped.
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
    """Collect the traces from `at` on; return where the last one ends."""
    cost, others = 0, 0
    while (at := _after_space(text, at, limit)) < limit and text[at] != "]" and others <= _MOST_OTHERS:
        try:
            value, at = read_value(text, at)
        except DamagedValueError as damage:
            traces.damaged = at if traces.damaged is None else traces.damaged
            cost += max(damage.cost, _LEAST_COST)
            following = _NEXT.search(text, at + 1, limit) if cost < MAX_DAMAGE_COST else None
            at = following.end() if following else limit
        else:
            others += not _collect(value, traces)
    return at


def _after_space(text: str, at: int, limit: int) -> int:
    found = _SPACE.match(text, at, limit)
    return found.end() if found else at


def _collect(value: object, traces: Traces) -> bool:
    """Put a trace with the others and return True, or count it as of another shape."""
    name, x, y = _line(value)
    if len(x) == len(y) == 4 and _is_rectangle(x, y) and max(map(abs, y)) <= MOST_ADDRESS:
        traces.rectangles.append(Rectangle(name, x[0], x[2], int(y[0]), int(y[1])))
    elif len(x) == len(y) == 2 and name.endswith(CAPACITY) and x[1] > -0.5:
        traces.capacity = Line(name, x[1], int(y[1]))
    else:
        # What follows damage may be no trace at all, such as a part of one or of the layout.
        traces.skipped += traces.damaged is None
        return False
    return True


def _line(value: object) -> tuple[str, list[float], list[float]]:
    """Return name and points of a trace, no points where it is none."""
    if not isinstance(value, dict) or not {"x", "y"} <= value.keys():
        return "", [], []
    return str(value.get("name", value.get("text", ""))), _points(value["x"]), _points(value["y"])


def _is_rectangle(x: list[float], y: list[float]) -> bool:
    return x[0] == x[1] and x[2] == x[3] and y[0] == y[3] and y[1] == y[2]


def _points(value: object) -> list[float]:
    """Return a few numbers of a list, or of an array packed as plotly does it; none where it is neither."""
    numbers = _unpack_numbers(value) if isinstance(value, dict) else value
    if not isinstance(numbers, list) or len(numbers) > _MOST_POINTS:
        return []
    good = all(isinstance(n, int | float) and not isinstance(n, bool) and _is_sound(n) for n in numbers)
    return numbers if good else []


def _is_sound(number: float) -> bool:
    """Return whether a number is one, and small enough to have its half."""
    return abs(number) <= MOST_STEPS


def _unpack_numbers(value: dict[str, object]) -> object:
    """Return the numbers of `{"dtype": "f8", "bdata": BASE64}`, None where it is none."""
    dtype, data = value.get("dtype"), value.get("bdata")
    if dtype not in _PACKED or not isinstance(data, str) or len(data) > 16 * _MOST_POINTS:
        return None
    try:
        return np.frombuffer(base64.b64decode(data, validate=True), dtype=f"<{dtype}").tolist()
    except ValueError:
        return None
