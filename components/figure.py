"""A plot as plain data: what is drawn and how, on its way to the browser."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.utils import PlotlyJSONEncoder

_NUMBERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64")
_BINARY = {name: np.dtype(name).str[1:] for name in _NUMBERS}
"""Types of numbers that plotly.js takes as binary -> its name of them."""
_LARGEST_EXACT = 2**53
_AS_TEXT = "range"
"""Key of values that plotly.js does not take as binary."""


_STYLES = frozenset({"opacity", "width", "shape", "solidity"})
"""Keys of values that a browser draws quicker where one holds for every point."""


class Figure:
    """Traces and layout as plain dicts with NumPy arrays; `data` and `layout` are those of plotly's own figure.

    Plotly's figure checks and copies every property, which takes a third of the time of drawing, so it is made only
    where it is asked for: the tests do that for every view.
    """

    def __init__(self, traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any]) -> None:
        self._traces = traces
        self._layout = dict(layout)

    def with_layout(self, **parts: object) -> Figure:
        """Return the figure with other parts of its layout; parts of an axis join those that it has."""
        joined = {name: _merge_parts(self._layout.get(name), part) for name, part in parts.items()}
        return Figure(self._traces, self._layout | joined)

    def with_traces(self, more: Sequence[Mapping[str, Any]]) -> Figure:
        """Return the figure with more drawn on top."""
        return Figure([*self._traces, *more], self._layout)

    def with_shapes(self, more: Sequence[Mapping[str, Any]]) -> Figure:
        """Return the figure with more shapes."""
        return Figure(self._traces, self._layout | {"shapes": [*self._layout.get("shapes", ()), *more]})

    def move_along(self, ticks: int) -> Figure:
        """Return the figure moved along its x axis: bars that lie, points, lines and marks."""
        parts = [part for part in ("shapes", "annotations") if part in self._layout]
        marks = {part: [_moved_mark(one, ticks) for one in self._layout[part]] for part in parts}
        traces = [_move_part(trace, ticks, ("base",) if "base" in trace else ("x",)) for trace in self._traces]
        return Figure(traces, self._layout | marks)

    @property
    def has_traces(self) -> bool:
        """Return whether anything but words is drawn."""
        return bool(self._traces)

    @property
    def height(self) -> int | None:
        """Return the height that it asks for, in pixels."""
        height = self._layout.get("height")
        return None if height is None else int(height)

    @property
    def notes(self) -> list[str]:
        """Return the words of its annotations."""
        return [str(note["text"]) for note in self._layout.get("annotations", ())]

    @cached_property
    def plotly(self) -> go.Figure:
        """Return plotly's own figure; raises ValueError where it refuses a property."""
        return go.Figure(
            {"data": list(self._traces), "layout": {**self._layout, "template": dict(self._layout["template"])}}
        )

    @property
    def data(self) -> Any:  # noqa: ANN401 -- plotly has no types
        """Return the traces as plotly has them."""
        return self.plotly.data

    @property
    def layout(self) -> Any:  # noqa: ANN401
        """Return the layout as plotly has it."""
        return self.plotly.layout

    def to_plotly_json(self) -> dict[str, Any]:
        """Return what Dash sends to the browser, arrays of numbers as plotly.js' binary ones."""
        return {"data": [_json_value(trace) for trace in self._traces], "layout": _json_value(self._layout)}

    def to_json(self) -> str:
        """Return that as JSON."""
        return json.dumps(self.to_plotly_json(), cls=PlotlyJSONEncoder)


def _moved_mark(mark: Mapping[str, Any], ticks: int) -> Mapping[str, Any]:
    return _move_part(mark, ticks, ("x0", "x1", "x")) if mark.get("xref", "x") == "x" else mark


def _move_part(part: Mapping[str, Any], ticks: int, names: Sequence[str]) -> dict[str, Any]:
    moved = {name: np.asarray(part[name], np.float64) + ticks for name in names if name in part}
    return {**part, **{name: value if value.ndim else float(value) for name, value in moved.items()}}


def _merge_parts(before: object, part: object) -> object:
    return {**before, **part} if isinstance(before, Mapping) and isinstance(part, Mapping) else part


def _json_value(value: Any, key: str = "") -> Any:  # noqa: ANN401
    if isinstance(value, Mapping):
        # plotly leaves empty parts out as well: an empty `minor` would switch minor ticks on
        return {name: _json_value(part, name) for name, part in value.items() if not isinstance(part, Mapping) or part}
    if isinstance(value, pd.Series | pd.Index):
        value = value.to_numpy()
    if key in _STYLES and _is_uniform(value):
        return value[0].item() if isinstance(value[0], np.generic) else value[0]
    if isinstance(value, np.ndarray):
        return value.tolist() if key == _AS_TEXT else _array(value)
    if isinstance(value, list | tuple) and value and isinstance(value[0], Mapping):
        return [_json_value(part) for part in value]
    return value


def _is_uniform(value: object) -> bool:
    """Return whether a style is that of every point; a number of a colour scale is none."""
    if isinstance(value, np.ndarray):
        return bool(value.ndim == 1 and value.size and value.dtype.kind in "fOU" and (value == value[0]).all())
    return isinstance(value, list) and bool(value) and isinstance(value[0], str) and value.count(value[0]) == len(value)


def _array(values: np.ndarray) -> Any:  # noqa: ANN401
    """Return an array as plotly.js' typed array, see its `isTypedArraySpec`, else as a list."""
    small = compact(values)
    kind = _BINARY.get(small.dtype.name)
    if kind is None or not small.size or (small is not values and small.dtype.kind == "f" and not _exact(values)):
        return values.tolist()
    spec = {"dtype": kind, "bdata": base64.b64encode(small.tobytes()).decode("ascii")}
    return spec | ({"shape": ", ".join(map(str, small.shape))} if small.ndim > 1 else {})


def _exact(values: np.ndarray) -> bool:
    return bool(values.min() >= -_LARGEST_EXACT and values.max() <= _LARGEST_EXACT)


def compact(values: np.ndarray) -> np.ndarray:
    """Return integers in a type that reaches the browser as binary.

    64-bit integers do not: they would travel as JSON text. Beyond 32 bits they become float64, exact to 2**53.
    """
    values = np.asarray(values)
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not values.size:
        return values
    low, high = values.min(), values.max()
    return values.astype(np.int32 if low >= -(2**31) and high < 2**31 else np.float64)
