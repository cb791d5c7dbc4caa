"""Bars of a memory map: a plotly trace per colour and pattern, however many blocks there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from components.contrast import choose_ink
from components.figure import compact
from components.memory.axis import PLOT_PX
from components.memory.boxes import Boxes
from components.memory.colours import Colouring, Colours, patterns
from components.memory.hover import block_hovers, merged_hovers, names_shown
from components.memory.levels import Level
from components.theme import FADE, MONO, fade, palette
from schema.array_types import Bools, Ints

_FAINTEST, _STRONGEST = 0.25, 0.8
"""Opacity of merged bars over an almost empty and over a full area."""
_TEXT_SIZE, _TEXT_PX, _CHARACTER_PX, _PAD_PX = 10, 18, 6.1, 8
_MIN_NAME_LENGTH = 9
"""Minimum number of characters of a cut name; shorter pieces do not identify a block."""
_MAX_TEXTS = 400
"""Maximum number of names that are drawn on a map."""
_PATTERN_PX = 5
"""Minimum height of a bar with a pattern, in pixels: patterns in flatter bars look like noise."""
_EDGE_PX = 4
"""Minimum size of a bar with an edge, in pixels."""
_INSET = 0.5
"""Part of its address range that the bar of a block in shared storage fills."""
_TEXT = {
    "textposition": "inside",
    "insidetextanchor": "middle",
    "textangle": 0,
    "constraintext": "inside",
}
_HOVER = "%{hovertext}<extra></extra>"


@dataclass(frozen=True)
class _Look:
    """Appearance that all boxes of a trace share: status, colour, pattern, and if they are held."""

    status: str
    colour: str
    pattern: str = ""
    held: bool = False

    @property
    def has_addresses(self) -> bool:
        """Whether the blocks of this look have an address: their status is neither failed nor
        unplaced.
        """
        return self.status not in {"failed", "unplaced"}

    @property
    def height(self) -> float:
        """Fraction of its address range that a bar of this look fills: 0.5 for blocks in shared
        storage, so that the owner below stays visible, else 1.
        """
        return _INSET if self.status == "shared" else 1.0

    @property
    def layer(self) -> int:
        """Drawing order: 0 for normal blocks, 1 for held blocks, 2 for blocks in shared storage."""
        return 2 if self.status == "shared" else int(self.held)

    def ink(self, theme: str) -> str:
        """Choose the text colour (#rrggbb) on the boxes of this look: black or white, whichever is
        readable.

        Blocks without an address are almost transparent, so that their text has the block's colour
        if it failed, else the theme's.
        """
        if self.has_addresses:
            return choose_ink(self.colour)
        return self.colour if self.status == "failed" else palette(theme).ink


def place_bars(boxes: Boxes, axis: str, height: float = 1.0) -> dict[str, Any]:
    """Build a bar trace of the boxes on the y axis named `axis` (y, y2, ...).

    A bar fills the fraction `height` of its address range, around its middle.
    """
    tall = boxes.high - boxes.low
    return {
        "type": "bar",
        "orientation": "h",
        "yaxis": axis,
        "base": compact(boxes.start),
        "x": compact(boxes.end - boxes.start),
        "y": boxes.low + tall / 2,
        "width": compact(tall) if height == 1 else tall * height,
        "showlegend": False,
    }


@dataclass(frozen=True)
class Bars:
    """The boxes of a map with their appearance.

    `steps_px` is the approximate width of a step in pixels. `lit` is a mask of the blocks that are
    not faded; None means that no block is faded. Faded blocks have no names unless `names_faded`.
    """

    level: Level
    colouring: Colouring
    steps_px: float
    lit: Bools | None
    theme: str
    names_faded: bool = False

    @property
    def amap(self) -> AttemptMap:
        """The memory map of these boxes."""
        return self.level.amap

    def traces(self) -> list[dict[str, Any]]:
        """Build the traces in drawing order: merged bars, then single blocks by layer; empty
        without boxes.
        """
        single = self.level.boxes.row >= 0
        merged = self.level.boxes.take(~single)
        named = self.level.boxes.take(single)
        traces = [self._merged_bars(merged)] if len(merged) else []
        if not len(named):
            return traces
        hover = block_hovers(self.amap, named.row)
        text = self._texts(named)
        custom = self._custom(named)
        looks = [*self._looks(named)]
        traces += [
            self._borrowed_range(named.take(chosen), look)
            for chosen, look in looks
            if look.status == "shared"
        ]
        for chosen, look in looks:
            part = named.take(chosen)
            bars = place_bars(part, self.level.axis, look.height) | {
                "marker": self._marker(part, look)
            }
            if (text[chosen] != "").any():
                font = {"family": MONO, "size": _TEXT_SIZE, "color": self._name_inks(part, look)}
                bars |= _TEXT | {"text": text[chosen], "insidetextfont": font}
            traces.append(
                bars
                | {
                    "hovertext": hover[chosen],
                    "customdata": custom[chosen],
                    "hovertemplate": _HOVER,
                }
            )
        return traces

    def _borrowed_range(self, boxes: Boxes, look: _Look) -> dict[str, Any]:
        """Build bars over the whole address ranges of blocks in shared storage, below all other bars:
        without them the range looks free after its owner has ended.
        """
        marker = {"color": fade(look.colour, _FAINTEST), "line": {"width": 0}}
        opacity = {} if self.lit is None else {"opacity": self._emphasis(boxes)}
        bars = place_bars(boxes, self.level.axis) | {"marker": marker | opacity}
        return bars | {"hoverinfo": "skip"}

    def inks(self, boxes: Boxes) -> Colours:
        """Compute the text colour of each box of a single block, as an array of objects."""
        pairs = zip(self._words("status", boxes), self._colours(boxes), strict=True)
        return np.array([*(_Look(*pair).ink(self.theme) for pair in pairs), ""], dtype=object)[:-1]

    def _colours(self, boxes: Boxes) -> Colours:
        """Compute the colour of each box of a single block, as an array of objects; failed blocks
        are always red.
        """
        failed = self._words("status", boxes) == "failed"
        return np.where(
            failed, palette(self.theme).trouble, self.colouring.colours(self.amap, boxes.row)
        )

    def _looks(self, named: Boxes) -> Iterator[tuple[Ints, _Look]]:
        """Yield (positions of boxes with the same look, that look), lowest layer first."""
        tall = (named.high - named.low) * self.level.bytes_px >= _PATTERN_PX
        status = self._words("status", named)
        pattern = np.where(status == "unplaced", ".", patterns(self.amap.blocks, named.row))
        held = self._spans_all_steps[named.row] & (status == "placed")
        keys = [status, self._colours(named), np.where(tall, pattern, ""), held]
        code, distinct = pd.factorize(pd.MultiIndex.from_arrays(keys))
        looks = [_Look(*key) for key in distinct]
        for number in sorted(range(len(looks)), key=lambda n: looks[n].layer):
            yield np.flatnonzero(code == number), looks[number]

    def _words(self, column: str, boxes: Boxes) -> Colours:
        return np.asarray(self.amap.blocks[column].astype("object").to_numpy()[boxes.row])

    def _custom(self, boxes: Boxes) -> Colours:
        """Build the customdata of a click: [attempt, block] per box."""
        custom = np.full((len(boxes), 2), self.amap.number, dtype=object)
        custom[:, 1] = self.amap.blocks["block"].to_numpy(np.int64)[boxes.row]
        return custom

    def _marker(self, boxes: Boxes, look: _Look) -> dict[str, Any]:
        """Build the plotly marker of bars with the same look: fill, edges, opacity and pattern."""
        # Each trace has a single colour, because plotly is slow with a colour per bar.
        fill = look.colour if look.has_addresses else fade(look.colour, 0.15)
        marker: dict[str, Any] = {"color": fill, "line": self._edges(boxes, look)}
        if self.lit is not None:
            marker["opacity"] = self._emphasis(boxes)
        if look.pattern:
            hatch = {"shape": look.pattern, "fillmode": "overlay", "size": 7, "solidity": 0.12}
            marker["pattern"] = hatch | {"fgcolor": fade(look.ink(self.theme), 0.4)}
        return marker

    def _name_inks(self, boxes: Boxes, look: _Look) -> str | Colours:
        """Choose the colour of the names on bars with the same look: on faded bars the theme's ink,
        because the ground shows through them.
        """
        ink = look.ink(self.theme)
        if self.lit is None or not self.names_faded:
            return ink
        return np.where(self.lit[boxes.row], ink, palette(self.theme).ink).astype(object)

    def _edges(self, boxes: Boxes, look: _Look) -> dict[str, Any]:
        """Choose the line around bars with the same look.

        Placed blocks have a fine line in the background's colour, held blocks a strong one, and
        blocks without an address a line in their own colour.
        """
        if not look.has_addresses:
            # Also on thin bars: their fill is almost transparent, and the line has its colour.
            return {"color": look.colour, "width": 1.2}
        theme = palette(self.theme)
        if look.held:
            return {"color": theme.ink, "width": self._thin(boxes, 1.6)}
        return {
            "color": theme.panel if self.colouring.scale is None else theme.border,
            "width": self._thin(boxes, 0.7),
        }

    @cached_property
    def _spans_all_steps(self) -> Bools:
        """Mask of the blocks that are held over all steps, without constants, which always are."""
        blocks = self.amap.blocks
        return np.asarray(
            blocks["hold"].to_numpy(bool) & (blocks["kind"] != "constant").to_numpy(bool)
        )

    def _thin(self, boxes: Boxes, width: float) -> float | np.ndarray:
        """Return the width of edges in pixels: `width`, or an array with 0 for each bar so small
        that an edge would hide it.
        """
        large = self.have_room_for_edges(boxes)
        return width if large.all() else np.where(large, width, 0.0)

    def have_room_for_edges(self, boxes: Boxes) -> Bools:
        """Compute the mask of the boxes that are large enough for edges."""
        return have_room_for_edges(boxes, self.level.bytes_px, self.steps_px)

    def _emphasis(self, boxes: Boxes) -> float | np.ndarray:
        """Compute the opacity of each box: 1 if its block is lit, else FADE; 1 for all if `lit` is
        None.

        Otherwise merged boxes are never lit.
        """
        if self.lit is None:
            return 1.0
        return np.where((boxes.row >= 0) & self.lit[boxes.row], 1.0, FADE).astype(np.float32)

    def _merged_bars(self, boxes: Boxes) -> dict[str, Any]:
        """Build the bar trace of boxes that merge several blocks: the fuller their area, the more
        opaque, from 0.25 to 0.8.
        """
        area = (boxes.end - boxes.start).astype(np.float64) * (boxes.high - boxes.low)
        full = np.minimum(boxes.bytes / np.maximum(area, 1), 1)
        opacity = (_FAINTEST + (_STRONGEST - _FAINTEST) * full) * self._emphasis(boxes)
        addresses = (boxes.low - boxes.floor, boxes.high - boxes.floor)
        return place_bars(boxes, self.level.axis) | {
            "hovertext": merged_hovers(boxes.count, (boxes.start, boxes.end), addresses),
            "hovertemplate": _HOVER,
            "marker": {
                "color": palette(self.theme).muted,
                "opacity": opacity,
                "line": {"width": 0},
            },
        }

    def _texts(self, named: Boxes) -> Colours:
        """Choose the name to write on each box, as an array of objects; "" if the name does not fit
        or the block is faded (see `names_faded`).

        At most 400 names (_MAX_TEXTS) are written, on the boxes with most room. A long name is cut.
        """
        # A bar is visible for at most the width of the plot.
        wide = np.minimum(named.end - named.start, PLOT_PX / self.steps_px) * self.steps_px
        room = np.maximum((wide - _PAD_PX) / _CHARACTER_PX, 0).astype(np.int64)
        # If only a part of a block is in view, the middle of its bar, and with it the name, may not
        # be.
        middle = (named.low + named.high) / 2
        inside = np.minimum(middle - self.level.view[0], self.level.view[1] - middle)
        tall = np.minimum((named.high - named.low), 2 * inside) * self.level.bytes_px
        tall = np.where(self._words("status", named) == "shared", tall * _INSET, tall)
        names = self.amap.blocks["name"].iloc[named.row]
        fits = (tall >= _TEXT_PX) & (
            room >= np.minimum(names.str.len().to_numpy(np.int64), _MIN_NAME_LENGTH)
        )
        if self.lit is not None and not self.names_faded:
            fits &= self.lit[named.row]
        chosen = np.flatnonzero(fits)
        chosen = chosen[np.argsort(-(room * tall)[chosen], kind="stable")[:_MAX_TEXTS]]
        texts = np.full(len(named), "", dtype=object)
        for at, name, limit in zip(
            chosen.tolist(), names.iloc[chosen].tolist(), room[chosen].tolist(), strict=True
        ):
            texts[at] = names_shown([name], limit)[0]
        return texts


def have_room_for_edges(boxes: Boxes, bytes_px: float, steps_px: float) -> Bools:
    """Compute the mask of the boxes of at least 4 px (_EDGE_PX) in both directions, from the pixels
    of a byte and of a step.

    The edges of smaller boxes would cover their colours, and those of many the whole map.
    """
    is_tall = (boxes.high - boxes.low) * bytes_px >= _EDGE_PX
    is_wide = (boxes.end - boxes.start) * steps_px >= _EDGE_PX
    return np.asarray(is_tall & is_wide, dtype=np.bool_)
