"""Coupled cores kernel by kernel: the arrival of each block, and the cause of each wait."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.aie.pace.fit import Structure
from analysis.aie.pace.kernel_times import KernelTimes
from analysis.aie.pace.streams import Family, release_times
from analysis.aie.pace.structure import own_stalls
from schema.array_types import Bools, Floats, Ints

NOT_BOUND, LAUNCH = -1, -2
"""Causes of kernels that did not wait for a block, and that waited before any buffer was let go."""


@dataclass(frozen=True)
class Coupling:
    """How the kernels of a capture follow from each other.

    Arrays are rows x cores x kernels, in ticks.

    A block of family f arrives `lags[f]` after the release of its buffer, and `paces[f]` after the
    block before (-inf: never binding), or at `launch`. `own` is a lock stall that no arrival
    explains. `cause` is the choice that a kernel waited for: f (release), families + f (the block
    before), NOT_BOUND or LAUNCH.
    """

    times: KernelTimes
    structure: Structure
    lags: tuple[Floats, ...]
    paces: tuple[Floats, ...]
    launch: Floats
    own: Floats
    cause: Ints

    @classmethod
    def of(cls, times: KernelTimes, structure: Structure) -> Coupling:
        """Measure lags, paces and own stalls of the kernels such that a replay gives the times of
        the capture to the tick.
        """
        families = structure.families
        own = own_stalls(times, families)
        since = _since(times, structure)
        cause = _causes(times, structure, since, own)
        lags = tuple(
            _lags(times, structure, at, since[at], cause == at) for at in range(len(families))
        )
        launch = np.where(cause == LAUNCH, times.ready, -np.inf)
        paces, arrival = _paces(times, structure, lags, cause)
        unexplained = np.where(own, times.ready - np.maximum(times.free, arrival), 0)
        return cls(times, structure, lags, paces, launch, np.maximum(unexplained, 0), cause)

    @property
    def is_bound(self) -> Bools:
        """Bools of the kernels (rows x cores x kernels) that waited for a block: `cause` is not
        NOT_BOUND.
        """
        bound: Bools = self.cause != NOT_BOUND
        return bound


def _since(times: KernelTimes, structure: Structure) -> Floats:
    """Compute the ticks from the event of each choice until the core was ready; inf if there was no
    event.

    The result has the shape choices x rows x cores x kernels; choices are the release of a buffer
    in each family, then the arrival of the block before in each family.
    """
    since = []
    for family, depth in zip(structure.families, structure.depths, strict=True):
        since.append(times.ready - release_times(family.latest(times.end), depth))
    for family in structure.families:
        block = np.full(times.ready.shape, -np.inf)
        block[..., 1:] = family.earliest(times.ready)[..., :-1]
        since.append(times.ready - block)
    return np.array(since)


def _usual(times: KernelTimes, values: Floats, family: Family) -> Floats:
    """Spread the value of each stream (ticks) to its cores: rows x cores x 1, multiplied by the
    row's factor `stretch`.
    """
    usual: Floats = (times.stretch[:, None] * values[family.of_core])[..., None]
    return usual


def _causes(times: KernelTimes, structure: Structure, since: Floats, own: Bools) -> Ints:
    """Find for each kernel (rows x cores x kernels) the event whose predicted time is closest to
    the end of its wait.

    With f families: 0 to f - 1 the release of a buffer in that family, f to 2f - 1 the arrival of
    the block before in a family. LAUNCH (-2) when no prediction is known, NOT_BOUND (-1) for
    kernels without a wait and for own stalls.
    """
    usual = [
        _usual(times, values, family)
        for values, family in zip(structure.lags, structure.families, strict=True)
    ]
    usual += [
        _usual(times, values, family)
        for values, family in zip(structure.paces, structure.families, strict=True)
    ]
    with np.errstate(invalid="ignore"):
        error = np.abs(
            since - structure.shifts[:, None, :, None] - np.array([*np.broadcast_arrays(*usual)])
        )
    error = np.where(np.isnan(error), np.inf, error)
    best = error.argmin(axis=0)
    cause = np.where(np.isfinite(error.min(axis=0)), best, LAUNCH)
    return np.where(times.is_stalled & ~own, cause, NOT_BOUND)


def _lags(times: KernelTimes, structure: Structure, at: int, since: Floats, bound: Bools) -> Floats:
    """Measure the lag (ticks) of family number `at` before each kernel, rows x cores x kernels;
    -inf if the buffer was never released.

    For kernels that did not wait for this it is the fitted lag of their stream, or less when they
    started earlier.
    """
    family = structure.families[at]
    usual = _usual(times, structure.lags[at], family) + structure.shifts[at][:, None]
    at_most = np.minimum(since, since - times.ready + family.earliest(times.ready))
    return np.where(bound, since, np.where(np.isfinite(since), np.minimum(usual, at_most), -np.inf))


def _paces(
    times: KernelTimes, structure: Structure, lags: tuple[Floats, ...], cause: Ints
) -> tuple[tuple[Floats, ...], Floats]:
    """Measure the paces (ticks) kernel by kernel, because each depends on the block before.

    Returns an array per family, -inf if its pace never binds, and the arrivals of all blocks; all
    are rows x cores x kernels.
    """
    families = structure.families
    paces = tuple(np.full(times.ready.shape, -np.inf) for _ in families)
    arrival = np.where(cause == LAUNCH, times.ready, -np.inf)
    for at, family in enumerate(families):
        free = _arrivals(times, structure, at, lags[at])
        if not np.isfinite(structure.paces[at]).any():
            arrival = np.maximum(arrival, free)
            continue
        usual = np.broadcast_to(_usual(times, structure.paces[at], family), times.ready.shape)
        block = np.full(times.late.shape, -np.inf)
        for kernel in range(times.ready.shape[2]):
            # Without an arrival before, the first cores that were ready show when the block was there.
            known = np.isfinite(block)
            since = times.ready[..., kernel] - np.where(known, block, 0)
            pace = np.where(
                cause[..., kernel] == len(families) + at,
                since,
                np.minimum(usual[..., kernel], since),
            )
            pace = np.where(known, pace, -np.inf)
            paces[at][..., kernel] = pace
            with np.errstate(invalid="ignore"):
                block = np.maximum(free[..., kernel], np.where(known, block + pace, -np.inf))
            if kernel == 0:
                block = times.late.copy()
            arrival[..., kernel] = np.maximum(arrival[..., kernel], block)
    return paces, arrival


def _arrivals(times: KernelTimes, structure: Structure, at: int, lags: Floats) -> Floats:
    """Compute when blocks of family number `at` arrive (ticks) after the release of buffers, rows x
    cores x kernels; -inf if there is no release.
    """
    release = release_times(structure.families[at].latest(times.end), structure.depths[at])
    with np.errstate(invalid="ignore"):
        arrivals = release + lags
    return np.where(np.isnan(arrivals), -np.inf, arrivals)
