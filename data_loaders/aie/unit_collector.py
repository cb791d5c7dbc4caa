"""Collect the decoded streams of all units as the entries of a capture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from data_loaders.aie.entries import Entries, Lane, join_instants
from data_loaders.aie.packets import MAX_SAMPLES, SLOTS, read_levels, read_records
from data_loaders.aie.starts import parse_start
from data_loaders.aie.units import UnitConfiguration
from data_loaders.aie.words import Stream
from schema.array_types import Bools, Ints
from schema.diagnostics import Diagnostic, occurrences
from schema.plurals import first_names, plural

MAX_NAMED_UNITS = 3
"""Number of units that a finding names."""
_TIMES, _ADDRESSES, _EXECUTION = range(3)
"""Trace modes: level changes in time, program addresses, executed instructions."""
_NO_MODE = "the MLIR file with its mode is not in the folder of the trace"
"""Why a unit without configuration and in another mode than 0 is not read."""


@dataclass
class UnitCollector:
    """Collector of the streams of all units as the entries of a capture."""

    names: dict[str, int] = field(default_factory=dict)
    processes: dict[int, tuple[str, int]] = field(default_factory=dict)
    _lasts: dict[int, int] = field(default_factory=dict)
    _slots: dict[int, list[str]] = field(default_factory=dict)
    _lanes: list[Lane] = field(default_factory=list)
    _lane: list[npt.NDArray[np.int32]] = field(default_factory=list)
    _begin: list[Bools] = field(default_factory=list)
    _ts: list[Ints] = field(default_factory=list)
    _instants: list[Ints] = field(default_factory=list)
    _entries: int = 0
    _samples: int = MAX_SAMPLES
    _unknown: Counter[str] = field(default_factory=Counter)
    _syncs: Counter[str] = field(default_factory=Counter)
    _timers: dict[str, int] = field(default_factory=dict)
    _unnamed: list[str] = field(default_factory=list)
    _modes: list[Diagnostic] = field(default_factory=list)
    _marks: dict[int, str] = field(default_factory=dict)

    def add(self, stream: Stream, configured: UnitConfiguration | None, mark: str = "") -> None:
        """Decode the stream of a unit and add its entries or address records to the collector.

        `mark` is the end of the unit's name, which tells the slices of a buffer apart.
        A stream that cannot be read in its mode is left out with an error finding. Raises
        TooManySamplesError if all units together exceed MAX_SAMPLES (16,777,216).
        """
        pid = len(self.processes)
        track = f"{stream.kind} {stream.row},{stream.col}{mark}"
        self._marks[pid] = mark
        self.processes[pid] = (
            f"{stream.kind}_trace for tile{stream.row},{stream.col}",
            self._entries,
        )
        names = (configured or UnitConfiguration()).slot_names(stream.kind)
        if configured is None or not configured.has_events:
            self._unnamed.append(track)
        else:
            self._slots[pid] = names
        stream_mode, timer = parse_start(stream.content)
        # Timers are only compared: as in mlir-aie, cycles count from the start of each unit's trace.
        mode, why = _mode(stream_mode, configured)
        if timer is not None and not why and mode == _TIMES:
            self._timers[track] = timer
        if why:
            text = f"tile {stream.row},{stream.col}{mark} {why}; it is not shown"
            self._modes.append(Diagnostic("error", "trace_mode", text, track))
        elif mode == _ADDRESSES:
            self._add_records(pid, track, names, stream.content)
        else:
            self._add_levels(pid, track, names, stream.content)

    def _add_levels(self, pid: int, track: str, names: Sequence[str], content: bytes) -> None:
        levels = read_levels(content, self._samples)
        # The limit is for all units together; a sample has at most two changes per slot.
        self._samples -= len(levels.ts) // (2 * SLOTS)
        base = len(self._lanes)
        slots, slot = np.unique(levels.slot, return_inverse=True)
        self._lanes += [(pid, self._name(names[rank]), rank) for rank in slots.tolist()]
        self._lane.append((slot + base).astype(np.int32))
        self._begin.append(levels.begin)
        self._ts.append(levels.ts)
        self._entries += len(levels.ts)
        self._lasts[pid] = levels.last
        self._unknown[track] += levels.unknown
        self._syncs[track] += levels.syncs

    def _add_records(self, pid: int, track: str, names: Sequence[str], content: bytes) -> None:
        records = read_records(content, self._samples)
        self._samples -= len(records.order) // SLOTS
        code = np.array([self._name(name) for name in names])[records.slot]
        unit = np.full(len(code), pid)
        self._instants.append(
            np.column_stack((unit, code, records.slot, records.order, records.pc)).astype(np.int64)
        )
        self._unknown[track] += records.unknown

    def _name(self, name: str) -> int:
        return self.names.setdefault(name, len(self.names))

    def entries(self) -> Entries:
        """Join the columns of all units that were added into the record of a capture.

        Empty columns without units.
        """
        return Entries(
            lane=np.concatenate([np.empty(0, np.int32), *self._lane]),
            begin=np.concatenate([np.empty(0, np.bool_), *self._begin]),
            ts=np.concatenate([np.empty(0, np.int64), *self._ts]),
            lanes=self._lanes,
            pids=[str(pid) for pid in self.processes],
            tids=[str(slot) for slot in range(SLOTS)],
            names=list(self.names),
            processes=self.processes,
            bad=Counter(),
            total=self._entries,
            instants=join_instants(self._instants),
            lasts=self._lasts,
            slots=self._slots,
            marks=self._marks,
        )

    def _timer_spread(self) -> int:
        """Return the largest difference of the timers of a slice, in cycles; 0 if all are equal.

        Slices are traced in turn, so that their timers always differ.
        """
        timers: dict[str, list[int]] = {}
        for track, timer in self._timers.items():
            timers.setdefault(track.partition(" #")[2], []).append(timer)
        return max((max(own) - min(own) for own in timers.values()), default=0)

    def findings(self, file: str) -> list[Diagnostic]:
        """Report problems of the streams, such as a missing configuration or unknown commands.

        Empty if there are no problems.
        """
        findings = list(self._modes)
        if self._unnamed:
            text = (
                f"no configuration of {plural(len(self._unnamed), 'unit')} is in the MLIR file "
                "of the trace: its slots are named by number instead of event"
            )
            findings.append(
                Diagnostic(
                    "warning",
                    "config_missing",
                    text,
                    first_names(self._unnamed, MAX_NAMED_UNITS),
                    len(self._unnamed),
                )
            )
        if unknown := self._unknown.total():
            text = f"{plural(unknown, 'command')} of the trace skipped: unknown, or a repeat without a command to repeat"
            where = first_names(+self._unknown, MAX_NAMED_UNITS)
            findings.append(Diagnostic("warning", "commands_skipped", text, where, unknown))
        findings += occurrences(
            "info", "event_syncs", self._syncs.total(), "sync", "of 262,144 cycles each were read"
        )
        spread = self._timer_spread()
        if spread:
            text = (
                f"the timers of the units differed by {plural(spread, 'cycle')} when their traces began; every unit is shown "
                "from cycle 0"
            )
            findings.append(Diagnostic("info", "timer_offsets", text, file, len(self._timers)))
        return findings


def _mode(stream_mode: int | None, configured: UnitConfiguration | None) -> tuple[int, str]:
    """Return a unit's trace mode, and the reason why its stream cannot be read, as the end of a
    sentence; "" if it can.

    `stream_mode` is the mode in the start command of the stream, `None` without such a command. The
    configured mode counts if there is one; if it contradicts the stream's, the stream is not read.
    Mode 0 (times) is assumed if neither is known.
    """
    mode = configured.mode if configured else None
    if mode is None:
        mode = stream_mode if stream_mode is not None else _TIMES
        return mode, "" if mode == _TIMES else f"was not traced in mode 0 (times), and {_NO_MODE}"
    if mode == _EXECUTION:
        return mode, "was traced in mode 2 (execution), which is not documented"
    # Packets of all modes have one layout: when decoded in the wrong mode they are nonsense.
    if mode > _EXECUTION or stream_mode not in (None, mode):
        return mode, f"was configured for mode {mode}, but its words begin as those of another mode"
    return mode, ""
