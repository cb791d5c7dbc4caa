"""Fit the times of streams to stalls; a stall belongs to the stream that explains it best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from analysis.aie.pace.kernel_times import KernelTimes
from analysis.aie.pace.streams import Family, release_times
from schema.array_types import Bools, Floats, Ints

AGREE = 30
"""Tolerance in ticks between times of two cores; their timers differ by up to 25 ticks."""
_ROUNDS = 6
_SHIFT_ROUND = 3
"""Round after which shifts of cores are measured; before, most stalls have no certain stream."""
_MIN_SHIFTED = 8
"""Stalls that the shift of a core is measured from, at least."""
_FIRST_QUANTILE = 0.1
_MIN_PACE_SHARE = 0.4
"""Share of the kernels of one core that a stream has to hold up by its own pace."""
_MIN_RISE = 1.01
_LAG_EVIDENCE, _PACE_EVIDENCE = 4.0, 12.0
"""Evidence that a parameter needs; the cost may rise by exp(evidence / stalls) without it."""
_PER_PACE = 0.01
"""Relative cost of each pace, if a fit without paces explains the stalls as well."""


@dataclass(frozen=True)
class Samples:
    """Kernels that take part in a fit, in one axis.

    `since` (choices x kernels) is the time from the event that each choice waits for until the core
    was ready; `stream` (choices x kernels) is the index of the parameter. `slack` is -stall.
    `counts` has the number of kernels of each core, `core` the core of each kernel.
    """

    since: Floats
    stream: Ints
    slack: Floats
    waited: Bools
    core: Ints
    counts: Ints


@dataclass(frozen=True)
class Fit:
    """Values of the parameters, whether each takes part, the shift of each core, and the cost."""

    values: Floats
    active: Bools
    shifts: Floats
    cost: float


@dataclass(frozen=True)
class StreamTimes:
    """Times of one family of streams, rows x cores x kernels, ticks.

    `since_release` has an array per number of buffers (1 to depth): the time since the release of a
    buffer. `since_block` is the time since the block before arrived; `stream` is the index of the
    stream of each value, of `streams` in all. Times are inf without an earlier release or block.
    """

    since_release: list[Floats]
    since_block: Floats
    stream: Ints
    streams: int

    @classmethod
    def of(cls, times: KernelTimes, family: Family, depth: int) -> StreamTimes:
        """Compute the times of a family (rows x cores x kernels, ticks) for 1 to `depth` buffers;
        inf if there is no earlier release or block.
        """
        latest = family.latest(times.end)
        since = [times.ready - release_times(latest, buffers) for buffers in range(1, depth + 1)]
        block = np.full(times.ready.shape, -np.inf)
        block[..., 1:] = family.earliest(times.ready)[..., :-1]
        stream = np.broadcast_to(family.of_core[:, None], times.end.shape)
        return cls(since, times.ready - block, stream, len(family.names))


def select_samples(
    times: KernelTimes, tables: Sequence[StreamTimes], depths: Sequence[int], own: Bools, first: int
) -> Samples:
    """Select the kernels from number `first` (from 0) on, without own stalls.

    Choices are the lag of each family at its number of buffers in `depths`, then the pace of each
    family.
    """
    keep = ~own[..., first:]
    since = [table.since_release[depth - 1] for table, depth in zip(tables, depths, strict=True)]
    since += [table.since_block for table in tables]
    offsets = np.cumsum([0] + [table.streams for table in (*tables, *tables)])
    stream = [
        table.stream + offset
        for table, offset in zip((*tables, *tables), offsets[:-1], strict=True)
    ]
    core = np.broadcast_to(np.arange(times.end.shape[1])[:, None], times.end.shape)[..., first:][
        keep
    ]
    return Samples(
        np.array([values[..., first:][keep] for values in since]),
        np.array([values[..., first:][keep] for values in stream]),
        -times.stall[..., first:][keep],
        times.is_stalled[..., first:][keep],
        core,
        np.bincount(core, minlength=times.end.shape[1]),
    )


def add_siblings(samples: Samples, fit: Fit, families: Sequence[int]) -> Fit:
    """Return the fit with the median lag of their family given to streams without a lag, each if
    the cost does not rise.

    `families` has the number of streams of each family. Streams of a family are alike, but with
    strong jitter the stalls of a stream may be too few or too short to show its lag.
    """
    first = 0
    for size in families:
        lags = fit.values[first : first + size]
        known = fit.active[first : first + size]
        if known.any():
            usual = float(np.median(lags[known]))
            for at in (first + np.flatnonzero(~known)).tolist():
                values = np.where(fit.active, fit.values, -np.inf)
                values[at] = usual
                cost = _cost(samples, values, fit.shifts)
                if cost <= fit.cost:
                    fit = replace(fit, values=values, active=np.isfinite(values), cost=cost)
        first += size
    return fit


def reduce_fit(samples: Samples, fit: Fit, first_pace: int) -> Fit:
    """Drop the parameters that are not needed (see `_without`), and return the cheaper of two fits:
    from `fit`, and from a first guess without paces (which may take the stalls of lags).

    A fit with paces counts as 1 % more expensive per pace. `first_pace` is the index of the first
    pace.
    """
    reduced = _drop(samples, fit, first_pace)
    if not reduced.active[first_pace:].any():
        return reduced
    lags = replace(first_guess(samples), active=np.arange(len(fit.active)) < first_pace)
    without = _drop(samples, rounds(samples, lags), first_pace)
    return min(
        reduced, without, key=lambda one: one.cost * (1 + _PER_PACE * one.active[first_pace:].sum())
    )


def first_guess(samples: Samples) -> Fit:
    """Build a fit to begin with: each parameter is the 10 % quantile of the ticks since its event
    over waits; -inf and not active without such waits. Shifts are 0 and the cost is infinite.
    """
    size = int(samples.stream.max()) + 1
    values = np.full(size, -np.inf)
    for since, stream in zip(
        samples.since[:, samples.waited], samples.stream[:, samples.waited], strict=True
    ):
        order = np.lexsort((since, stream))
        names, first, count = np.unique(stream[order], return_index=True, return_counts=True)
        values[names] = since[order][first + (count * _FIRST_QUANTILE).astype(np.int64)]
    shifts = np.zeros((len(samples.since), len(samples.counts)))
    return Fit(values, np.isfinite(values), shifts, np.inf)


def rounds(samples: Samples, fit: Fit, count: int = _ROUNDS) -> Fit:
    """Repeat `count` times: assign each stall to the closest stream and set each active parameter
    to the lower median of its stalls; returns the new fit.

    A parameter without stalls, and a pace that holds no core up at 40 % of its kernels, is no
    longer active.
    """
    stream = samples.stream[:, samples.waited]
    core = samples.core[samples.waited]
    since = samples.since[:, samples.waited]
    shifted = since - fit.shifts[:, core]
    values = np.where(fit.active, fit.values, -np.inf)
    shifts = fit.shifts
    columns = np.arange(since.shape[1])
    first_pace = int(samples.stream[len(samples.since) // 2].min())
    for number in range(count):
        distance = np.abs(values[stream] - shifted)
        chosen = distance.argmin(axis=0)
        # A wait for the launch belongs to no stream.
        known = np.flatnonzero(np.isfinite(distance[chosen, columns]))
        chosen = chosen[known]
        at = stream[chosen, known]
        own = shifted[chosen, known]
        medians = _medians(own, at, len(values))
        # A block cannot arrive before its buffer is free.
        values = np.where(fit.active & (medians > -AGREE), medians, -np.inf)
        values = _without_rare_paces(values, at, core[known], samples.counts, first_pace)
        if number == _SHIFT_ROUND:
            shifts = _measure_shifts(
                since[chosen, known] - values[at], chosen, core[known], fit.shifts
            )
            shifted = since - shifts[:, core]
    return Fit(values, fit.active & np.isfinite(values), shifts, _cost(samples, values, shifts))


def _medians(values: Floats, group: Ints, groups: int) -> Floats:
    """Compute the lower median of the values of each group, an array of `groups` elements; -inf for
    empty groups.
    """
    order = np.lexsort((values, group))
    names, first, count = np.unique(group[order], return_index=True, return_counts=True)
    medians = np.full(groups, -np.inf)
    medians[names] = values[order][first + (count - 1) // 2]
    return medians


def _measure_shifts(errors: Floats, chosen: Ints, core: Ints, shifts: Floats) -> Floats:
    """Compute how many ticks later than the fitted time each core sees the events of each choice
    (median), choices x cores, cut to +-AGREE (30). 0 for fewer than 8 stalls.
    """
    is_known = np.isfinite(errors)
    key = (chosen * shifts.shape[1] + core)[is_known]
    medians = _medians(errors[is_known], key, shifts.size)
    enough = np.bincount(key, minlength=shifts.size) >= _MIN_SHIFTED
    measured = np.where(enough, np.clip(medians, -AGREE, AGREE), 0)
    return measured.reshape(shifts.shape)


def _without_rare_paces(
    values: Floats, at: Ints, core: Ints, counts: Ints, first_pace: int
) -> Floats:
    """Return the values with -inf for paces that hold no core up at 40 % of its kernels or more;
    lags (before index `first_pace`) are unchanged.
    """
    held = np.bincount(at * len(counts) + core, minlength=len(values) * len(counts)).reshape(
        len(values), -1
    )
    share = (held / np.maximum(counts, 1)).max(axis=1)
    is_pace = np.arange(len(values)) >= first_pace
    return np.where(is_pace & (share < _MIN_PACE_SHARE), -np.inf, values)


def _cost(samples: Samples, values: Floats, shifts: Floats) -> float:
    """Compute the mean error in ticks: of the predicted ends of stalls, plus predictions too late
    for kernels that did not wait, / number of stalls.
    """
    since = samples.since - shifts[:, samples.core]
    error = np.maximum(samples.slack, (values[samples.stream] - since).max(axis=0))
    error = np.where(samples.waited, np.abs(error), np.maximum(error, 0))
    return float(error.sum() / max(int(samples.waited.sum()), 1))


def _drop(samples: Samples, fit: Fit, first_pace: int) -> Fit:
    """Return the fit after all parameters are dropped that are not needed (see `_without`): paces,
    then lags, the largest values first.

    Paces are tried again at the end: when some lags no longer exist, a pace that was of use may not
    be needed.
    """
    for are_paces in (True, False, True):
        values = np.flatnonzero(fit.active)
        chosen = values[(values >= first_pace) == are_paces]
        for at in chosen[np.argsort(-fit.values[chosen], kind="stable")].tolist():
            fit = _without(samples, fit, at, _PACE_EVIDENCE if are_paces else _LAG_EVIDENCE)
    return fit


def _without(samples: Samples, fit: Fit, at: int, evidence: float) -> Fit:
    """Return the fit without parameter number `at` if its cost rises by at most 1 % or by the
    factor exp(evidence / stalls), whichever is more; else the fit unchanged, as when the parameter
    is not active.
    """
    if not fit.active[at]:
        return fit
    active = fit.active.copy()
    active[at] = False
    trial = rounds(samples, replace(fit, active=active), 2)
    waits = max(int(samples.waited.sum()), 1)
    return (
        trial if trial.cost <= fit.cost * max(_MIN_RISE, float(np.exp(evidence / waits))) else fit
    )
