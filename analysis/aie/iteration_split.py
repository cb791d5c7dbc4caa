"""Split the kernels of a core into iterations.

There are two kinds of evidence: pauses (a lock stall or a gap of `boundary_factor` median kernels
between two kernels) and the number of kernels per iteration that the GEMM's settings require. If
they disagree the count decides, because long stalls also happen inside iterations and short stalls
between them. The exception is pauses that cut exactly the number of iterations that was run, all of
the same size: then the settings are wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from schema.array_types import Bools, Ints

_SLACK = 0.15
_MIN_SHARE, _MAX_SHARE = 0.65, 1.35


@dataclass(frozen=True)
class Work:
    """The kernels of a core that count for an iteration, in order of time: start and end in ticks,
    and their median duration.

    `weight` is 2 or more for kernels that could not be separated; `certain` is False if markers
    were lost.
    """

    start: Ints
    end: Ints
    weight: Ints
    certain: bool
    median: float


@dataclass(frozen=True)
class Split:
    """The iteration of each kernel, and for each iteration whether the capture contains all of it.

    `size` is the number of kernels of a whole iteration, None if unknown. `inside` counts pauses
    within iterations, `silent` boundaries without a pause. `by` is the evidence used: pauses, count
    or both.
    """

    iteration: Ints
    complete: Bools
    size: int | None
    inside: int
    silent: int
    by: str


def pauses(work: Work, stall_start: Ints, stall_end: Ints, factor: float) -> Ints:
    """Return the ranks (from 0, sorted, distinct) of the kernels that a long pause follows.

    A pause is a gap of at least `factor` x the median kernel, or a lock stall of that length that
    begins and ends between two kernels.
    """
    least = factor * work.median
    gap = work.start[1:] - work.end[:-1]
    idle = np.flatnonzero(gap >= least)
    long = stall_end - stall_start >= least
    # Only stalls between two kernels count: a stall that covers kernels has lost its own end.
    begin = stall_start[long]
    end = stall_end[long]
    before = np.searchsorted(work.start, (begin + end) // 2, side="right") - 1
    between = (before >= 0) & (before < len(work.start) - 1)
    begin = begin[between]
    end = end[between]
    before = before[between]
    clipped = np.minimum(end, work.start[before + 1]) - np.maximum(begin, work.end[before])
    stalled = before[clipped >= least - work.median]
    return np.union1d(idle, stalled).astype(np.int64)


def split_iterations(work: Work, pause: Ints, expected: int | None, total: int | None) -> Split:
    """Split kernels into iterations.

    `pause` is a result of `pauses`. `expected` is the number of kernels per iteration and `total`
    the number of iterations of the run, None if not set. Without kernels the split has no
    iterations.
    """
    if not len(work.start):
        return Split(np.empty(0, np.int64), np.empty(0, bool), expected, 0, 0, "count")
    counts = _counts(work, pause)
    if expected is None:
        return _by_pauses(work, pause, counts)
    # The last iteration may be shorter because the capture can end inside it.
    if (counts[:-1] == expected).all() and counts[-1] <= expected:
        return _result(work, pause, pause, expected, "both")
    # The pauses cut exactly the iterations that were run, all of one size: the settings are wrong.
    if (
        len(counts) == total
        and len(counts) > 1
        and (counts[:-1] == counts[0]).all()
        and counts[-1] <= counts[0]
    ):
        return _result(work, pause, pause, int(counts[0]), "pauses")
    if work.certain:
        cut = np.arange(expected - 1, len(work.start) - 1, expected)
    elif (
        (counts[:-1] >= _MIN_SHARE * expected) & (counts[:-1] <= _MAX_SHARE * expected)
    ).all() and counts[-1] <= _MAX_SHARE * expected:
        cut = pause
    else:
        cut = _near_count(work, pause, expected)
    return _result(work, pause, cut, expected, "count")


def _counts(work: Work, cut: Ints) -> Ints:
    """Count the kernels (by weight) in each part between the cuts; a cut is the rank of the last
    kernel of a part. There is one part more than cuts.
    """
    done = np.concatenate(([0], np.cumsum(work.weight)))
    limits = np.concatenate(([0], cut + 1, [len(work.start)]))
    counts: Ints = np.diff(done[limits])
    return counts


def _by_pauses(work: Work, pause: Ints, counts: Ints) -> Split:
    """Split by pauses if the settings do not give a size: the most frequent count of all parts but
    the last is the size. With a single part the size is unknown, and the part counts as not
    complete.
    """
    if len(counts) == 1:
        split = _result(work, pause, pause, None, "pauses")
        return Split(split.iteration, np.zeros(1, bool), None, 0, 0, "pauses")
    values, times = np.unique(counts[:-1], return_counts=True)
    return _result(work, pause, pause, int(values[np.argmax(times)]), "pauses")


def _near_count(work: Work, pause: Ints, expected: int) -> Ints:
    """Find cuts about `expected` kernels apart, at a pause or else at the widest gap there; returns
    the ranks of the kernels before the cuts, sorted.

    "About" is 15 % or 2 kernels, if that is more. Some kernels lost both markers, so that the
    number between two cuts varies.
    """
    done = np.cumsum(work.weight)
    gap = work.start[1:] - work.end[:-1]
    paused = np.zeros(len(gap), bool)
    paused[pause] = True
    slack = min(expected - 1, max(2, round(_SLACK * expected)))
    cuts: list[int] = []
    base = 0
    while done[-1] - base > expected:
        low = int(np.searchsorted(done, base + expected - slack))
        high = min(int(np.searchsorted(done, base + expected + 1, side="right")), len(gap))
        if low >= high:
            break
        near = np.arange(low, high)
        candidates = near[paused[near]] if paused[near].any() else near
        cut = int(candidates[np.argmax(gap[candidates])])
        cuts.append(cut)
        base = int(done[cut])
    return np.array(cuts, dtype=np.int64)


def _result(work: Work, pause: Ints, cut: Ints, size: int | None, by: str) -> Split:
    """Build the split at these cuts (ranks of the last kernel of each part), and decide which
    iterations are complete.

    The last is complete if it has `size` kernels, kernels with lost markers included. An earlier
    iteration is complete unless it has fewer than `size` kernels while no marker was lost. When
    `size` is None all are complete.
    """
    iteration = np.zeros(len(work.start), np.int64)
    iteration[cut + 1] = 1
    iteration = np.cumsum(iteration)
    counts = _counts(work, cut)
    complete = np.ones(len(counts), bool)
    if size is not None:
        seen = counts if work.certain else counts + _unseen_kernels(work, iteration, len(counts))
        complete[-1] = seen[-1] >= size
        if work.certain:
            # Without lost markers a smaller count means that kernels are missing.
            complete &= counts >= size
    return Split(
        iteration, complete, size, len(np.setdiff1d(pause, cut)), len(np.setdiff1d(cut, pause)), by
    )


def _unseen_kernels(work: Work, iteration: Ints, iterations: int) -> Ints:
    """Estimate how many kernels of each iteration lost both markers, from gaps that are wider than
    the median gap; zeros when no iteration has two kernels.
    """
    gap = work.start[1:] - work.end[:-1]
    within = iteration[1:] == iteration[:-1]
    if not within.any():
        return np.zeros(iterations, np.int64)
    usual = float(np.median(gap[within]))
    missing = np.round((gap - usual) / max(1.0, work.median + usual)).astype(np.int64)
    missing[~within] = 0
    unseen: Ints = np.bincount(
        iteration[1:], weights=np.maximum(missing, 0), minlength=iterations
    ).astype(np.int64)
    return unseen
