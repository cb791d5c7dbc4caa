"""Collect begin and end entries of Chrome traces as columns."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from data_loaders.aie.entry_values import (
    id_text,
    is_id,
    join_parts,
    ticks,
    valid_mask,
    whole_below,
)
from data_loaders.trace_columns import Codes, clean, encode, phase_kind
from schema.array_types import Bools, Ints

MAX_ADDRESS = 2**14
"""Size of a core's program memory in bytes; addresses of records must be below it."""
MAX_SLOT_NAMES = 64
"""Number of thread names of a process that are read; a unit has 8 slots."""
MAX_TICK = 2**61
"""Bound of time stamps in ticks: beyond it, an entry is skipped. Differences then fit 64 bits."""

T = TypeVar("T")

Lane = tuple[int, int, int]
"""Codes of a pid, a name and a tid."""


@dataclass(frozen=True)
class Instants:
    """Records of program addresses in file order, as int64 columns of equal length.

    `pid`, `name` and `tid` are codes, `order` is the position of the record in its unit's capture,
    `pc` the byte address.
    """

    pid: Ints
    name: Ints
    tid: Ints
    order: Ints
    pc: Ints


def join_instants(parts: Iterable[Ints]) -> Instants:
    """Concatenate arrays of shape (n, 5) with columns pid, name, tid, order and pc.

    Without parts, all columns have length 0.
    """
    rows = np.concatenate([np.empty((0, 5), np.int64), *parts])
    return Instants(*rows.T)


@dataclass
class Entries:
    """Begin and end entries in file order, and the names from the metadata entries.

    Per entry: `lane` (int32 code into `lanes`), `begin` (bool), `ts` (int64 ticks). `lanes` holds
    (pid, name, tid) as codes into `pids` and `tids` (JSON texts) and `names`. `processes` maps a
    pid code, in order of appearance, to (process name, number of entries before it was first
    named). `bad` counts skipped entries by kind. `cut_at` is the byte offset at which a cut
    file ends, `None` if the file is whole. `instants` have no times. `lasts` maps a
    pid code to the tick at which its unit ends, if that may be later than its last entry. `slots`
    maps a pid code to the events that the unit's slots trace, whether or not they occurred. `marks`
    maps a pid code to the end of its unit's name, such as ` #2`, if it is of a later slice.
    """

    lane: npt.NDArray[np.int32]
    begin: Bools
    ts: Ints
    lanes: list[Lane]
    pids: list[str]
    tids: list[str]
    names: list[str]
    processes: dict[int, tuple[str, int]]
    bad: Counter[str]
    total: int
    cut_at: int | None = None
    instants: Instants = field(default_factory=partial(join_instants, ()))
    lasts: dict[int, int] = field(default_factory=dict)
    slots: dict[int, list[str]] = field(default_factory=dict)
    marks: dict[int, str] = field(default_factory=dict)


@dataclass
class EntryCollector:
    """Collector of entries from tables of well-formed blocks and from single JSON values."""

    pids: Codes[str] = field(default_factory=Codes)
    tids: Codes[str] = field(default_factory=Codes)
    names: Codes[str] = field(default_factory=Codes)
    lanes: Codes[Lane] = field(default_factory=Codes)
    processes: dict[int, tuple[str, int]] = field(default_factory=dict)
    slots: dict[str, list[str]] = field(default_factory=dict)
    """JSON text of a pid -> names of its threads, which are the events of its slots."""
    bad: Counter[str] = field(default_factory=Counter)
    total: int = 0
    _timed: int = 0
    _lane: list[npt.NDArray[np.int32]] = field(default_factory=list)
    _begin: list[Bools] = field(default_factory=list)
    _ts: list[Ints] = field(default_factory=list)
    _instants: list[Ints] = field(default_factory=list)

    def add_table(self, table: pa.Table) -> None:
        """Add a block of entries to the collector: columns name, ph, ts, pid, tid and, for
        metadata, args.

        Invalid entries are counted by kind in `bad`.
        """
        self.total += table.num_rows
        phase, phases = encode(table["ph"])
        counts = np.bincount(phase, minlength=len(phases)).tolist()
        timed = np.array([text in ("B", "E") for text in phases], bool)[phase]
        # When a time stamp is missing, MAX_TICK takes its place and marks it as out of range.
        ts = table["ts"].fill_null(MAX_TICK).to_numpy()
        whole = self._whole(table, timed, ts)
        if "M" in phases:
            self._add_metadata(table, whole)
        for text, count in zip(phases, counts, strict=True):
            if text not in ("B", "E", "M"):
                read = self._add_instants(table) if text == "i" else 0
                self.bad += Counter({phase_kind(text): count - read})
        begin = np.array([text == "B" for text in phases], bool)[phase]
        if whole.all():
            self._add(self._lane_codes(table), begin, ts)
        else:
            self._add(self._lane_codes(table.filter(pa.array(whole))), begin[whole], ts[whole])

    def _add_instants(self, table: pa.Table) -> int:
        """Add the valid address records (entries with phase `i`) of a block; returns their number."""
        instants = [
            self._instant(row) for row in table.filter(pc.equal(table["ph"], "i")).to_pylist()
        ]
        rows = [row for row in instants if row is not None]
        if rows:
            self._instants.append(np.array(rows, np.int64))
        return len(rows)

    def _instant(self, value: dict[str, Any]) -> tuple[int, int, int, int, int] | None:
        """Convert an instant entry to (pid code, name code, tid code, position, byte address).

        Returns `None` if a value is missing, of another type or out of range.
        """
        args, name, pid, tid, order = (
            value.get(key) for key in ("args", "name", "pid", "tid", "ts")
        )
        address = args.get("pc") if isinstance(args, dict) else None
        if value.get("s") != "t" or not isinstance(name, str) or not is_id(pid):
            return None
        rank = whole_below(order, MAX_TICK)
        byte = whole_below(address, MAX_ADDRESS)
        if rank is None or byte is None:
            return None
        unit = self.pids[id_text(pid)]
        thread = self.tids[id_text(tid) if is_id(tid) else "null"]
        return unit, self.names[clean(name)], thread, rank, byte

    def _add(self, lane: npt.NDArray[np.int32], begin: Bools, ts: Ints) -> None:
        self._timed += len(ts)
        self._lane.append(lane)
        self._begin.append(begin)
        self._ts.append(ts)

    def _lane_codes(self, rows: pa.Table) -> npt.NDArray[np.int32]:
        """Return the code in `lanes` of every row, shape (rows,); new lanes get the next codes."""
        pid, pids = encode(rows["pid"])
        name, names = encode(rows["name"])
        tid, tids = encode(rows["tid"])
        # A block has few distinct combinations, so each is looked up once and not per row.
        key = (pid.astype(np.int64) * max(1, len(names)) + name) * max(1, len(tids)) + tid
        code, keys = encode(pa.array(key))
        codes = [
            self.lanes[
                self.pids[json.dumps(pids[k // len(tids) // len(names)])],
                self.names[names[k // len(tids) % len(names)]],
                self.tids[json.dumps(tids[k % len(tids)])],
            ]
            for k in keys
        ]
        return np.array(codes, dtype=np.int32)[code]

    def _whole(self, table: pa.Table, timed: Bools, ts: Ints) -> Bools:
        """Return a mask over the rows: True for begin and end entries (mask `timed`) with ts, name
        and pid.

        Entries without them, or with a ts out of range, are counted by reason in `bad`.
        """
        whole = self._count_invalid(timed, valid_mask(table["ts"]), "no ts")
        whole = self._count_invalid(whole, (ts < MAX_TICK) & (ts > -MAX_TICK), "ts out of range")
        whole = self._count_invalid(whole, valid_mask(table["name"]), "no name")
        return self._count_invalid(whole, valid_mask(table["pid"]), "no pid")

    def _count_invalid(self, whole: Bools, valid: Bools | None, kind: str) -> Bools:
        """Return `whole & valid` and add the number of entries that are whole but not valid to
        `bad[kind]`.

        If `valid` is `None`, all entries are valid, and `whole` is returned.
        """
        if valid is None:
            return whole
        both = whole & valid
        lacking = int(np.count_nonzero(whole) - np.count_nonzero(both))
        if lacking:
            self.bad[kind] += lacking
        return both

    def _add_metadata(self, table: pa.Table, whole: Bools) -> None:
        is_metadata = pc.equal(table["ph"], "M")
        threads = pc.and_(is_metadata, pc.equal(table["name"], "thread_name")).fill_null(False)
        for row in table.filter(threads).select(["pid", "args"]).to_pylist():
            if row["pid"] is not None:
                self._add_slot(json.dumps(row["pid"]), (row["args"] or {}).get("name") or "")
        named = pc.and_(is_metadata, pc.equal(table["name"], "process_name")).fill_null(False)
        if not pc.any(named).as_py():
            return
        before = self._timed + np.cumsum(whole)[named.to_numpy()]
        for place, row in zip(before.tolist(), table.filter(named).to_pylist(), strict=True):
            if row["pid"] is not None:
                self._add_process(
                    json.dumps(row["pid"]), (row["args"] or {}).get("name") or "", place
                )

    def _add_process(self, pid: str, name: str, before: int) -> None:
        code = self.pids[pid]
        _, first = self.processes.get(code, ("", before))
        self.processes[code] = (name, first)

    def _add_slot(self, pid: str, name: str) -> None:
        names = self.slots.setdefault(pid, [])
        if len(names) < MAX_SLOT_NAMES:
            names.append(name)

    def add_values(self, values: list[object]) -> None:
        """Add entries to the collector as parsed JSON values.

        Invalid values are counted by kind in `bad`.
        """
        rows: list[tuple[int, bool, int]] = []
        for value in values:
            row = self._row(value, self._timed + len(rows))
            if row is not None:
                rows.append(row)
        self.total += len(values)
        if rows:
            lane, begin, ts = zip(*rows, strict=True)
            self._add(np.array(lane, np.int32), np.array(begin, bool), np.array(ts, np.int64))

    def _row(self, value: object, before: int) -> tuple[int, bool, int] | None:
        if not isinstance(value, dict):
            self.bad["not an object"] += 1
            return None
        phase = value.get("ph")
        if phase == "M":
            self._metadata_row(value, before)
        elif phase in ("B", "E"):
            return self._timed_row(value, phase == "B")
        elif phase == "i" and (instant := self._instant(value)) is not None:
            self._instants.append(np.array([instant], np.int64))
        else:
            self.bad[phase_kind(phase)] += 1
        return None

    def _metadata_row(self, value: dict[str, object], before: int) -> None:
        args = value.get("args")
        label = args.get("name") if isinstance(args, dict) else None
        name = clean(label) if isinstance(label, str) else ""
        if not is_id(value.get("pid")):
            return
        if value.get("name") == "process_name":
            self._add_process(id_text(value["pid"]), name, before)
        elif value.get("name") == "thread_name":
            self._add_slot(id_text(value["pid"]), name)

    def _timed_row(self, value: dict[str, object], begin: bool) -> tuple[int, bool, int] | None:
        name = value.get("name")
        pid = value.get("pid")
        tid = value.get("tid")
        ts = ticks(value.get("ts"))
        if value.get("ts") is None:
            self.bad["no ts"] += 1
        elif ts is None:
            self.bad["ts is not a number"] += 1
        elif abs(ts) >= MAX_TICK:
            self.bad["ts out of range"] += 1
        elif not isinstance(name, str):
            self.bad["no name"] += 1
        elif not is_id(pid):
            self.bad["no pid"] += 1
        else:
            tid_text = id_text(tid) if is_id(tid) else "null"
            lane = self.pids[id_text(pid)], self.names[clean(name)], self.tids[tid_text]
            return self.lanes[lane], begin, ts
        return None

    def entries(self, cut_at: int | None) -> Entries:
        """Join the collected entries and empty the collector's columns, to free memory early.

        `cut_at` is the byte at which a cut file ends, `None` if it is whole.
        """
        return Entries(
            lane=join_parts(self._lane, np.int32),
            begin=join_parts(self._begin, np.bool_),
            ts=join_parts(self._ts, np.int64),
            lanes=list(self.lanes),
            pids=list(self.pids),
            tids=list(self.tids),
            names=list(self.names),
            processes=self.processes,
            bad=self.bad,
            total=self.total,
            cut_at=cut_at,
            instants=join_instants(self._instants),
            slots={code: self.slots[pid] for pid, code in self.pids.items() if pid in self.slots},
        )
