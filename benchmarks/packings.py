"""Families of problems that are known to fit: cut rectangles, and relatives of problems.

All are drawn by a seed; they test the search on more than the few well-known problems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

import numpy as np
import pandas as pd

Pieces = list[tuple[int, int, int]]
"""Start, end and bytes of blocks."""

_STEPS = 400
"""Steps of a rectangle."""
_THINNED = 0.08
"""Share of the blocks that is left out.

Of the rest, no block can be placed badly for long.
"""


def cut_families(size: int, seeds: range) -> Iterator[tuple[str, Pieces]]:
    """Yield names and blocks of rectangles of steps x `size` bytes that were cut up and thinned."""
    for name, cut in _CUTS.items():
        for seed in seeds:
            draw = np.random.default_rng(seed)
            pieces = cut(draw, size)
            yield f"{name} {seed}", [piece for piece in pieces if draw.random() >= _THINNED]


def relatives(allocations: pd.DataFrame, seed: int) -> Iterator[tuple[str, Pieces]]:
    """Yield relatives of a problem: reversed in time, smaller, and with blocks cut in two.

    They fit into any memory into which the problem fits.
    """
    draw = np.random.default_rng(seed)
    rows = allocations[["start", "end", "size"]].to_numpy(np.int64)
    last = int(rows[:, 1].max())
    yield (
        "backwards",
        _shuffle(draw, [(last - end, last - start, size) for start, end, size in rows.tolist()]),
    )
    smaller = np.where(draw.random(len(rows)) < 0.1, rows[:, 2] * 3 // 4, rows[:, 2])
    yield (
        "smaller",
        _shuffle(
            draw, list(zip(rows[:, 0].tolist(), rows[:, 1].tolist(), smaller.tolist(), strict=True))
        ),
    )
    halves: Pieces = []
    for start, end, size in rows.tolist():
        halves += _cut_in_two(draw, start, end, size)
    yield "cut in two", _shuffle(draw, halves)


def _guillotine(draw: np.random.Generator, size: int) -> Pieces:
    """Cut a rectangle in two again and again, the largest piece first."""
    return [(start, end, tall) for start, end, tall in _cut(draw, [(0, _STEPS, size)], 160)]


def _strips(draw: np.random.Generator, size: int) -> Pieces:
    """Cut a rectangle into strips, and the strips into many short lifetimes."""
    heights = np.diff(
        [0, *np.sort(draw.choice(np.arange(1, size // 64), 9, replace=False)) * 64, size]
    )
    strips = []
    for tall in heights.tolist():
        borders = [
            0,
            *np.sort(draw.choice(np.arange(1, _STEPS), 24, replace=False)).tolist(),
            _STEPS,
        ]
        strips += [(start, end, tall) for start, end in pairwise(borders)]
    return strips


def _layers(draw: np.random.Generator, size: int) -> Pieces:
    """Cut a rectangle into windows of time, each with long blocks above shorter blocks."""
    pieces: Pieces = []
    for start in range(0, _STEPS, 80):
        through = 64 * int(draw.integers(1, size // 128))
        pieces += [(start, start + 80, part) for part in _halves(draw, through, 4)]
        for inner in range(start, start + 80, 20):
            pieces += _cut(draw, [(inner, inner + 20, size - through)], 8)
    return pieces


_CUTS: Mapping[str, Callable[[np.random.Generator, int], Pieces]] = {
    "guillotine": _guillotine,
    "strips": _strips,
    "layers": _layers,
}


def _cut(draw: np.random.Generator, pieces: Pieces, count: int) -> Pieces:
    while len(pieces) < count:
        pieces.sort(key=lambda piece: (piece[1] - piece[0]) * piece[2])
        start, end, tall = pieces.pop()
        # Below 128 bytes, two parts of 64 bytes do not fit, so that only the time can be cut.
        if end - start > 1 and (tall < 128 or draw.random() < 0.5):
            at = int(draw.integers(start + 1, end))
            pieces += [(start, at, tall), (at, end, tall)]
        else:
            pieces += [(start, end, part) for part in _halves(draw, tall, 2)]
    return pieces


def _halves(draw: np.random.Generator, tall: int, count: int) -> list[int]:
    """Split a height into `count` parts, all but one multiples of 64 bytes."""
    borders = (
        np.sort(draw.choice(np.arange(1, max(tall // 64, count)), count - 1, replace=False)) * 64
    )
    return [int(part) for part in np.diff([0, *borders.tolist(), tall]) if part > 0]


def _cut_in_two(draw: np.random.Generator, start: int, end: int, size: int) -> Pieces:
    if end - start < 2 or draw.random() > 0.05:
        return [(start, end, size)]
    at = int(draw.integers(start + 1, end))
    return [(start, at, size), (at, end, size)]


def _shuffle(draw: np.random.Generator, pieces: Pieces) -> Pieces:
    return [pieces[at] for at in draw.permutation(len(pieces)).tolist()]
