"""Gaps in which a device runs nothing, and what each of their nanoseconds waits for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.kernels.device_spans import DeviceSpans
from analysis.kernels.host_threads import HostThreads
from analysis.timeline.covered import Covered
from schema.array_types import Bools, Ints
from schema.torch_profiler import ANNOTATION, CLASSES, OPERATOR, PYTHON, is_call

REASONS = (
    *("data_loader", "communication", "synchronisation", "copy", "allocation"),
    *("host", "launch", "queued", "unknown"),
)
"""Reasons for which a device idles; each nanosecond of a gap has one."""
MAX_TOP = 10
"""Number of gaps that are listed with their place."""
_LOADER_OPERATOR = re.compile(r"enumerate\(DataLoader\)")
_LOADER_FUNCTION = re.compile(r"dataloader\.py\([0-9]+\): __next__")
_COMMUNICATION = ("c10d::", "gloo:", "nccl:", "mpi:", "ucc:", "hccl:", "record_param_comms")
_WAITS = re.compile(r"Synchronize|urQueueFinish|StreamWaitForCompletion")
_MOVES = re.compile(r"Memcpy|Memset")
_ALLOCATES = re.compile(
    r"(?:Malloc|Free|HostAlloc|HostRegister|MemCreate|MemMap|MemUnmap|MemRelease|MemAddressReserve)"
    r"(?:Async|Managed|Host|Array|Pitch)*$"
)


@dataclass(frozen=True)
class Gap:
    """A gap [start, start + duration) of a device, in ns.

    `parts` maps reasons to their time, in the order of REASONS. `next` is the name of the execution
    that ends the gap. `op` and `python` are the innermost operator or annotation, and the innermost
    Python function, in the middle of the gap, on the thread that launched that execution; None if
    unknown.
    """

    start: int
    duration: int
    parts: Mapping[str, int]
    next: str
    op: str | None
    python: str | None

    @property
    def reason(self) -> str:
        """Name of the reason with the most idle time."""
        return max(self.parts, key=lambda name: self.parts[name])


@dataclass(frozen=True)
class DeviceIdle:
    """Idle time of a device in ns.

    `reasons` are those of the window from the first execution to the last, `counted` those of the
    counted steps (None without any). `top` are the longest gaps of the window, the longest first.
    """

    device: int | str
    idle: int
    gaps: int
    reasons: Mapping[str, int]
    counted: Mapping[str, int] | None
    top: Sequence[Gap]

    @property
    def main_reasons(self) -> Mapping[str, int]:
        """The reasons that sentences are about: of the counted steps, else of the window."""
        return self.reasons if self.counted is None else self.counted


def device_idle(
    spans: DeviceSpans, launches: pd.DataFrame, threads: HostThreads, steps: pd.DataFrame
) -> DeviceIdle:
    """Explain the idle time of a device; `steps` are windows with column counted."""
    host = _Host(threads)
    calls = _launch_calls(launches, threads)
    counted = steps[steps["counted"].to_numpy(bool)]
    gaps = _gaps(spans, calls, counted, threads.step_thread)
    inside = gaps.select((gaps.start >= spans.start.min()) & (gaps.end <= spans.end.max()))
    parts = host.parts(inside, inside.start, inside.end)
    in_steps = None
    if len(counted):
        pieces, begin, end = _cut(gaps, counted)
        own = host.parts(pieces, begin, end)
        in_steps = {name: int(own[name].sum()) for name in REASONS}
    return DeviceIdle(
        device=spans.device,
        idle=int((inside.end - inside.start).sum()),
        gaps=len(inside.start),
        reasons={name: int(parts[name].sum()) for name in REASONS},
        counted=in_steps,
        top=_top(inside, parts, spans, threads),
    )


@dataclass(frozen=True)
class _Gaps:
    """Gaps of a device, by time.

    `next` is the position of the execution that ends the gap, -1 behind the last. `call` and
    `back` are begin and end of the call that launched it (-1: no call in the file), `thread` the
    thread of the call (-1 if unknown).
    """

    start: Ints
    end: Ints
    next: Ints
    call: Ints
    back: Ints
    thread: Ints

    def select(self, rows: Ints | Bools) -> _Gaps:
        """Return the gaps at these positions, or the gaps that a mask selects."""
        return _Gaps(
            *(
                getattr(self, name)[rows]
                for name in ("start", "end", "next", "call", "back", "thread")
            )
        )


def _cut(gaps: _Gaps, steps: pd.DataFrame) -> tuple[_Gaps, Ints, Ints]:
    """Cut gaps to the windows of steps: the gap, begin and end of each piece."""
    begin = steps["start"].to_numpy(np.int64)
    end = steps["end"].to_numpy(np.int64)
    first = np.searchsorted(gaps.end, begin, side="right")
    counts = np.maximum(np.searchsorted(gaps.start, end, side="left") - first, 0)
    step = np.repeat(np.arange(len(begin)), counts)
    rank = np.arange(len(step)) - np.repeat(np.cumsum(counts) - counts, counts)
    pieces = gaps.select(first[step] + rank)
    return pieces, np.maximum(pieces.start, begin[step]), np.minimum(pieces.end, end[step])


def _launch_calls(launches: pd.DataFrame, threads: HostThreads) -> tuple[Ints, Ints, Ints]:
    """Return begin, end and thread of each call."""
    start = launches["start"].to_numpy(np.int64)
    end = launches["end"].fillna(launches["start"]).to_numpy(np.int64)
    thread = launches["track"].astype("object").map(threads.by_track).fillna(-1)
    return start, end, thread.to_numpy(np.int64)


def _gaps(
    spans: DeviceSpans,
    calls: tuple[Ints, Ints, Ints],
    counted: pd.DataFrame,
    step_thread: int | None,
) -> _Gaps:
    """Find the gaps between the executions, and before and behind them as far as steps count."""
    busy = spans.busy_time(*CLASSES)
    first = int(spans.start.min())
    last = int(spans.end.max())
    begin = min([first, *counted["start"].tolist()])
    finish = max([last, *counted["end"].tolist()])
    start = np.concatenate([[begin], busy.end])
    end = np.concatenate([busy.start, [finish]])
    has_length = end > start
    start = start[has_length]
    end = end[has_length]
    following = _enders(spans, end, calls[0])
    launch = np.where(following >= 0, spans.launch[following], -1)
    known = launch >= 0
    call = np.where(known, calls[0][launch] if len(calls[0]) else -1, -1)
    back = np.where(known, calls[1][launch] if len(calls[0]) else -1, -1)
    thread = np.where(known, calls[2][launch] if len(calls[0]) else -1, -1)
    behind = following < 0
    # Behind the last execution nothing is launched: the time is the host's.
    call = np.where(behind, finish, call)
    back = np.where(behind, finish, back)
    thread = np.where(behind, -1 if step_thread is None else step_thread, thread)
    return _Gaps(start, end, following, call, back, thread)


def _enders(spans: DeviceSpans, ends: Ints, call_starts: Ints) -> Ints:
    """Return the execution that ends each gap: of several that begin at the end of the gap, the
    execution launched first.

    -1 for a gap that no execution ends. Executions without length end no gap.
    """
    rows = np.flatnonzero(spans.end > spans.start)
    if not len(rows):
        return np.full(len(ends), -1)
    launched = np.full(len(rows), np.iinfo(np.int64).max)
    known = spans.launch[rows] >= 0
    launched[known] = call_starts[spans.launch[rows][known]]
    rows = rows[np.lexsort((launched, spans.start[rows]))]
    place = np.searchsorted(spans.start[rows], ends)
    within = np.minimum(place, max(0, len(rows) - 1))
    return np.where((place < len(rows)) & (spans.start[rows][within] == ends), rows[within], -1)


class _Host:
    """Times in which threads of the host do what a device may wait for."""

    def __init__(self, threads: HostThreads) -> None:
        self._threads = threads
        self._waits = threads.mask(is_call, lambda name: _WAITS.search(name) is not None)
        self._moves = threads.mask(is_call, lambda name: _MOVES.search(name) is not None)
        self._allocates = threads.mask(is_call, lambda name: _ALLOCATES.search(name) is not None)
        self._loads = threads.mask(
            lambda category: category in (OPERATOR, ANNOTATION),
            lambda name: _LOADER_OPERATOR.match(name) is not None,
        ) | threads.mask(
            lambda category: category == PYTHON,
            lambda name: _LOADER_FUNCTION.fullmatch(name.rpartition("/")[2]) is not None,
        )
        self._communicates = threads.mask(
            lambda category: category in (OPERATOR, ANNOTATION),
            lambda name: name.startswith(_COMMUNICATION),
        )
        self._layers: dict[int, tuple[Covered, ...]] = {}

    def parts(self, gaps: _Gaps, start: Ints, end: Ints) -> dict[str, Ints]:
        """Split the window [start, end) of each gap into REASONS; arrays of ns."""
        parts = {name: np.zeros(len(start), np.int64) for name in REASONS}
        is_known = gaps.call >= 0
        parts["unknown"] = np.where(is_known, 0, end - start)
        host_end = np.where(is_known, np.clip(gaps.call, start, end), start)
        launch_end = np.where(is_known, np.clip(gaps.back, host_end, end), start)
        parts["launch"] = launch_end - host_end
        parts["queued"] = np.where(is_known, end - launch_end, 0)
        is_waiting = self._under_way(self._waits, gaps.start)
        is_moving = self._under_way(self._moves, gaps.start) & ~is_waiting
        loads, communicates, allocates, waits = self._host_layers(gaps, start, host_end)
        rest = host_end - start - allocates
        own_waits = waits - allocates
        parts["data_loader"] = loads
        parts["communication"] = communicates - loads
        parts["allocation"] = allocates - communicates
        parts["synchronisation"] = np.where(is_waiting, rest, np.where(is_moving, 0, own_waits))
        parts["copy"] = np.where(is_moving, rest, 0)
        parts["host"] = np.where(is_waiting | is_moving, 0, rest - own_waits)
        return parts

    def _host_layers(self, gaps: _Gaps, start: Ints, end: Ints) -> list[Ints]:
        """Compute the time of each layer of `_layers_of` in [start, end) of each gap's thread."""
        layers = [np.zeros(len(start), np.int64) for _ in range(4)]
        for thread in np.unique(gaps.thread).tolist():
            own = np.flatnonzero(gaps.thread == thread)
            for layer, covered in zip(layers, self._layers_of(thread), strict=True):
                layer[own] = covered.within(start[own], end[own])
        return layers

    def _layers_of(self, thread: int) -> tuple[Covered, ...]:
        """Return growing unions: loading; or communicating; or allocating; or waiting."""
        if thread not in self._layers:
            layers = []
            reached = Covered.of(np.zeros(0, np.int64), np.zeros(0, np.int64))
            for events in (self._loads, self._communicates, self._allocates, self._waits):
                reached = reached.union(self._threads.covered_time(thread, events))
                layers.append(reached)
            self._layers[thread] = tuple(layers)
        return self._layers[thread]

    def _under_way(self, events: Bools, moments: Ints) -> Bools:
        """Whether an event of any thread began before each moment and ended after it."""
        begun = np.searchsorted(np.sort(self._threads.start[events]), moments, side="left")
        ended = np.searchsorted(np.sort(self._threads.end[events]), moments, side="right")
        return np.asarray(begun > ended)


def _top(
    gaps: _Gaps, parts: Mapping[str, Ints], spans: DeviceSpans, threads: HostThreads
) -> list[Gap]:
    """Describe the longest gaps, of equals the first."""
    length = gaps.end - gaps.start
    rows = np.lexsort((gaps.start, -length))[:MAX_TOP]
    middle = gaps.start[rows] + length[rows] // 2
    op = threads.innermost(gaps.thread[rows], threads.operations, middle)
    python = threads.innermost(gaps.thread[rows], threads.functions, middle)
    return [
        Gap(
            start=int(gaps.start[row]),
            duration=int(length[row]),
            parts={name: int(parts[name][row]) for name in REASONS if parts[name][row]},
            next=str(spans.name[gaps.next[row]]) if gaps.next[row] >= 0 else "",
            op=op[rank],
            python=python[rank],
        )
        for rank, row in enumerate(rows.tolist())
    ]
