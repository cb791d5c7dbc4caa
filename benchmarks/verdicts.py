"""Error rates of verdicts: simulated pairs of runs, compared by the rule of comparisons."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable

import numpy as np

from analysis.comparison.rows import RowTopic
from analysis.comparison.sampled import Samples, sampled_row
from benchmarks.report import note
from schema.array_types import Floats
from schema.comparison import CAPTURE

World = Callable[[np.random.Generator, int], Floats]
"""Function that draws `count` iteration rates of a capture."""

_RATE = CAPTURE["gmacs_mean"]
_CHANGES = (0.0, -0.02, -0.05)
"""Relative changes of the rate."""
_WORDS = ("regressed", "unchanged", "undecided")


def quiet(noise: float) -> World:
    """Return a function that draws independent iterations with relative noise `noise`."""
    return lambda draw, count: np.exp(noise * draw.standard_normal(count))


def apart(draw: np.random.Generator, count: int) -> Floats:
    """Draw `count` independent relative rates (around 1) of the iterations of a capture; captures
    differ by 0.5 %.
    """
    values: Floats = np.exp(0.01 * draw.standard_normal(count) + 0.005 * draw.standard_normal())
    return values


def rough(draw: np.random.Generator, count: int) -> Floats:
    """Draw `count` relative rates (around 1) of the iterations of a capture, with correlation 0.5
    and 3 % outliers of -26 %; captures differ by 0.5 %.
    """
    noise = draw.standard_normal(count)
    for at in range(1, count):
        # sqrt(1 - 0.5^2) keeps the variance at 1.
        noise[at] = 0.5 * noise[at - 1] + np.sqrt(0.75) * noise[at]
    odd = np.where(draw.random(count) < 0.03, -0.3, 0.0)
    values: Floats = np.exp(0.01 * noise + 0.005 * draw.standard_normal() + odd)
    return values


def shares(
    world: World, runs: tuple[int, int], count: int, change: float, pairs: int
) -> dict[str, float]:
    """Return the share of each verdict among `pairs` simulated comparisons.

    `runs` are the numbers of runs on both sides, each with `count` iterations.
    """
    draw = np.random.default_rng(7)
    verdicts: Counter[str] = Counter()
    for _ in range(pairs):
        base = [_samples(world(draw, count)) for _ in range(runs[0])]
        new = [_samples((1 + change) * world(draw, count)) for _ in range(runs[1])]
        shown = (_mean(base), _mean(new))
        row = sampled_row(RowTopic(_RATE, threshold=_RATE.threshold), base, new, shown)
        verdicts[row.judged.verdict] += 1
    return {word: verdicts[word] / pairs for word in _WORDS}


def _mean(side: list[Samples]) -> float:
    return float(np.mean([run.values.mean() for run in side]))


def _samples(values: Floats) -> Samples:
    return Samples(values, np.arange(len(values)))


WORLDS: tuple[tuple[str, World, tuple[int, int], int], ...] = (
    ("noise 0.5 %", quiet(0.005), (1, 1), 6),
    ("noise 1 %", quiet(0.01), (1, 1), 6),
    ("noise 1 %", quiet(0.01), (1, 1), 20),
    ("correlated, captures differ, odd ones", rough, (1, 1), 6),
    ("correlated, captures differ, odd ones", rough, (1, 1), 20),
    ("5 runs against 5", apart, (5, 5), 6),
    ("a baseline of 5 runs", apart, (5, 1), 6),
    ("a baseline of 10 runs", apart, (10, 1), 6),
)
"""Rows of the table: name, how iterations are drawn, runs on both sides, iterations of a run."""


def main() -> None:
    """Print a table with the percentages of each verdict by world, iterations and change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=2000)
    pairs = parser.parse_args().pairs
    note(
        f"{pairs} pairs a row; percent {' / '.join(_WORDS)}; threshold {100 * _RATE.threshold:g} %"
    )
    for name, world, runs, count in WORLDS:
        cells = []
        for change in _CHANGES:
            rates = shares(world, runs, count, change, pairs)
            cell = " / ".join(f"{100 * rates[word]:.1f}" for word in _WORDS)
            cells.append(f"{100 * change:+.0f} %: {cell}")
        note(f"{name}, n = {count}: " + "; ".join(cells))


if __name__ == "__main__":
    main()
