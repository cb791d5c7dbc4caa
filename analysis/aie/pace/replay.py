"""Replay iterations kernel by kernel with parts of the time changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.aie.pace.coupling import Coupling
from analysis.aie.pace.streams import Family
from schema.array_types import Bools, Floats, Ints

MAX_REPLAYED = 60_000
"""Kernels that are replayed at most; of a longer capture iterations are chosen evenly."""


@dataclass(frozen=True)
class Change:
    """What a replay changes.

    `late` (rows x cores) is when cores start. The factors `during`, `gap`, `between` and `own`
    (rows x cores) multiply the kernels, the gaps and other stalls before them, and own lock stalls. `lag`
    has per family a factor of each core's lags, `holds` whether its pace holds; `sooner` (cores) is
    how much sooner each block arrives that waits for the launch. If `is_serial`, moves of a stream
    follow each other, and its lag is all transfer.
    """

    late: Floats
    during: Floats
    gap: Floats
    between: Floats
    own: Floats
    lag: tuple[Floats, ...]
    holds: tuple[Bools, ...]
    sooner: Floats
    is_serial: bool = False


@dataclass(frozen=True)
class Stream:
    """The arrivals of one family in a replay: lags and paces, kernels x rows x cores."""

    family: Family
    depth: int
    lag: Floats
    pace: Floats | None
    serial: Floats


@dataclass(frozen=True)
class Replay:
    """Times of the kernels of some rows, as arrays of kernels x rows x cores, in ticks.

    `rows` are ranks among the iterations. Before a kernel come its `gap`, other stalls (`between`),
    the core's `own` lock stalls, and `post`, the time from ready to its start; `during` is its
    length. `launch` is the time at which the launch allows it. `tail` (rows x cores) is the time
    after the last kernel, `measured` (rows) the measured length of the replayed part.
    """

    rows: Ints
    gap: Floats
    between: Floats
    own: Floats
    post: Floats
    during: Floats
    launch: Floats
    tail: Floats
    measured: Floats
    streams: tuple[Stream, ...]

    @classmethod
    def of(cls, coupling: Coupling) -> Replay:
        """Build a replay from the times of coupled cores: all their rows, or rows at equal
        distances with at most MAX_REPLAYED (60,000) kernels, but at least 1 row.
        """
        times = coupling.times
        rows, cores, kernels = times.end.shape
        count = int(np.clip(MAX_REPLAYED // (cores * kernels), 1, rows))
        chosen = np.unique(np.linspace(0, rows - 1, count).round().astype(np.int64))
        before = np.zeros(times.end.shape)
        before[..., 1:] = times.free[..., 1:] - times.end[..., :-1]
        between = np.minimum(times.between, np.maximum(before, 0))
        streams = []
        for family, depth, lag, pace in zip(
            coupling.structure.families,
            coupling.structure.depths,
            coupling.lags,
            coupling.paces,
            strict=True,
        ):
            has_pace = bool(np.isfinite(pace).any())
            serial = _serial(coupling, family, lag)
            streams.append(
                Stream(
                    family,
                    depth,
                    _first(lag, chosen),
                    _first(pace, chosen) if has_pace else None,
                    _first(serial, chosen),
                )
            )
        return cls(
            times.rows[chosen],
            _first(before - between, chosen),
            _first(between, chosen),
            _first(coupling.own, chosen),
            _first(times.start - times.ready, chosen),
            _first(times.end - times.start, chosen),
            _first(coupling.launch, chosen),
            times.tail[chosen],
            (times.end[..., -1] + times.tail).max(axis=1)[chosen] - times.late.min(axis=1)[chosen],
            tuple(streams),
        )

    @classmethod
    def of_free(cls, late: Floats, spans: Mapping[str, Floats]) -> Replay:
        """Build a replay of cores that do not wait for each other, in which the sums of each row
        count as a single kernel.

        `spans` has gap, between, own, post and during, `late` the starts of cores: all rows x
        cores, in ticks.
        """
        arrays = {name: values[None] for name, values in spans.items()}
        none = np.zeros(late.shape)
        measured = (late + sum(spans.values(), none)).max(axis=1) - late.min(axis=1)
        launch = np.full((1, *late.shape), -np.inf)
        return cls(
            np.arange(len(late)), launch=launch, tail=none, measured=measured, streams=(), **arrays
        )

    def lengths(self, changes: Sequence[Change]) -> Floats:
        """Simulate the length in ticks of each replayed row with each change, shape
        changes x rows.
        """
        late = np.array([change.late for change in changes])
        during, gap, between, own = (
            np.array([getattr(change, name) for change in changes])
            for name in ("during", "gap", "between", "own")
        )
        sooner = np.array([change.sooner for change in changes])[:, None]
        arrivals = [_Arrivals(stream, changes, at) for at, stream in enumerate(self.streams)]
        end = late
        for kernel in range(len(self.during)):
            free = end + self.gap[kernel] * gap + self.between[kernel] * between
            ready = np.maximum(free, self.launch[kernel] - sooner * (kernel + 1))
            for arrival in arrivals:
                ready = np.maximum(ready, arrival.at(kernel, late))
            end = ready + self.own[kernel] * own + self.post[kernel] + self.during[kernel] * during
            for arrival in arrivals:
                arrival.add(end)
        ends = end + self.tail
        lengths: Floats = ends.max(axis=2) - late.min(axis=2)
        return lengths


class _Arrivals:
    """Arrivals of the blocks of one family while a replay runs, changes x rows x cores."""

    def __init__(self, stream: Stream, changes: Sequence[Change], at: int) -> None:
        self._stream = stream
        self._factor = np.array([change.lag[at] for change in changes])[:, None]
        self._off = np.array([np.where(change.holds[at], 0.0, -np.inf) for change in changes])[
            :, None
        ]
        self._serial = np.array([0.0 if change.is_serial else -np.inf for change in changes])[
            :, None, None
        ]
        self._is_serial = any(change.is_serial for change in changes)
        is_known = np.isfinite(stream.lag)
        self._lag = np.where(is_known, stream.lag, 0)
        self._never = np.where(is_known, 0, -np.inf)
        self._transfer = np.where(np.isfinite(stream.serial), stream.serial, 0)
        self._alone = np.where(np.isfinite(stream.serial), 0, -np.inf)
        self._released: list[Floats] = []
        self._block: Floats | None = None

    def at(self, kernel: int, late: Floats) -> Floats:
        """Compute the tick at which the block of kernel number `kernel` (from 0) arrives, changes x
        rows x cores; -inf if no event holds it up, `late` (when cores start) for kernel 0. Kernels
        must be passed in order.
        """
        stream = self._stream
        block = np.full(late.shape, -np.inf)
        if kernel >= stream.depth:
            block = (
                self._released[kernel - stream.depth]
                + self._lag[kernel] * self._factor
                + self._never[kernel]
            )
        before = late if self._block is None else self._block
        if kernel and stream.pace is not None:
            block = np.maximum(block, before + stream.pace[kernel] + self._off)
        if kernel and self._is_serial:
            block = np.maximum(
                block,
                before + self._transfer[kernel] * self._factor + self._alone[kernel] + self._serial,
            )
        self._block = block if kernel else late
        return block

    def add(self, end: Floats) -> None:
        """Store the ticks at which the cores of each stream have let their buffers go: the latest
        end of the stream's cores. `end` has the ends of the kernel just replayed, changes x rows x
        cores.
        """
        family = self._stream.family
        self._released.append(end[..., family.members].max(axis=-1)[..., family.of_core])


def _first(values: Floats, rows: Ints) -> Floats:
    """Select rows of a rows x cores x kernels array and return it as kernels x rows x cores."""
    return np.ascontiguousarray(np.moveaxis(values[rows], 2, 0))


def _serial(coupling: Coupling, family: Family, lag: Floats) -> Floats:
    """Compute the least ticks between two blocks of a stream when its lag is all transfer, rows x
    cores x kernels; -inf for the first kernel.

    It is the least of the lag, of the time between these two kernels of the stream, and of the
    median time between its first two kernels.
    """
    ready = family.earliest(coupling.times.ready)
    serial = np.full(lag.shape, -np.inf)
    if lag.shape[2] < 2:
        return serial
    steps = ready[..., 1:] - ready[..., :-1]
    bound: Floats = np.median(steps[..., 0], axis=0)
    serial[..., 1:] = np.minimum(np.minimum(lag[..., 1:], steps), bound[None, :, None])
    return serial
