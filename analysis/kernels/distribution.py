"""Distributions of durations: histograms, empirical distribution functions, quantiles per group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from schema.array_types import Floats, Ints

_MIN_BINS = 10
"""Minimum number of bins of a histogram, or as many as there are values."""
_QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
QUANTILE_NAMES = ("minimum", "p5", "p25", "median", "p75", "p95", "maximum")


@dataclass(frozen=True)
class Summary:
    """Number, sum, median and 95th percentile of durations in ticks; None without durations."""

    n: int
    total: int
    median: float | None
    p95: float | None


def summary(durations: pd.Series[Any]) -> Summary:
    """Summarise a series of durations (ticks); nulls do not count.

    Without durations n and total are 0, median and p95 None.
    """
    values = known_durations(durations)
    if not len(values):
        return Summary(0, 0, None, None)
    median, p95 = np.quantile(values, [0.5, 0.95])
    return Summary(len(values), int(values.sum()), float(median), float(p95))


def known_durations(durations: pd.Series[Any]) -> Floats:
    """Return the durations without nulls, float64, in order."""
    values: Floats = durations.to_numpy(dtype=np.float64, na_value=np.nan)
    return values[~np.isnan(values)]


def bin_edges(values: npt.ArrayLike, most: int = 60) -> Ints:
    """Compute integer bin edges (ticks), ascending and an edge more than bins, that cover all
    values in at most `most` bins (3 or more); [0, 1] without values.

    The width is a round number (1, 2 or 5 times a power of ten) near the rule of Freedman and
    Diaconis, but not wider than a tenth of the range (_MIN_BINS), or than the range by few values.
    """
    data = np.asarray(values, dtype=np.float64)
    if not len(data):
        return np.array([0, 1], dtype=np.int64)
    low = data.min()
    high = data.max()
    spread = float(np.subtract(*np.quantile(data, [0.75, 0.25])))
    rule = 2 * spread / np.cbrt(len(data))
    # Kernels of different lengths spread so far that the rule would put them into two or three bins.
    rule = min(rule, (high - low) / min(_MIN_BINS, len(data)))
    # Aligned bins may stick out at both ends, so that two bins fewer have to cover the values.
    width = _round_up(max(1.0, rule, (high - low) / (most - 2)))
    first = int(low // width) * width
    bins = int((high - first) // width) + 1
    return first + width * np.arange(bins + 1, dtype=np.int64)


def _round_up(width: float) -> int:
    """Round a width (at least 1) up to an integer of 1, 2 or 5 times a power of ten."""
    power = 10 ** int(np.floor(np.log10(width)))
    # The tolerance keeps a width that is a round number except for rounding errors.
    return int(next(step * power for step in (1, 2, 5, 10) if step * power >= width * (1 - 1e-9)))


def histogram(values: npt.ArrayLike, edges: Ints) -> Ints:
    """Count the values in each bin [edge, next edge); values outside all bins do not count.

    An element less than edges.
    """
    at = np.searchsorted(edges, np.asarray(values, dtype=np.float64), side="right") - 1
    inside = at[(at >= 0) & (at < len(edges) - 1)]
    return np.bincount(inside, minlength=len(edges) - 1).astype(np.int64)


def ecdf(values: npt.ArrayLike, points: int = 400) -> tuple[Floats, Floats]:
    """Compute the empirical distribution function: durations, ascending, and the share (0 to 1) of
    values up to each.

    At most `points` durations are returned, including both ends; two empty arrays without values.
    """
    data = np.sort(np.asarray(values, dtype=np.float64))
    if not len(data):
        return data, data
    at = np.unique(np.linspace(0, len(data) - 1, min(points, len(data))).round().astype(np.int64))
    shown = np.unique(data[at])
    return shown, np.searchsorted(data, shown, side="right") / len(data)


def group_quantiles(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Compute n, minimum, p5, p25, median, p75, p95 and maximum of the durations (ticks), a row
    per distinct value of `column`, sorted by it.

    Rows with a null in either are ignored; a frame without rows if no row is left.
    """
    part = frame[[column, "duration"]].dropna()
    if not len(part):
        return pd.DataFrame(
            {name: pd.Series([], dtype="float64") for name in (column, "n", *QUANTILE_NAMES)}
        )
    code, groups = pd.factorize(part[column], sort=True)
    data = part["duration"].to_numpy(dtype=np.float64)
    order = np.lexsort((data, code))
    data = data[order]
    counts = np.bincount(code)
    table = {column: np.asarray(groups), "n": counts}
    table |= {
        name: sorted_quantile(data, counts, q)
        for name, q in zip(QUANTILE_NAMES, _QUANTILES, strict=True)
    }
    return pd.DataFrame(table)


def sorted_quantile(values: npt.NDArray[Any], counts: Ints, share: float) -> Floats:
    """Compute the quantile `share` (0 to 1) per group with linear interpolation; NaN for a group
    without values.

    `values` are sorted by group, then by size; `counts` has the number of values per group.
    """
    some = counts > 0
    first = (np.cumsum(counts) - counts)[some]
    last = np.cumsum(counts)[some] - 1
    place = first + share * (last - first)
    low = np.floor(place).astype(np.int64)
    below = values[low].astype(np.float64)
    above = values[np.minimum(low + 1, last)].astype(np.float64)
    quantiles = np.full(len(counts), np.nan)
    quantiles[some] = below + (place - low) * (above - below)
    return quantiles
