"""What the colours and the patterns of memory blocks mean."""

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
from schema.array_types import Ints
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
"""What blocks can be coloured by, and what people call it."""

CHANGE = "change"
"""Column of blocks that are compared with others: what became of each. Blocks can be coloured by it, too."""

PATTERNS: Mapping[str, str] = MappingProxyType({"weight": "/", "operation": "x", "transient": ".", "constant": "\\"})
"""Kind -> pattern; other kinds have none."""

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
_STATUS = MappingProxyType({"placed": CATEGORICAL[0], "shared": CATEGORICAL[7], "unplaced": CATEGORICAL[9]})
_NO_OPERATOR = "no operator known"
_WIDE = 32
"""Sizes that differ by more than this factor have a logarithmic scale."""

Colours = npt.NDArray[np.object_]


@dataclass(frozen=True)
class ColourScale:
    """A number as a colour, from `low` to `high`; `logarithmic` in powers of two."""

    low: float
    high: float
    logarithmic: bool

    def places(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return where values lie between low (0) and high (1)."""
        low, high = (math.log2(max(end, 1)) if self.logarithmic else end for end in (self.low, self.high))
        shown = np.log2(np.maximum(values, 1)) if self.logarithmic else values
        return np.clip((shown - low) / (high - low if high > low else 1.0), 0, 1)


@dataclass(frozen=True)
class Colouring:
    """How blocks get their colours: `by` is a key of COLOURS, `scale` there where that is a number.

    `own` are colours of words that are not those of their names. `in_time`: lifetimes are nanoseconds, not steps.
    """

    by: str
    theme: str
    scale: ColourScale | None
    in_time: bool = False
    own: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, maps: Sequence[AttemptMap], by: str, theme: str) -> Colouring:
        """Return the colouring of maps that are drawn together; an unknown `by` is by name."""
        by = by if by in COLOURS or by == CHANGE else "name"
        if by in {"op_type", "dtype"}:
            return cls(by, theme, None, own=_distinct(maps, by))
        if by not in {"size", "lifetime"}:
            return cls(by, theme, None)
        values = [_numbers(one, by) for one in maps]
        low = min((part.min() for part in values if len(part)), default=0.0)
        high = max((part.max() for part in values if len(part)), default=1.0)
        in_time = any(one.facts.unit == NANOSECONDS for one in maps)
        # Lives of buffers go from microseconds to the whole run, those of blocks over a few steps.
        wide = (by == "size" or in_time) and high > _WIDE * max(low, 1.0)
        return cls(by, theme, ColourScale(float(low), float(high), wide), in_time)

    def colours(self, amap: AttemptMap, rows: Ints) -> Colours:
        """Return the colours of the blocks at positions `rows` of a map."""
        if self.scale:
            # A few steps of the scale, so that there are a few traces.
            places = self.scale.places(_numbers(amap, self.by)[rows]) * (len(SEQUENTIAL) - 1)
            return np.array(SEQUENTIAL, dtype=object)[np.rint(places).astype(np.int64)]
        words = amap.blocks[self.by].iloc[rows].astype("object").to_numpy()
        names, which = np.unique(np.where(pd.isna(words), "", words).astype("str"), return_inverse=True)
        return np.array([self._colour(str(name)) for name in names], dtype=object)[which]

    def legend(self, maps: Sequence[AttemptMap]) -> list[tuple[str, str]]:
        """Return (label, colour) of what the maps show, the most frequent first; empty where colours are many."""
        if self.scale or self.by == "name":
            return []
        counts = pd.concat([one.blocks[self.by].astype("str") for one in maps]).fillna("").value_counts()
        return [
            (str(name) or (_NO_OPERATOR if self.by == "op_type" else "not known"), self._colour(str(name)))
            for name in counts.index
            if name != "failed"
        ]

    def key(self) -> str:
        """Return the scale of colours as plotly text, "" where colours are no numbers."""
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
            return palette(self.theme).trouble if name == "failed" else _STATUS.get(name, palette(self.theme).muted)
        return self.own.get(name) or (name_color(name) if name else palette(self.theme).warmup)


def _change_colour(word: str, theme: str) -> str:
    """Return the colour of what became of a block: red for more, green for less, grey for the same."""
    colours = palette(theme)
    known = {
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
    return known.get(word, colours.missing)


def _distinct(maps: Sequence[AttemptMap], by: str) -> Mapping[str, str]:
    """Return type -> colour, no two the same while there are colours; a type keeps its own where it can."""
    names = sorted({str(name) for one in maps for name in one.blocks[by].dropna().unique()})
    colours: dict[str, str] = {}
    for name in names:
        free = [colour for colour in CATEGORICAL if colour not in colours.values()]
        wanted = name_color(name)
        colours[name] = wanted if wanted in free or not free else free[0]
    return MappingProxyType(colours)


def patterns(blocks: pd.DataFrame, rows: Ints) -> Colours:
    """Return the patterns of the rows at positions `rows` of frame `allocations`."""
    names = blocks["kind"].cat.categories.astype("str")
    shapes = np.array([*(PATTERNS.get(name, "") for name in names), ""], dtype=object)
    return np.asarray(shapes[blocks["kind"].cat.codes.to_numpy()[rows]])


def lifetimes(amap: AttemptMap) -> npt.NDArray[np.float64]:
    """Return for how many steps each block of a map is alive."""
    parts = amap.segments
    return np.bincount(parts.row, weights=parts.end - parts.start, minlength=len(amap.blocks)).astype(np.float64)


def _numbers(amap: AttemptMap, by: str) -> npt.NDArray[np.float64]:
    """Return each block's size in bytes or its lifetime in steps."""
    return lifetimes(amap) if by == "lifetime" else amap.blocks["size"].to_numpy(np.float64)
