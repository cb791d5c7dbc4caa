"""Legend of the colours of kernels and iterations, in a line above a capture's timeline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from components.numbers import plain
from components.theme import palette, phase_color
from components.timeline.bars import Part, Scene

_MAX_KINDS = 6
"""Kinds of kernels in the legend, the most frequent."""
_PHASES = {"warmup": "warm-up", "perf": "measured", "extra": "extra"}
"""Phase -> words in the legend."""


def legend(scene: Scene, parts: Sequence[Part]) -> list[dict[str, Any]]:
    """Build the legend of phases and kinds of kernel in view as a single plotly annotation, in a
    list.

    Empty for a profile, and if there is no entry. Lanes of events are labelled, and a profile's
    kernels have a colour each, so that neither needs an entry.
    """
    if scene.data.named:
        return []
    groups = (
        ("iterations", [*_phases(scene)]),
        ("kernels", [entry for part in parts for entry in _kinds(part)]),
    )
    # What a group shares is said once, so that the line fits on a narrow page.
    text = "   ".join(f"{name}: {_marks(entries)}" for name, entries in groups if entries)
    place = {
        "xref": "paper",
        "yref": "paper",
        "x": 1,
        "y": 1,
        "xanchor": "right",
        "yanchor": "bottom",
    }
    font = {"size": 11, "color": palette(scene.theme).muted}
    return [{"text": text, "showarrow": False, "font": font, **place}] if text else []


Entry = tuple[str, str, str]
"""Mark, colour and label."""


def _marks(entries: Sequence[Entry]) -> str:
    return " ".join(
        f'<span style="color:{colour}">{mark}</span> {label}' for mark, colour, label in entries
    )


def _phases(scene: Scene) -> Iterator[Entry]:
    # From the array: pandas takes a millisecond for the distinct values of a column.
    for phase in dict.fromkeys(scene.iterations["phase"].array.dropna().tolist()):
        yield "■", phase_color(str(phase), scene.theme), plain(_PHASES.get(str(phase), phase), 24)


def _kinds(part: Part) -> Iterator[Entry]:
    """Yield an entry (mark, colour, label) per kind of kernel in a part, most frequent first, at
    most six; a merged bar counts for the kind with the most of its busy time.

    A part of kernels left out has a single entry, a part of events has no entry.
    """
    if part.role == "left out" and len(part.rects):
        yield "▨", palette(part.scene.theme).trouble, "left out"
    if part.role != "kernel" or not len(part.rects):
        return
    codes, count = np.unique(part.rects.name, return_counts=True)
    for code in codes[np.argsort(-count, kind="stable")][:_MAX_KINDS].tolist():
        label = "no name" if code < 0 else plain(part.index.names[code], 24)
        yield "■", part.color(code), label
