"""Build the frames of a capture: tracks (units), events (intervals) and program counters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from data_loaders.aie.entries import MAX_TICK, Entries
from data_loaders.aie.interval_findings import interval_findings
from data_loaders.aie.names import event_name, process_unit
from data_loaders.aie.pairing import Intervals, pair_intervals
from data_loaders.protocol import LoadError
from schema.array_types import Ints
from schema.diagnostics import Diagnostic
from schema.frames import build_frame, conform, empty
from schema.plurals import plural

MAX_UNITS = 1_024
"""Highest number of traced units of a capture; no array has more."""
MAX_LANES = 16_384
"""Highest number of event slots of a capture, over all units."""
_RELEVANT_BEGIN = ("INSTR_EVENT_0", "LOCK_STALL")
_RELEVANT_END = ("INSTR_EVENT_1", "LOCK_STALL")


def capture_frames(
    entries: Entries, path: Path
) -> tuple[dict[str, pd.DataFrame], list[Diagnostic]]:
    """Build frames `tracks`, `events` and, if there are address records, `program_counters`, and
    findings about units and intervals.

    Raises LoadError if the capture has more than 1,024 units or 16,384 slots.
    """
    if len(entries.pids) > MAX_UNITS or len(entries.lanes) > MAX_LANES:
        counts = f"{len(entries.pids)} processes and {plural(len(entries.lanes), 'slot')}"
        raise LoadError(
            f"{path}: {counts} exceed the limits of an array (at most {MAX_UNITS} and {MAX_LANES})"
        )
    lanes = _lanes(entries)
    units = _units(entries, lanes)
    intervals = pair_intervals(lanes.code, entries.ts, entries.begin, units.changed[lanes.pid])
    frames = {
        "tracks": _tracks_frame(units, entries),
        "events": _events_frame(intervals, lanes, units, entries),
    }
    findings = [*_unit_findings(units), *interval_findings(intervals, frames["events"])]
    if len(entries.instants.order):
        frames["program_counters"] = _program_counters(entries, units)
        findings.append(_instants_finding(frames["program_counters"]))
    return frames, findings


@dataclass(frozen=True)
class _Units:
    """Columns with a row per pid: names, first and last time stamp, number of entries.

    `changed` is the last time stamp of an entry, `last` the end of the unit: the stream of words
    may go on behind its last change.
    `name` is derived from the process name; `track` is `name` with a number if the name occurred
    before.
    """

    track: list[str]
    name: list[str]
    kind: list[str]
    row: list[int | None]
    col: list[int | None]
    process: list[str]
    order: Ints
    first: Ints
    changed: Ints
    last: Ints
    entries: Ints


@dataclass(frozen=True)
class _Lanes:
    """Lane code of every entry, and pid code, label and name code of every lane.

    Lanes are sorted by pid, name and slot.
    """

    code: npt.NDArray[np.int32]
    pid: Ints
    label: list[str]
    name: Ints


def _units(entries: Entries, lanes: _Lanes) -> _Units:
    count = len(entries.pids)
    # Entries are reduced to lanes, then lanes to units: there are few lanes, so the second step is
    # cheap and needs no pid per entry.
    first, last = (np.full(len(lanes.pid), limit) for limit in (MAX_TICK, -MAX_TICK))
    np.minimum.at(first, lanes.code, entries.ts)
    np.maximum.at(last, lanes.code, entries.ts)
    lane_entries = np.bincount(lanes.code, minlength=len(lanes.pid))
    unit_first = np.full(count, MAX_TICK)
    unit_last = np.full(count, -MAX_TICK)
    seen = np.zeros(count, np.int64)
    np.minimum.at(unit_first, lanes.pid, first)
    np.maximum.at(unit_last, lanes.pid, last)
    np.add.at(seen, lanes.pid, lane_entries)
    changed = unit_last.copy()
    for code, tick in entries.lasts.items():
        unit_last[code] = max(unit_last[code], tick)
    process = [entries.processes.get(code, ("", 0))[0] for code in range(count)]
    parsed = [process_unit(name) for name in process]
    names = [
        _unit_name(unit, process[code], entries.pids[code]) + entries.marks.get(code, "")
        for code, unit in enumerate(parsed)
    ]
    return _Units(
        track=_distinct(names),
        name=names,
        kind=[kind for kind, _, _ in parsed],
        row=[row for _, row, _ in parsed],
        col=[col for _, _, col in parsed],
        process=process,
        order=_reference_order(entries, lanes),
        first=np.where(seen > 0, unit_first, 0),
        changed=np.where(seen > 0, changed, 0),
        last=np.where(seen > 0, unit_last, 0),
        entries=seen,
    )


def _unit_name(unit: tuple[str, int | None, int | None], process: str, pid: str) -> str:
    kind, row, col = unit
    return f"{kind} {row},{col}" if row is not None else (process or f"pid {pid}")


def _distinct(names: Iterable[str]) -> list[str]:
    """Append ` #2`, ` #3` ... to every name that occurred before, so that all names differ.

    The order stays.
    """
    seen: dict[str, int] = {}
    distinct: list[str] = []
    for name in names:
        unique = name
        count = seen.get(name, 0)
        while unique in seen:
            count += 1
            unique = f"{name} #{count + 1}"
        seen[name] = count
        seen.setdefault(unique, 0)
        distinct.append(unique)
    return distinct


def _reference_order(entries: Entries, lanes: _Lanes) -> Ints:
    """Return the rank (from 0) of each pid by the entry that first mentions it, as the reference
    script orders cores; shape (pids,).

    An entry mentions a pid if it names the process, begins INSTR_EVENT_0 or ends INSTR_EVENT_1, or
    is of LOCK_STALL. Pids without such an entry come last.
    """
    begins = np.array([name in _RELEVANT_BEGIN for name in entries.names], bool)[lanes.name]
    ends = np.array([name in _RELEVANT_END for name in entries.names], bool)[lanes.name]
    relevant = np.flatnonzero(np.where(entries.begin, begins[lanes.code], ends[lanes.code]))
    first = np.full(len(entries.pids), MAX_TICK)
    # Entries count as odd positions: a process name behind n entries is at the even position 2n.
    np.minimum.at(first, lanes.pid[lanes.code[relevant]], 2 * relevant + 1)
    named = np.full(len(entries.pids), len(entries.processes))
    for rank, (code, (_, before)) in enumerate(entries.processes.items()):
        first[code] = min(first[code], 2 * before)
        named[code] = rank
    order = np.empty(len(first), np.int64)
    order[np.lexsort((named, first))] = np.arange(len(first))
    return order


def _lanes(entries: Entries) -> _Lanes:
    """Sort the lanes by pid, name and slot, and look up the lane of each entry.

    If a unit has several slots with one event name, their labels end with `@` and the slot.
    """
    pid, name, tid = np.array(entries.lanes, np.int64).reshape(-1, 3).T
    slot = np.array([entries.tids[t] for t in tid.tolist()], dtype=object)
    order = np.lexsort((slot, name, pid))
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    pid = pid[order]
    name = name[order]
    tid = tid[order]
    same = np.zeros(len(order) + 1, bool)
    same[1:-1] = (pid[1:] == pid[:-1]) & (name[1:] == name[:-1])
    labels = (
        f"{entries.names[n]}@{entries.tids[t]}" if shared else entries.names[n]
        for n, t, shared in zip(name, tid, same[:-1] | same[1:], strict=True)
    )
    of_unit = groupby(zip(pid.tolist(), labels, strict=True), key=itemgetter(0))
    distinct = [label for _, unit in of_unit for label in _distinct(label for _, label in unit)]
    return _Lanes(rank[entries.lane], pid, distinct, name)


def _tracks_frame(units: _Units, entries: Entries) -> pd.DataFrame:
    return build_frame(
        "tracks",
        {
            "track": pd.Categorical(units.track, categories=units.track),
            "kind": pd.Categorical(
                units.kind, categories=["core", "mem", "memtile", "shim", "other"]
            ),
            "row": pd.array(units.row, dtype="Int64"),
            "col": pd.array(units.col, dtype="Int64"),
            "pid": pd.array(entries.pids, dtype="str"),
            "process": pd.array(units.process, dtype="str"),
            "order": units.order,
            "first": units.first,
            "last": units.last,
            "entries": units.entries,
            "traced": pd.array(_traced_events(entries), dtype="str"),
        },
    )


def _traced_events(entries: Entries) -> list[str]:
    """Return the names of the events that the slots of each unit trace, sorted, blanks between.

    "" for a unit whose slots the file does not name.
    """
    named: list[str] = []
    for code in range(len(entries.pids)):
        slots = {event_name(name) for name in entries.slots.get(code, ())}
        named.append(" ".join(sorted(name for name in slots if name.isidentifier())))
    return named


def _events_frame(
    intervals: Intervals, lanes: _Lanes, units: _Units, entries: Entries
) -> pd.DataFrame:
    if not len(intervals.start):
        return empty("events")
    # Lanes of a unit are sorted by name, then slot. Categories in the same order keep the frame
    # sorted by (track, lane, start).
    labels = list(
        dict.fromkeys(
            label for _, label in sorted(zip(lanes.name.tolist(), lanes.label, strict=True))
        )
    )
    spelled = [event_name(name) for name in entries.names]
    names = list(dict.fromkeys(spelled))
    label_rank = {label: rank for rank, label in enumerate(labels)}
    name_rank = {name: rank for rank, name in enumerate(names)}
    label_code = np.array([label_rank[label] for label in lanes.label])
    name_code = np.array([name_rank[spelled[n]] for n in lanes.name])
    frame = pd.DataFrame(
        {
            "track": _categorical(lanes.pid, intervals.lane, units.track),
            "lane": _categorical(label_code, intervals.lane, labels),
            "name": _categorical(name_code, intervals.lane, names),
            "start": intervals.start,
            "end": intervals.end,
            "opened": intervals.opened,
            "closed": intervals.closed,
        },
        copy=False,
    )
    return conform("events", frame)


def _categorical(code: Ints, lane: npt.NDArray[np.int32], categories: list[str]) -> pd.Categorical:
    """Build a categorical with an element per interval, the category of its lane.

    `code` has the category code of every lane, `lane` the lane of every interval.
    """
    small = code.astype(np.int8 if len(categories) < 128 else np.int32)
    return pd.Categorical.from_codes(small[lane], categories=pd.Index(categories, dtype="str"))


def _program_counters(entries: Entries, units: _Units) -> pd.DataFrame:
    """Build frame `program_counters`.

    A row per address record, sorted by unit and order of capture.
    """
    records = entries.instants
    order = np.lexsort((records.order, records.pid))
    spelled = [event_name(name) for name in entries.names]
    columns = {
        "track": pd.Categorical.from_codes(
            records.pid[order], categories=pd.Index(units.track, dtype="str")
        ),
        "name": pd.Categorical([spelled[code] for code in records.name[order].tolist()]),
        "tid": pd.array([entries.tids[code] for code in records.tid[order].tolist()], dtype="str"),
        "order": records.order[order],
        "pc": records.pc[order],
    }
    return conform("program_counters", pd.DataFrame(columns))


def _instants_finding(records: pd.DataFrame) -> Diagnostic:
    tracks = records["track"].drop_duplicates().astype(str).tolist()
    text = (
        f"{plural(len(tracks), 'unit')} traced in mode EVENT_PC: {plural(len(records), 'record')} "
        "of addresses without times, shown by address and excluded from all times"
    )
    return Diagnostic("info", "event_pc", text, ", ".join(tracks[:3]), len(records))


def _unit_findings(units: _Units) -> list[Diagnostic]:
    findings = []
    for track, name, kind, process in zip(
        units.track, units.name, units.kind, units.process, strict=True
    ):
        if not process:
            text = "a process without a name: it is not known whether its kernels ran on a core"
            findings.append(Diagnostic("warning", "unit_unnamed", text, track))
        elif track != name:
            text = f"another process is also named {process[:80]!r}: both are shown separately"
            findings.append(Diagnostic("warning", "unit_twice", text, track))
        elif kind == "other":
            findings.append(
                Diagnostic("info", "unit_unknown", f"not an AIE unit: {process[:80]!r}", track[:80])
            )
    return findings[:50]
