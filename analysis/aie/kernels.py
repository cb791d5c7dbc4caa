"""Compute the kernels and iterations of each core by method `robust`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.aie.core_events import END_MARKER, LOCK_STALL, START_MARKER, CoreEvents, Spans
from analysis.aie.gemm import Gemm
from analysis.aie.iteration_split import Split, Work, pauses, split_iterations
from analysis.aie.kernel_kinds import MAIN, Kinds, readings
from analysis.aie.kernel_markers import LOST_END, LOST_START, MatchedMarkers, match_markers
from schema.array_types import Bools, Ints
from schema.arrays import nullable, repeat_texts, text_category
from schema.frames import build_frame, empty

Texts = npt.NDArray[np.object_]

OUTSIDE = "outside 1/3 to 3 medians"
MERGED = "markers between kernels lost"
_MIN_MERGED = 1.6
_MERGED_TOLERANCE = 0.25


@dataclass(frozen=True)
class KernelColumns:
    """The kernels of a core by start, an array per column of frame `kernels`.

    `started` or `ended` is False if that marker was lost; then `start` equals `end`. `iteration` is
    -1 and `phase` None outside of iterations.
    """

    start: Ints
    end: Ints
    started: Bools
    ended: Bools
    name: Texts
    kept: Bools
    reason: Texts
    iteration: Ints
    phase: Texts

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True)
class CoreKernels:
    """A core by the robust method.

    `work` holds the kernels that count for an iteration, `split` their iterations.
    """

    core: CoreEvents
    kernels: KernelColumns
    work: Work
    split: Split
    median: float | None


@dataclass(frozen=True)
class _Reading:
    """The kernels of a core with their kinds.

    `merged` is the number of kernels that each pair of markers spans.
    """

    kinds: Kinds
    merged: Ints
    work: Work
    split: Split

    def fit(self, gemm: Gemm) -> int:
        """Rate how well this reading of the kernels agrees with the GEMM: 2, 1 or 0.

        2 if the number of kernels is that of all iterations, if pauses and expected counts agree on
        at least two iterations, or if there are no kernels or no expected count. 1 if they agree on
        a single iteration, which may be chance; else 0.
        """
        expected = gemm.kernels_per_iteration
        total = gemm.total_iterations
        if expected is None or not len(self.work.start):
            return 2
        if total is not None and int(self.work.weight.sum()) == expected * total:
            return 2
        return 0 if self.split.by != "both" else 2 if len(self.split.complete) > 1 else 1


def core_kernels(core: CoreEvents, gemm: Gemm) -> CoreKernels:
    """Match, classify and split the kernels of a core by the robust method.

    Without markers its arrays are empty and `median` is None.
    """
    starts = core.spans_of_event(START_MARKER)
    ends = core.spans_of_event(END_MARKER)
    matched = match_markers(_start_ticks(starts), _end_ticks(ends), _last_but_phantom(core, starts))
    reading = _best_reading(core, matched, gemm)
    table = _kernel_columns(matched, reading, gemm)
    return CoreKernels(core, table, reading.work, reading.split, reading.kinds.median)


def _best_reading(core: CoreEvents, matched: MatchedMarkers, gemm: Gemm) -> _Reading:
    """Return the reading of the kernels that agrees best with the GEMM (see `_Reading.fit`); the
    first reading wins a tie.
    """
    tried = []
    for kinds in readings(matched.end - matched.start):
        tried.append(_reading(core, matched, kinds, gemm))
        if tried[-1].fit(gemm) == 2:
            return tried[-1]
    return max(tried, key=lambda reading: reading.fit(gemm))


def _reading(core: CoreEvents, matched: MatchedMarkers, kinds: Kinds, gemm: Gemm) -> _Reading:
    main = kinds.name == "main"
    lost = np.isin(matched.left_reason, [LOST_END, LOST_START])
    merged = (
        _kernels_per_pair(matched, main, kinds.median)
        if lost.any()
        else np.ones(len(main), np.int64)
    )
    work = _work(matched, main, merged, lost, kinds.median)
    stalls = core.spans_of_event(LOCK_STALL)
    pause = (
        pauses(work, stalls.start, stalls.end, gemm.boundary_factor)
        if len(work.start)
        else np.empty(0, np.int64)
    )
    split = split_iterations(work, pause, gemm.kernels_per_iteration, gemm.total_iterations)
    return _Reading(kinds, merged, work, split)


def _start_ticks(marker: Spans) -> Ints:
    """Return the tick at which each start marker is raised, in order.

    A marker is one tick wide, so a begin that was lost is one tick before its end.
    """
    return np.where(marker.opened, marker.start, marker.end - 1)


def _end_ticks(marker: Spans) -> Ints:
    """Return the tick at which each end marker ends, in order.

    An end of a marker that was lost is one tick after its begin.
    """
    # When the capture stops within the last end marker, the begin of the marker is left.
    return np.where(marker.closed, marker.end, marker.start + 1)


def ends_on_a_start(core: CoreEvents, starts: Spans) -> bool:
    """Whether the unit's last time stamp is a begin of a start marker without an end, as zero
    padding decodes to.
    """
    return bool((starts.opened & ~starts.closed & (starts.start == core.last)).any())


def _last_but_phantom(core: CoreEvents, starts: Spans) -> int:
    """Return the core's last time stamp (tick).

    If the last entry is a phantom kernel start, return the last one before it, or the core's first
    tick without any.
    """
    if not ends_on_a_start(core, starts):
        return core.last
    every = core.spans
    before = np.concatenate((every.start[every.start < core.last], every.end[every.closed]))
    return int(before[before < core.last].max(initial=core.first))


def _kernels_per_pair(matched: MatchedMarkers, main: Bools, median: float | None) -> Ints:
    """Compute how many kernels each pair of markers spans: 2 or more if the long duration of a main
    pair fits a multiple, as when markers between were lost, else 1. All are 1 without a median,
    or with fewer than two pairs.
    """
    count = np.ones(len(matched.start), np.int64)
    if median is None or len(matched.start) < 2:
        return count
    gap = float(np.median(np.diff(matched.start) - (matched.end - matched.start)[:-1]))
    duration = matched.end - matched.start
    times = np.round((duration + gap) / (median + gap)).astype(np.int64)
    fits = np.abs(times * (median + gap) - gap - duration) <= _MERGED_TOLERANCE * median
    long = main & (duration >= _MIN_MERGED * median) & fits
    count[long] = np.maximum(times[long], 2)
    return count


def _work(
    matched: MatchedMarkers,
    main: Bools,
    merged: Ints,
    lost: Bools,
    median: float | None,
) -> Work:
    """Select the kernels that count for an iteration, sorted by start: main kernels, also if they
    lost one marker.

    A lost marker is put one median from the other marker. A kernel shorter than a third of the
    median does not count. Without a median (no whole kernel) the result is empty.
    """
    if median is None:
        none = np.empty(0, np.int64)
        return Work(none, none, none, certain=False, median=1.0)
    typical = median
    counted = main & (matched.end - matched.start >= typical / 3)
    ticks = matched.left_ticks[lost]
    is_start = matched.left_is_start[lost]
    start = np.concatenate(
        (matched.start[counted], np.where(is_start, ticks, ticks - round(typical)))
    )
    end = np.concatenate((matched.end[counted], np.where(is_start, ticks + round(typical), ticks)))
    weight = np.concatenate((merged[counted], np.ones(len(ticks), np.int64)))
    order = np.argsort(start, kind="stable")
    return Work(start[order], end[order], weight[order], not lost.any(), typical)


def _kernel_columns(matched: MatchedMarkers, reading: _Reading, gemm: Gemm) -> KernelColumns:
    """Merge the whole kernels and the kernels that lost a marker into columns, sorted by start; the
    latter are `main`, not kept, and have the lost marker's reason.
    """
    kept = reading.kinds.kept & (reading.merged == 1)
    reason = np.full(len(kept), "", object)
    reason[~kept] = np.where(reading.merged[~kept] > 1, MERGED, OUTSIDE)
    whole = np.ones(len(kept), bool)
    lost = len(matched.left_ticks)
    start = matched.start
    end = matched.end
    started = whole
    ended = whole
    name = reading.kinds.name
    if lost:
        start = np.concatenate((start, matched.left_ticks))
        end = np.concatenate((end, matched.left_ticks))
        order = np.argsort(start, kind="stable")
        start = start[order]
        end = end[order]
        started = np.concatenate((whole, matched.left_is_start))[order]
        ended = np.concatenate((whole, ~matched.left_is_start))[order]
        name = np.concatenate((name, np.full(lost, MAIN, object)))[order]
        kept = np.concatenate((kept, np.zeros(lost, bool)))[order]
        reason = np.concatenate((reason, np.array(matched.left_reason, object)))[order]
    iteration, phase = _iterations(start, reading.work, reading.split, gemm)
    return KernelColumns(start, end, started, ended, name, kept, reason, iteration, phase)


def _iterations(start: Ints, work: Work, split: Split, gemm: Gemm) -> tuple[Ints, Texts]:
    """Return each kernel's iteration (from 0) and phase: those of the next kernel in `work` at or
    after its start, or of the last. Without iterations -1 and None.
    """
    if not len(split.iteration):
        return np.full(len(start), -1), np.full(len(start), None, object)
    following = np.minimum(np.searchsorted(work.start, start, side="left"), len(work.start) - 1)
    iteration = split.iteration[following]
    phases = np.array([gemm.phase(i) for i in range(len(split.complete))], dtype=object)
    return iteration, phases[iteration]


def kernels_frame(cores: list[CoreKernels]) -> pd.DataFrame:
    """Build frame `kernels` of all cores, core by core and by start within each; empty when no core
    has kernels. A start, end or duration is null when its marker was lost.
    """
    parts = [core.kernels for core in cores if len(core.kernels)]
    if not parts:
        return empty("kernels")

    def join_parts(column: str) -> npt.NDArray[Any]:
        return np.concatenate([getattr(part, column) for part in parts])

    start, end, started, ended, iteration = map(
        join_parts, ("start", "end", "started", "ended", "iteration")
    )
    return build_frame(
        "kernels",
        {
            "track": repeat_texts(
                [core.core.track for core in cores], [len(core.kernels) for core in cores]
            ),
            "kernel": np.concatenate([np.arange(len(part)) for part in parts]),
            "name": text_category(join_parts("name")),
            "start": nullable(start, started),
            "end": nullable(end, ended),
            "duration": nullable(end - start, started & ended),
            "iteration": nullable(iteration, iteration >= 0),
            "phase": text_category(join_parts("phase")),
            "kept": join_parts("kept"),
            "reason": text_category(join_parts("reason")),
        },
    )
