"""Colours and patterns of memory blocks, with their legends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from components.numbers import duration_text, integer, size
from components.theme import CATEGORICAL, SEQUENTIAL, name_color, palette
from schema.array_types import Floats, Ints
from schema.time_units import NANOSECONDS

COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "name": "name",
        "kind": "kind",
        "op_type": "operator type",
        "size": "size",
        "lifetime": "lifetime",
        "status": "status",
        "dtype": "data type",
    }
)
"""Property that blocks can be coloured by -> its label on the page."""

CHANGE = "change"
"""Column of compared blocks with the change of each block; blocks can be coloured by it too."""

PATTERNS: Mapping[str, str] = MappingProxyType(
    {"weight": "/", "operation": "x", "transient": ".", "constant": "\\"}
)
"""Kind of block -> plotly pattern; all other kinds have no pattern."""

_KINDS = MappingProxyType(
    {
        "activation": CATEGORICAL[0],
        "weight": CATEGORICAL[1],
        "operation": CATEGORICAL[3],
        "constant": CATEGORICAL[8],
        "variable": CATEGORICAL[4],
        "transient": CATEGORICAL[5],
        "buffer": CATEGORICAL[7],
    }
)
_STATUS = MappingProxyType(
    {"placed": CATEGORICAL[0], "shared": CATEGORICAL[7], "unplaced": CATEGORICAL[9]}
)
_NO_OPERATOR = "no operator known"
_WIDE = 32
"""Ratio of the largest to the smallest number above which the colour scale is logarithmic."""

Colours = npt.NDArray[np.object_]
"""Array of CSS colours, "" where there is no colour."""


@dataclass(frozen=True)
class ColourScale:
    """Colour scale of a number from `low` to `high`; logarithmic to base 2 if `logarithmic`."""

    low: float
    high: float
    logarithmic: bool

    def places(self, values: Floats) -> Floats:
        """Scale values of the number to positions on the colour scale from 0 (`low`) to 1 (`high`),
        clipped to that range.
        """
        low, high = (
            math.log2(max(end, 1)) if self.logarithmic else end for end in (self.low, self.high)
        )
        shown = np.log2(np.maximum(values, 1)) if self.logarithmic else values
        return np.clip((shown - low) / (high - low if high > low else 1.0), 0, 1)


@dataclass(frozen=True)
class Colouring:
    """Rule that gives blocks their colours by the property `by`, a key of COLOURS or CHANGE.

    `scale` is set if that property is a number. `own` maps words to colours that differ from the
    usual colour of their name. `in_time`: lifetimes are in nanoseconds instead of steps.
    """

    by: str
    theme: str
    scale: ColourScale | None
    in_time: bool = False
    own: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, maps: Sequence[AttemptMap], by: str, theme: str) -> Colouring:
        """Make the colouring of maps that are drawn together, by property `by`; an unknown `by`
        means by name.

        For numbers, the scale spans the values of all maps.
        """
        by = by if by in COLOURS or by == CHANGE else "name"
        if by in {"op_type", "dtype"}:
            return cls(by, theme, None, own=_distinct(maps, by))
        if by not in {"size", "lifetime"}:
            return cls(by, theme, None)
        values = [_numbers(amap, by) for amap in maps]
        low = min((part.min() for part in values if len(part)), default=0.0)
        high = max((part.max() for part in values if len(part)), default=1.0)
        in_time = any(amap.facts.unit == NANOSECONDS for amap in maps)
        # Lifetimes of buffers range from microseconds to the whole run, lifetimes of blocks only
        # over a few steps.
        wide = (by == "size" or in_time) and high > _WIDE * max(low, 1.0)
        return cls(by, theme, ColourScale(float(low), float(high), wide), in_time)

    def colours(self, amap: AttemptMap, rows: Ints) -> Colours:
        """Compute the CSS colours of the blocks at positions `rows` of a map, as an array of
        objects.
        """
        if self.scale:
            # The scale is rounded to a few colours, because each colour is a trace.
            places = self.scale.places(_numbers(amap, self.by)[rows]) * (len(SEQUENTIAL) - 1)
            return np.array(SEQUENTIAL, dtype=object)[np.rint(places).astype(np.int64)]
        words = amap.blocks[self.by].iloc[rows].astype("object").to_numpy()
        names, which = np.unique(
            np.where(pd.isna(words), "", words).astype("str"), return_inverse=True
        )
        return np.array([self._colour(str(name)) for name in names], dtype=object)[which]

    def legend(self, maps: Sequence[AttemptMap]) -> list[tuple[str, str]]:
        """List (label, colour) of the values that occur in the maps, most frequent first, without
        `failed`.

        The list is empty for colours by name, which are too many for a legend, and by number, which
        have a scale.
        """
        if self.scale or self.by == "name":
            return []
        counts = (
            pd.concat([amap.blocks[self.by].astype("str") for amap in maps])
            .fillna("")
            .value_counts()
        )
        return [
            (
                str(name) or (_NO_OPERATOR if self.by == "op_type" else "not known"),
                self._colour(str(name)),
            )
            for name in counts.index
            if name != "failed"
        ]

    def key(self) -> str:
        """Format the colour scale, from its lowest to its highest number, as plotly text; "" if the
        colours are not a scale of numbers.
        """
        if self.scale is None:
            return ""
        written = size if self.by == "size" else duration_text if self.in_time else integer
        low, high = (written(end) for end in (self.scale.low, self.scale.high))
        shades = "".join(f'<span style="color:{shade}">■</span>' for shade in SEQUENTIAL)
        unit = "" if self.by == "size" or self.in_time else " steps"
        return f"{COLOURS[self.by]} {low} {shades} {high}{unit}{', logarithmic' if self.scale.logarithmic else ''}"

    def _colour(self, name: str) -> str:
        if self.by == "kind":
            return _KINDS.get(name, palette(self.theme).muted)
        if self.by == CHANGE:
            return _change_colour(name, self.theme)
        if self.by == "status":
            return (
                palette(self.theme).trouble
                if name == "failed"
                else _STATUS.get(name, palette(self.theme).muted)
            )
        return self.own.get(name) or (name_color(name) if name else palette(self.theme).warmup)


def _change_colour(word: str, theme: str) -> str:
    """Return the CSS colour of a kind of change, such as red for grown and green for shrunk; the
    grey of missing values for any other word.
    """
    colours = palette(theme)
    by_change = {
        "grown": colours.trouble,
        "born": colours.lock,
        "gone": colours.memory,
        "longer": colours.cascade,
        "shrunk": colours.good,
        "shorter": colours.stream,
        "shifted": colours.vector,
        "moved": colours.perf,
        "renamed": colours.extra,
    }
    return by_change.get(word, colours.missing)


def _distinct(maps: Sequence[AttemptMap], by: str) -> Mapping[str, str]:
    """Map each type to the colour of its name (`name_color`), or to a free colour if another type
    has that colour.

    Colours repeat only if there are more types than colours.
    """
    names = sorted({str(name) for amap in maps for name in amap.blocks[by].dropna().unique()})
    colours: dict[str, str] = {}
    for name in names:
        free = [colour for colour in CATEGORICAL if colour not in colours.values()]
        wanted = name_color(name)
        colours[name] = wanted if wanted in free or not free else free[0]
    return MappingProxyType(colours)


def patterns(blocks: pd.DataFrame, rows: Ints) -> Colours:
    """Return the plotly pattern of each row at positions `rows` of frame `allocations`, as an array
    of objects; "" for blocks without a pattern.
    """
    names = blocks["kind"].cat.categories.astype("str")
    shapes = np.array([*(PATTERNS.get(name, "") for name in names), ""], dtype=object)
    # A missing kind has code -1, which selects the appended "".
    return np.asarray(shapes[blocks["kind"].cat.codes.to_numpy()[rows]])


def lifetimes(amap: AttemptMap) -> Floats:
    """Compute for how many steps each block of a map is alive (ns for a device of a profile), in
    the order of its blocks.
    """
    parts = amap.segments
    return np.bincount(
        parts.row, weights=parts.end - parts.start, minlength=len(amap.blocks)
    ).astype(np.float64)


def _numbers(amap: AttemptMap, by: str) -> Floats:
    """Return each block's lifetime (see `lifetimes`) if `by` is "lifetime", else its size in bytes."""
    return lifetimes(amap) if by == "lifetime" else amap.blocks["size"].to_numpy(np.float64)
