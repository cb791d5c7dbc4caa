"""Loader of the words of AMD AIE trace buffers, before a parser makes JSON of them.

Format: mlir-aie's `trace.txt`, a word of eight hexadecimal digits per line, or the same words as
bytes. The events of the slots are configured in the design's MLIR in the same folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from data_loaders.aie.configuration import (
    Place,
    UnitConfiguration,
    is_design,
    read_configuration,
    shift_columns,
)
from data_loaders.aie.entries import Entries, Lane, join_instants
from data_loaders.aie.event_codes import code_name
from data_loaders.aie.frames import MAX_UNITS, capture_frames
from data_loaders.aie.packets import (
    MAX_SAMPLES,
    SLOTS,
    TooManySamplesError,
    parse_start,
    read_levels,
    read_records,
)
from data_loaders.aie.settings import gemm_metadata, index_settings, run_name
from data_loaders.aie.words import Packets, Stream, is_binary, is_text, read_words, split_packets
from data_loaders.protocol import Bundle, LoadedRun, LoadError, Settings
from data_loaders.reading.files import read_head
from schema.diagnostics import Diagnostic, occurrences
from schema.plurals import plural
from schema.sources import source_of

_INDEX = "index.json"
_DESIGN = ".mlir"
_MAX_DESIGNS = 16
"""Number of MLIR files per folder that are inspected."""
_WITH_PROGRAMS = "main_physical_with_elfs.mlir"
"""Design that includes the programs of the cores, and therefore all register writes."""
_BUFFER_STEP = 1024
"""Bytes; sizes of trace buffers are multiples of it."""
_MAX_NAMED_UNITS = 3
"""Number of units that a finding names."""
_TIMES, _ADDRESSES, _EXECUTION = range(3)
"""Trace modes: level changes in time, program addresses, executed instructions."""
_NO_MODE = "the MLIR that says its mode is not beside the trace"
"""Why a unit without configuration and in another mode than 0 is not read."""


class AieWordsLoader:
    """Loader of raw trace words of AIE arrays, with the MLIR that configured the trace."""

    name = "aie_words"
    reads = "raw trace words of AIE arrays, as text of hexadecimal words or as bytes"
    setting_names = source_of("aie_words").settings
    version = "1"

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return `None` for hexadecimal words and for packets as bytes, else a reason for
        rejection.
        """
        if is_text(head) or is_binary(head):
            return None
        return "neither a trace word of eight hexadecimal digits per line nor the packets of a trace as bytes"

    def bundle(self, path: Path) -> Bundle:
        """Return a bundle of the words with the designs and the `index.json` of the same folder."""
        index = path.parent / _INDEX
        return Bundle(path, (*_designs(path.parent), *((index,) if index.is_file() else ())))

    def load(
        self,
        path: Path,
        settings: Settings,
        origin: str | None = None,
        companions: Sequence[Path] = (),
    ) -> LoadedRun:
        """Load the trace words; raises LoadError if they contain no packet or too many units."""
        indexed, unread = index_settings([file for file in companions if file.name == _INDEX])
        metadata = gemm_metadata(origin or path.as_posix(), indexed, settings)
        buffer = read_words(path)
        packets = split_packets(buffer.words)
        if not packets.streams:
            raise LoadError(f"{path}: {_no_packet_reason(buffer.words)}")
        if len(packets.streams) > MAX_UNITS:
            unit_count = len(packets.streams)
            raise LoadError(
                f"{path}: packets of {unit_count} units are more than any array has (at most {MAX_UNITS})"
            )
        configured, skipped = _configuration(
            [file for file in companions if file.suffix == _DESIGN]
        )
        configured = shift_columns(configured, min(stream.col for stream in packets.streams))
        collected = _Collector()
        try:
            for stream in packets.streams:
                collected.add(stream, configured.get((stream.kind, stream.row, stream.col)))
        except TooManySamplesError as error:
            raise LoadError(f"{path}: its {error}") from error
        frames, findings = capture_frames(collected.entries(), path)
        metadata.setdefault("name", run_name(origin or path.as_posix(), metadata))
        findings = [
            *unread,
            *skipped,
            *_packet_findings(packets, len(buffer.words), path.name),
            *findings,
        ]
        findings += [*collected.findings(path.name), *_cut_finding(path.name, cut=buffer.cut)]
        return LoadedRun(metadata | {"time_unit": "cycles"}, frames, findings)


def _designs(folder: Path) -> list[Path]:
    """List the folder's designs.

    The file with the programs of the cores is first: it has all writes.
    """
    files = [file for file in sorted(folder.glob(f"*{_DESIGN}")) if file.is_file()][:_MAX_DESIGNS]
    designs = [file for file in files if _is_readable_design(file)]
    return sorted(designs, key=lambda file: file.name != _WITH_PROGRAMS)


def _is_readable_design(file: Path) -> bool:
    try:
        return is_design(read_head(file))
    except (LoadError, OSError):
        return False


def _configuration(
    designs: Iterable[Path],
) -> tuple[dict[Place, UnitConfiguration], list[Diagnostic]]:
    """Read the first design that configures a trace.

    Findings name the designs that are unreadable.
    """
    findings = []
    for file in designs:
        try:
            units = read_configuration(file)
        except (LoadError, OSError) as error:
            text = f"{file.name} cannot be read and is left out: {error}"
            findings.append(Diagnostic("warning", "companion_unreadable", text, file.name))
            continue
        # Folders of a build hold several stages of one design; not all of them have the writes.
        if units:
            return units, findings
    return {}, findings


def _no_packet_reason(words: npt.NDArray[np.uint32]) -> str:
    """Explain why the words contain no packet, as the end of a sentence about the file."""
    if not len(words):
        return "has no whole trace word"
    return (
        "every word is zero: nothing was traced"
        if not words.any()
        else "no packet of a trace is in its words"
    )


@dataclass
class _Collector:
    """Collector of the streams of all units as the entries of a capture."""

    names: dict[str, int] = field(default_factory=dict)
    processes: dict[int, tuple[str, int]] = field(default_factory=dict)
    _lanes: list[Lane] = field(default_factory=list)
    _lane: list[npt.NDArray[np.int32]] = field(default_factory=list)
    _begin: list[npt.NDArray[np.bool_]] = field(default_factory=list)
    _ts: list[npt.NDArray[np.int64]] = field(default_factory=list)
    _instants: list[npt.NDArray[np.int64]] = field(default_factory=list)
    _entries: int = 0
    _samples: int = MAX_SAMPLES
    _unknown: Counter[str] = field(default_factory=Counter)
    _syncs: Counter[str] = field(default_factory=Counter)
    _timers: dict[str, int] = field(default_factory=dict)
    _unnamed: list[str] = field(default_factory=list)
    _modes: list[Diagnostic] = field(default_factory=list)

    def add(self, stream: Stream, configured: UnitConfiguration | None) -> None:
        """Decode the stream of a unit.

        Raises TooManySamplesError if all units together exceed the limit.
        """
        pid = len(self.processes)
        track = f"{stream.kind} {stream.row},{stream.col}"
        self.processes[pid] = (
            f"{stream.kind}_trace for tile{stream.row},{stream.col}",
            self._entries,
        )
        names = _slot_names(stream.kind, configured)
        if configured is None or not configured.has_events:
            self._unnamed.append(track)
        stream_mode, timer = parse_start(stream.content)
        # Timers are only compared: as in mlir-aie, cycles count from the start of each unit's trace.
        if timer is not None:
            self._timers[track] = timer
        mode, why = _mode(stream_mode, configured)
        if why:
            text = f"tile {stream.row},{stream.col} {why}; nothing of it is shown"
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
        """Join the collected columns."""
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
        )

    def findings(self, file: str) -> list[Diagnostic]:
        """Report problems of the streams, such as a missing configuration or unknown commands."""
        findings = list(self._modes)
        if self._unnamed:
            text = (
                f"no configuration of {plural(len(self._unnamed), 'unit')} is in the MLIR beside the trace: its slots "
                "have numbers in place of events"
            )
            findings.append(
                Diagnostic(
                    "warning",
                    "config_missing",
                    text,
                    _names_with_rest(self._unnamed),
                    len(self._unnamed),
                )
            )
        if unknown := self._unknown.total():
            text = f"{plural(unknown, 'command')} of the trace skipped: not known, or a repeat of nothing"
            findings.append(
                Diagnostic(
                    "warning", "commands_skipped", text, _names_with_rest(+self._unknown), unknown
                )
            )
        findings += occurrences(
            "info", "event_syncs", self._syncs.total(), "sync", "of 262,144 cycles each were read"
        )
        if len(set(self._timers.values())) > 1:
            spread = max(self._timers.values()) - min(self._timers.values())
            text = (
                f"the units' own timers stood {spread} cycles apart when their traces began; every unit is shown "
                "from cycle 0"
            )
            findings.append(Diagnostic("info", "timer_offsets", text, file, len(self._timers)))
        return findings


def _slot_names(kind: str, configured: UnitConfiguration | None) -> list[str]:
    codes = configured.codes if configured else [None] * SLOTS
    return [
        f"slot {slot}" if code is None else code_name(kind, code) for slot, code in enumerate(codes)
    ]


def _mode(stream_mode: int | None, configured: UnitConfiguration | None) -> tuple[int, str]:
    """Return a unit's mode, and the reason why its stream cannot be read; "" if it can.

    `stream_mode` is the mode in the start command of the stream, `None` without such a command. If
    it contradicts the configuration, the stream is not read.
    """
    mode = configured.mode if configured else None
    if mode is None:
        mode = stream_mode if stream_mode is not None else _TIMES
        return mode, "" if mode == _TIMES else f"was not traced in mode 0 (times), and {_NO_MODE}"
    if mode == _EXECUTION:
        return mode, "was traced in mode 2 (execution), which is not documented"
    # Packets of all modes have one layout: when decoded in the wrong mode they are nonsense.
    if mode > _EXECUTION or stream_mode not in (None, mode):
        return mode, f"was configured for mode {mode}, but its words begin as those of another one"
    return mode, ""


def _packet_findings(packets: Packets, words: int, file: str) -> list[Diagnostic]:
    findings = occurrences(
        "warning",
        "bad_headers",
        packets.bad,
        "packet",
        "with a damaged header: taken for the unit before",
    )
    findings += occurrences(
        "warning", "words_lost", packets.lost, "word", "before the first packet of a unit left out"
    )
    if packets.full and 4 * words % _BUFFER_STEP == 0:
        text = (
            f"the buffer of {4 * words} bytes is full to its last word, so that the end of the trace may be lost: "
            "raise trace_size"
        )
        findings.append(Diagnostic("warning", "trace_overrun", text, file))
    return findings


def _cut_finding(file: str, *, cut: bool) -> list[Diagnostic]:
    text = "the file ends inside a word: the whole words before the cut were read"
    return [Diagnostic("warning", "file_cut", text, file)] if cut else []


def _names_with_rest(tracks: Iterable[str]) -> str:
    named = list(tracks)
    more = f" and {len(named) - _MAX_NAMED_UNITS} more" if len(named) > _MAX_NAMED_UNITS else ""
    return ", ".join(named[:_MAX_NAMED_UNITS]) + more
