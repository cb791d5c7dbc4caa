"""Iterations on a timeline: a row on top, lines at their starts, a band behind the selected
iteration.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from components.contrast import choose_ink
from components.numbers import shorten
from components.theme import FADE, fade, palette, phase_color
from components.timeline.bars import Scene
from components.timeline.packed import pack_flags, pack_numbers

_MAX_BOUNDARIES = 40
"""If more iterations are in view, their starts get no lines."""
_HATCHED_SHARE = 0.3
"""Share of a hatched bar's area that is painted."""


def iteration_record(scene: Scene, origin: int) -> dict[str, Any] | None:
    """Build the columns of the top row: a bar per iteration in the window, as in `Part.record`.

    `number` is the number of each iteration, `partial` is set if the capture ended inside it, and
    `inks` has the colours of a phase's text on a solid, a faded, a hatched and a faded hatched bar.
    None without iterations.
    """
    frame = scene.iterations
    if not len(frame):
        return None
    unordered = frame["first_start"].to_numpy(np.int64)
    order = np.argsort(unordered, kind="stable")
    start = unordered[order]
    end = frame["last_end"].to_numpy(np.int64)[order]
    number = frame["iteration"].to_numpy(np.int64)[order]
    texts = frame["phase"].to_numpy(object)[order].astype(str)
    phases, phase = np.unique(texts, return_inverse=True)
    colours = [phase_color(name, scene.theme) for name in phases.tolist()]
    chosen = scene.selection.iteration
    return {
        "names": [shorten(name) for name in phases.tolist()],
        "colours": colours,
        "inks": [_inks(colour, palette(scene.theme).panel) for colour in colours],
        "gap": pack_numbers(np.diff(start, prepend=origin)),
        "length": pack_numbers(end - start),
        "name": pack_numbers(phase),
        "number": pack_numbers(number),
        "partial": pack_flags(~frame["complete"].to_numpy(bool)[order]),
        "faded": pack_flags((number != chosen) & (chosen is not None)),
    }


def _inks(colour: str, ground: str) -> list[str]:
    """Choose the colours of text on a solid, a faded, a hatched and a faded hatched bar."""
    # A hatched bar lets most of the ground through, which decides the colour of its text.
    shares = (1.0, FADE, _HATCHED_SHARE, _HATCHED_SHARE * FADE)
    return [choose_ink(colour, ground, share) for share in shares]


def iteration_marks(scene: Scene) -> list[dict[str, Any]]:
    """Build the shapes of a line at the start of each iteration in the window, if they are at most
    40, and of a band behind the selected iteration.
    """
    frame = scene.iterations
    colours = palette(scene.theme)
    line = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
    shapes: list[dict[str, Any]] = []
    if len(frame) <= _MAX_BOUNDARIES:
        style = {"color": colours.border, "width": 1, "dash": "dot"}
        shapes = [line | {"x0": int(x), "x1": int(x), "line": style} for x in frame["first_start"]]
    times = [frame[name].to_numpy(np.int64) for name in ("first_start", "last_end")]
    chosen = np.flatnonzero(frame["iteration"].to_numpy() == scene.selection.iteration)
    for begin, end in zip(*(time[chosen].tolist() for time in times), strict=True):
        band = {
            "type": "rect",
            "x0": begin,
            "x1": end,
            "fillcolor": fade(colours.selection, 0.05),
        }
        shapes.append(line | band | {"line": {"width": 0}})
    return shapes
