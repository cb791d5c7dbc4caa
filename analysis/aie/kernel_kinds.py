"""Classify the kernels of a core into kinds by their durations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from schema.array_types import Bools, Ints
from schema.rows import filter_rows

# Kernels are of the same kind if their durations differ by less than this factor.
_RATIO = 1.8
_REGULAR = 0.6
_FREQUENT = 0.1
_USUAL = 0.2
_MIN_KERNELS = 3
_LOW = 1.0 / 3.0
_HIGH = 3.0


MAIN = "main"
"""Name of the kind that does the GEMM's work."""


@dataclass(frozen=True)
class Kinds:
    """Kind of each kernel (`main`, `short`, `long`, `short 2` ...) and whether it is kept.

    `median` is the median duration of the main kernels kept, in ticks.
    """

    name: npt.NDArray[np.object_]
    kept: Bools
    median: float | None


def counted_kernels(kernels: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a capture's frame `kernels` that durations and rates are computed from:
    `kept` is True and the name is `main`.

    If there is no such row, as when another kind is selected, all rows with `kept` True; index and
    order are unchanged.
    """
    return filter_rows(kernels, counted_mask(kernels))


def counted_mask(kernels: pd.DataFrame) -> Bools:
    """Return a mask of the rows that `counted_kernels` returns."""
    kept: Bools = kernels["kept"].to_numpy(bool)
    main = kept & np.asarray(kernels["name"].array == MAIN, bool)
    return main if main.any() else kept


def kernel_kinds(durations: Ints) -> Kinds:
    """Classify the kernels of a core, given by durations (ticks) in order of time.

    Durations are split into groups at factors above 1.8 between sorted neighbours. `main` is the
    group with the most time among the groups at least 20 % as frequent as the largest. Another
    group is a kind of its own (`short`, `long`, `short 2` ...) if it recurs: in 10 % of all kernels
    or at regular distances. The other kernels are `main` too, and are left out if they are outside
    1/3 to 3 times its median. Without kernels the median is None.
    """
    count = len(durations)
    name = np.full(count, MAIN, dtype=object)
    if not count:
        return Kinds(name, np.empty(0, bool), None)
    group = _groups(durations)
    total = np.bincount(group, weights=durations)
    size = np.bincount(group)
    # A rare group may have the most time and still not be the work of the core.
    usual = size >= np.minimum(size.max(), max(2.0, _USUAL * size.max()))
    main = int(np.argmax(np.where(usual, total, -1)))
    typical = float(np.median(durations[group == main]))
    own_kind = [
        g for g in range(len(total)) if g != main and _recurs(np.flatnonzero(group == g), count)
    ]
    for label, members in (
        ("short", [g for g in own_kind if g < main][::-1]),
        ("long", [g for g in own_kind if g > main]),
    ):
        for rank, g in enumerate(members, start=1):
            name[group == g] = label if rank == 1 else f"{label} {rank}"
    kept = _within(durations, typical) | np.isin(group, own_kind)
    return Kinds(name, kept, float(np.median(durations[kept & (name == "main")])))


def readings(durations: Ints) -> Iterator[Kinds]:
    """Yield the result of `kernel_kinds`, then variants in which also the kernels of the `long`
    kinds, of the `short` kinds, or of both count as `main`; variants without such kernels are
    skipped, so that up to four results come.
    """
    kinds = kernel_kinds(durations)
    yield kinds
    other = [np.char.startswith(kinds.name.astype(str), word) for word in ("long", "short")]
    for members in (other[0], other[1], other[0] | other[1]):
        if members.any():
            yield _as_main(kinds, durations, members)


def _as_main(kinds: Kinds, durations: Ints, members: Bools) -> Kinds:
    name = np.where(members, "main", kinds.name)
    main = name == "main"
    kept = np.where(main, _within(durations, float(np.median(durations[main]))), kinds.kept)
    return Kinds(name, kept, float(np.median(durations[kept & main])))


def _within(durations: Ints, typical: float) -> Bools:
    inside: Bools = (durations >= _LOW * typical) & (durations <= _HIGH * typical)
    return inside


def _groups(durations: Ints) -> Ints:
    """Return the group of each duration, numbered from 0 for the shortest; a group ends where the
    next longer duration is more than 1.8 times as long.
    """
    order = np.argsort(durations, kind="stable")
    ordered = np.maximum(durations[order], 1)
    group = np.empty(len(durations), np.int64)
    group[order] = np.concatenate(([0], np.cumsum(ordered[1:] > _RATIO * ordered[:-1])))
    return group


def _recurs(places: Ints, count: int) -> bool:
    """Whether kernels at these ranks of `count` kernels recur as code does: at least 3, in at least
    3 separate places, and either 10 % of all kernels or 60 % of their distances equal.
    """
    if len(places) < _MIN_KERNELS:
        return False
    steps = np.diff(places)
    steady = np.bincount(steps).max() >= _REGULAR * len(steps)
    # One block of slow kernels, such as a cold first iteration, is a phase and not a kind.
    scattered = np.count_nonzero(steps > 1) + 1 >= min(len(places), _MIN_KERNELS)
    return bool(scattered and (steady or len(places) >= _FREQUENT * count))
