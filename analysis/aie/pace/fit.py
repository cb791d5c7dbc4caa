"""Fit the structure of coupled cores: buffers of each stream, its lag, and its own pace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.aie.pace.kernel_times import KernelTimes
from analysis.aie.pace.stall_fit import (
    AGREE,
    Fit,
    StreamTimes,
    add_siblings,
    first_guess,
    reduce_fit,
    rounds,
    select_samples,
)
from analysis.aie.pace.streams import Family, release_times
from schema.array_types import Bools, Floats

MAX_DEPTH = 4
"""Most buffers of a stream."""
_PER_BUFFER = 0.01
"""Relative cost of each buffer: without it deeper structures win by chance."""
_SINGLE = 1.05
"""Factor on the cost of a stream with one buffer.

A stream that is late by itself looks nearly the same.
"""
_MAX_REDUCED = 8
"""Numbers of buffers that are fitted to the end."""


@dataclass(frozen=True)
class Structure:
    """How cores wait for streams: for each family the number of buffers, and per stream its times.

    A block arrives `lags` after all cores of the stream let a buffer go, and `paces` after the
    stream's block before; -inf if the stream never holds a core up so. `shifts` (choices x cores:
    lags of each family, then paces) is how much later than the others a core sees these times, as
    timers differ. `cost` is the mean error of the predicted ends of stalls, in ticks.
    """

    families: tuple[Family, ...]
    depths: tuple[int, ...]
    lags: tuple[Floats, ...]
    paces: tuple[Floats, ...]
    shifts: Floats
    cost: float


def fit_structure(times: KernelTimes, families: tuple[Family, ...], own: Bools) -> Structure | None:
    """Fit lags and paces for all numbers of buffers from 1 to MAX_DEPTH (4), and return the
    structure with the least cost.

    `own` flags stalls (rows x cores x kernels) that no stream explains. None if no other kernel
    waited, or there are fewer than 3 kernels.
    """
    deepest = min(MAX_DEPTH, times.end.shape[2] - 2)
    if deepest < 1 or not (times.is_stalled & ~own)[..., 1:].any():
        return None
    tables = [StreamTimes.of(times, family, deepest) for family in families]
    streams = sum(len(family.names) for family in families)
    # All are compared by the same kernels. Waits for a core that starts late come at the first of
    # them: no block that has more buffers than that explains these.
    samples = {
        depths: select_samples(times, tables, depths, own, 1)
        for depths in _combinations(len(families), deepest)
    }
    rough = {depths: rounds(sample, first_guess(sample)) for depths, sample in samples.items()}
    # Parameters that are not needed spoil the rough cost of most, so that only the order of costs counts.
    promising = sorted(rough, key=lambda depths: rough[depths].cost)[:_MAX_REDUCED]
    fits = {depths: reduce_fit(samples[depths], rough[depths], streams) for depths in promising}
    sizes = [len(family.names) for family in families]
    best = min(fits, key=lambda depths: _penalized_cost(fits[depths], depths, sizes))
    return _structure(families, best, add_siblings(samples[best], fits[best], sizes))


def _penalized_cost(fit: Fit, depths: tuple[int, ...], sizes: Sequence[int]) -> float:
    """Return the fit's cost (ticks) raised by 1 % per buffer, and by 5 % for each family with a
    single buffer that takes part. `sizes` has the number of streams of each family.
    """
    cost = fit.cost * (1 + _PER_BUFFER * sum(depths))
    first = 0
    for depth, size in zip(depths, sizes, strict=True):
        if depth == 1 and fit.active[first : first + size].any():
            cost *= _SINGLE
        first += size
    return cost


def fit_common(times: KernelTimes, family: Family, own: Bools) -> Structure | None:
    """Fit a single lag after the last end of all cores, for 1 to MAX_DEPTH (4) buffers.

    None if no kernel waited, or if the lag is beyond AGREE (30 ticks) for every number of buffers.
    """
    kernels = times.end.shape[2]
    latest = family.latest(times.end)
    first = min(MAX_DEPTH, kernels - 2)
    best: Structure | None = None
    shifts = np.zeros((2, times.end.shape[1]))
    for depth in range(1, first + 1):
        since = (times.ready - release_times(latest, depth))[..., first:]
        waited = (times.is_stalled & ~own)[..., first:]
        if not waited.any():
            return None
        lag = float(np.median(since[waited]))
        if abs(lag) > AGREE:
            continue
        late = np.maximum(-times.stall[..., first:], lag - since)
        error = np.where(waited, np.abs(late), np.where(own[..., first:], 0, np.maximum(late, 0)))
        cost = float(error.sum() / waited.sum())
        if best is None or cost * (1 + _PER_BUFFER * depth) < best.cost * (
            1 + _PER_BUFFER * best.depths[0]
        ):
            best = Structure(
                (family,), (depth,), (np.array([lag]),), (np.array([-np.inf]),), shifts, cost
            )
    return best


def _combinations(families: int, depth: int) -> Iterator[tuple[int, ...]]:
    """Yield every tuple of `families` numbers from 1 to `depth`; a single empty tuple without
    families.
    """
    if not families:
        yield ()
        return
    for rest in _combinations(families - 1, depth):
        for own in range(1, depth + 1):
            yield (*rest, own)


def _structure(families: tuple[Family, ...], depths: tuple[int, ...], fit: Fit) -> Structure:
    values = np.where(fit.active, fit.values, -np.inf)
    limits = np.cumsum([len(family.names) for family in families])
    lags, paces = values[: limits[-1]], values[limits[-1] :]
    return Structure(
        families,
        depths,
        tuple(np.split(lags, limits[:-1])),
        tuple(np.split(paces, limits[:-1])),
        fit.shifts,
        fit.cost,
    )
