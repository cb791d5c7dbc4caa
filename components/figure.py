"""A figure as plain data (traces and layout) and its JSON for the browser."""

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
"""NumPy type that plotly.js accepts as binary -> plotly.js' name of the type."""
_MAX_EXACT = 2**53
"""Largest whole number up to which float64 is exact."""
_AS_TEXT = "range"
"""Key whose values plotly.js does not accept as binary."""


_PLAIN = frozenset({str, int, float, bool, type(None)})
"""Types of values that are JSON as they are."""
_STYLES = frozenset({"opacity", "width", "shape", "solidity"})
"""Keys of styles that a browser draws faster as one value than as an array of equal values."""


class Figure:
    """A figure as plain dicts with NumPy arrays.

    `data` and `layout` are plotly's own objects: plotly checks and copies every property, which
    takes a third of the drawing time, so they are made only on access. Tests access them for every
    view.
    """

    def __init__(self, traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any]) -> None:
        self._traces = traces
        self._layout = dict(layout)

    def with_layout(self, **parts: object) -> Figure:
        """Return a copy of the figure with these parts of the layout replaced; parts that are
        mappings, such as an axis, are merged.
        """
        joined = {name: _merge_parts(self._layout.get(name), part) for name, part in parts.items()}
        return Figure(self._traces, self._layout | joined)

    def without_template(self) -> Figure:
        """Return a copy of the figure without its template, for a browser that has it."""
        return Figure(
            self._traces, {name: part for name, part in self._layout.items() if name != "template"}
        )

    def with_traces(self, more: Sequence[Mapping[str, Any]]) -> Figure:
        """Return a copy of the figure with further traces on top of its own."""
        return Figure([*self._traces, *more], self._layout)

    def with_shapes(self, more: Sequence[Mapping[str, Any]]) -> Figure:
        """Return a copy of the figure with further shapes after its own."""
        return Figure(
            self._traces, self._layout | {"shapes": [*self._layout.get("shapes", ()), *more]}
        )

    def move_along(self, ticks: int) -> Figure:
        """Return a copy of the figure moved by `ticks` along the x axis: horizontal bars, points,
        annotations and shapes in units of that axis, and the bars of a timeline's canvas.
        """
        parts = [part for part in ("shapes", "annotations") if part in self._layout]
        marks = {part: [_moved_mark(mark, ticks) for mark in self._layout[part]] for part in parts}
        traces = [
            _move_part(trace, ticks, ("base",) if "base" in trace else ("x",))
            for trace in self._traces
        ]
        return Figure(traces, self._layout | marks | _moved_bars(self._layout, ticks))

    @property
    def has_traces(self) -> bool:
        """Whether the figure has traces; False for an empty figure or a sentence."""
        return bool(self._traces)

    @property
    def height(self) -> int | None:
        """Height of the figure in pixels from its layout; None if the layout has no height."""
        height = self._layout.get("height")
        return None if height is None else int(height)

    @property
    def notes(self) -> list[str]:
        """Texts of the figure's annotations, in order; empty without annotations."""
        return [str(note["text"]) for note in self._layout.get("annotations", ())]

    @cached_property
    def plotly(self) -> go.Figure:
        """The figure as plotly's own object; raises ValueError if plotly rejects a property."""
        return go.Figure(
            {
                "data": list(self._traces),
                "layout": {**self._layout, "template": dict(self._layout["template"])},
            }
        )

    @property
    def data(self) -> Any:  # noqa: ANN401 -- plotly has no types
        """Traces of the figure as plotly's objects; raises ValueError if plotly rejects a property."""
        return self.plotly.data

    @property
    def layout(self) -> Any:  # noqa: ANN401
        """Layout of the figure as plotly's object; raises ValueError if plotly rejects a property."""
        return self.plotly.layout

    def to_plotly_json(self) -> dict[str, Any]:
        """Convert the figure to the dict with `data` and `layout` that Dash sends to the browser,
        arrays of numbers in plotly.js' binary form.
        """
        return {
            "data": [_json_value(trace) for trace in self._traces],
            "layout": _json_value(self._layout),
        }

    def to_json(self) -> str:
        """Convert the figure to JSON text with `data` and `layout`."""
        return json.dumps(self.to_plotly_json(), cls=PlotlyJSONEncoder)


def _moved_bars(layout: Mapping[str, Any], ticks: int) -> dict[str, Any]:
    bars = layout.get("meta", {}).get("bars")
    if bars is None:
        return {}
    moved: dict[str, Any] = {
        name: [at + ticks for at in bars[name]] for name in ("window", "extent")
    }
    if bars.get("tiles"):
        # Tiles keep the times of their run, so that all comparisons share them.
        moved["tiles"] = {**bars["tiles"], "shift": bars["tiles"]["shift"] + ticks}
    return {"meta": {"bars": {**bars, **moved, "origin": bars["origin"] + ticks}}}


def _moved_mark(mark: Mapping[str, Any], ticks: int) -> Mapping[str, Any]:
    return _move_part(mark, ticks, ("x0", "x1", "x")) if mark.get("xref", "x") == "x" else mark


def _move_part(part: Mapping[str, Any], ticks: int, names: Sequence[str]) -> dict[str, Any]:
    moved = {name: np.asarray(part[name], np.float64) + ticks for name in names if name in part}
    return {
        **part,
        **{name: value if value.ndim else float(value) for name, value in moved.items()},
    }


def _merge_parts(before: object, part: object) -> object:
    return {**before, **part} if isinstance(before, Mapping) and isinstance(part, Mapping) else part


def _json_value(value: Any, key: str = "") -> Any:  # noqa: ANN401
    # Most parts of a figure; tests for the abstract class took a third of the time.
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Mapping):
        # plotly leaves empty parts out as well: an empty `minor` would switch minor ticks on
        return {
            name: _json_value(part, name)
            for name, part in value.items()
            if type(part) in _PLAIN or not isinstance(part, Mapping) or part
        }
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
    """Whether a style has the same value for every point: a list of equal texts, or a
    one-dimensional array of equal floats or texts.

    False for integer arrays, lists of numbers, and empty values.
    """
    if isinstance(value, np.ndarray):
        return bool(
            value.ndim == 1
            and value.size
            and value.dtype.kind in "fOU"
            and (value == value[0]).all()
        )
    return (
        isinstance(value, list)
        and bool(value)
        and isinstance(value[0], str)
        and value.count(value[0]) == len(value)
    )


def _array(values: np.ndarray) -> Any:  # noqa: ANN401
    """Convert an array to plotly.js' binary form (see its `isTypedArraySpec`), a dict.

    A list if the array is empty, not numeric, or would lose digits.
    """
    small = compact(values)
    kind = _BINARY.get(small.dtype.name)
    if (
        kind is None
        or not small.size
        or (small is not values and small.dtype.kind == "f" and not _exact(values))
    ):
        return values.tolist()
    # Shape is only needed for matrices: plotly.js assumes one dimension without it.
    spec = {"dtype": kind, "bdata": base64.b64encode(small.tobytes()).decode("ascii")}
    return spec | ({"shape": ", ".join(map(str, small.shape))} if small.ndim > 1 else {})


def _exact(values: np.ndarray) -> bool:
    return bool(values.min() >= -_MAX_EXACT and values.max() <= _MAX_EXACT)


def compact(values: np.ndarray) -> np.ndarray:
    """Convert 64-bit integers to a type that the browser receives as binary: int32 if all fit, else
    float64, which is exact up to 2**53.

    Other arrays, and empty arrays, are returned unchanged.
    """
    values = np.asarray(values)
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not values.size:
        return values
    low = values.min()
    high = values.max()
    return values.astype(np.int32 if low >= -(2**31) and high < 2**31 else np.float64)
