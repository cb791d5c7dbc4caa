"""Begin and end entries of Chrome traces, gathered as columns."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

MAX_TICK = 2**62

Row = tuple[int, int, int, bool, int, int]


@dataclass
class Entries:
    """Begin and end entries in file order, and what the metadata named.

    `pid`, `tid`, `name` (int32) are codes into the tables `pids`, `tids` (JSON texts) and `names`; `begin` is bool,
    `ts` int64 ticks, `rank` the int64 place in the file. `processes` maps a pid code to (process name, place of its
    first entry). `bad` counts what was skipped, by kind. `cut_at` is the byte at which a file stops being
    readable; None where it ends as it should.
    """

    pid: npt.NDArray[np.int32]
    tid: npt.NDArray[np.int32]
    name: npt.NDArray[np.int32]
    begin: npt.NDArray[np.bool_]
    ts: npt.NDArray[np.int64]
    rank: npt.NDArray[np.int64]
    pids: list[str]
    tids: list[str]
    names: list[str]
    processes: dict[int, tuple[str, int]]
    bad: Counter[str]
    total: int
    cut_at: int | None = None


class _Codes(dict[str, int]):
    """Text to code, in order of appearance."""

    def __missing__(self, key: str) -> int:
        self[key] = len(self)
        return self[key]


@dataclass
class EntryCollector:
    """Gathers entries from well-formed blocks and from single values."""

    pids: _Codes = field(default_factory=_Codes)
    tids: _Codes = field(default_factory=_Codes)
    names: _Codes = field(default_factory=_Codes)
    processes: dict[int, tuple[str, int]] = field(default_factory=dict)
    bad: Counter[str] = field(default_factory=Counter)
    total: int = 0
    _columns: list[tuple[npt.NDArray[np.generic], ...]] = field(default_factory=list)

    def add_table(self, table: pa.Table) -> None:
        """Take a block with columns name, ph, ts, pid, tid, args.name in file order."""
        base, self.total = self.total, self.total + table.num_rows
        self._add_metadata(table, base)
        for item in table["ph"].value_counts().to_pylist():
            if item["values"] not in ("B", "E", "M"):
                self.bad[_phase_kind(item["values"])] += item["counts"]
        whole = self._whole(table)
        rows = table.filter(whole)
        self._columns.append(
            (
                _coded(rows["pid"], self.pids, json.dumps),
                _coded(rows["tid"], self.tids, json.dumps),
                _coded(rows["name"], self.names, str),
                pc.equal(rows["ph"], "B").to_numpy(),
                rows["ts"].to_numpy(),
                base + np.flatnonzero(whole.to_numpy()),
            )
        )

    def _whole(self, table: pa.Table) -> pa.ChunkedArray:
        """Return which rows are begin or end entries with all they need; count those that lack something."""
        whole = pc.is_in(table["ph"], value_set=pa.array(["B", "E"]))
        for column in ("ts", "name", "pid"):
            valid = table[column].is_valid()
            lacking = pc.sum(pc.and_(whole, pc.invert(valid))).as_py() or 0
            if lacking:
                self.bad[f"no {column}"] += lacking
                whole = pc.and_(whole, valid)
        return whole

    def _add_metadata(self, table: pa.Table, base: int) -> None:
        named = pc.and_(pc.equal(table["ph"], "M"), pc.equal(table["name"], "process_name")).fill_null(False)
        places = np.flatnonzero(named.to_numpy())
        for place, row in zip(places, table.filter(named).to_pylist(), strict=True):
            if row["pid"] is not None:
                self._add_process(json.dumps(row["pid"]), (row["args"] or {}).get("name") or "", base + int(place))

    def _add_process(self, pid: str, name: str, rank: int) -> None:
        code = self.pids[pid]
        _, first = self.processes.get(code, ("", rank))
        self.processes[code] = (name, first)

    def add_values(self, values: list[object]) -> None:
        """Take entries that were read one by one."""
        rows: list[Row] = []
        for value in values:
            row = self._row(value)
            if row is not None:
                rows.append(row)
            self.total += 1
        if rows:
            kinds = (np.int32, np.int32, np.int32, np.bool_, np.int64, np.int64)
            self._columns.append(
                tuple(np.array(c, dtype=k) for c, k in zip(zip(*rows, strict=True), kinds, strict=True))
            )

    def _row(self, value: object) -> Row | None:
        if not isinstance(value, dict):
            self.bad["not an object"] += 1
            return None
        phase = value.get("ph")
        if phase == "M":
            self._metadata_row(value)
        elif phase in ("B", "E"):
            return self._timed_row(value, phase == "B")
        else:
            self.bad[_phase_kind(phase)] += 1
        return None

    def _metadata_row(self, value: dict[str, object]) -> None:
        args = value.get("args")
        if value.get("name") == "process_name" and _is_id(value.get("pid")):
            label = args.get("name") if isinstance(args, dict) else None
            self._add_process(_id_text(value["pid"]), _clean(label) if isinstance(label, str) else "", self.total)

    def _timed_row(self, value: dict[str, object], begin: bool) -> Row | None:
        name, pid, tid = value.get("name"), value.get("pid"), value.get("tid")
        ts = _ticks(value.get("ts"))
        if value.get("ts") is None:
            self.bad["no ts"] += 1
        elif ts is None:
            self.bad["ts is not a number"] += 1
        elif not isinstance(name, str):
            self.bad["no name"] += 1
        elif not _is_id(pid):
            self.bad["no pid"] += 1
        else:
            tid_text = _id_text(tid) if _is_id(tid) else "null"
            return self.pids[_id_text(pid)], self.tids[tid_text], self.names[_clean(name)], begin, ts, self.total
        return None

    def entries(self, cut_at: int | None) -> Entries:
        """Join what was gathered and forget it."""
        kinds = (np.int32, np.int32, np.int32, np.bool_, np.int64, np.int64)
        parts = list(zip(*self._columns, strict=True)) or [()] * len(kinds)
        self._columns.clear()
        joined: list[npt.NDArray[Any]] = [
            np.concatenate(p).astype(k, copy=False) if p else np.empty(0, k) for p, k in zip(parts, kinds, strict=True)
        ]
        pid, tid, name, begin, ts, rank = joined
        return Entries(
            pid=pid,
            tid=tid,
            name=name,
            begin=begin,
            ts=ts,
            rank=rank,
            pids=list(self.pids),
            tids=list(self.tids),
            names=list(self.names),
            processes=self.processes,
            bad=self.bad,
            total=self.total,
            cut_at=cut_at,
        )


def _coded(column: pa.ChunkedArray, codes: _Codes, text: type[str] | object) -> npt.NDArray[np.int32]:
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    table = np.array([codes[text(v)] for v in encoded.dictionary.to_pylist()], dtype=np.int32)  # type: ignore[operator]
    indices: npt.NDArray[np.int32] = encoded.indices.to_numpy()
    return table[indices]


def _is_id(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _id_text(value: object) -> str:
    return _clean(json.dumps(value, ensure_ascii=False))


def _clean(text: str) -> str:
    """Replace what no UTF-8 file can hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _phase_kind(phase: object) -> str:
    return "no ph" if phase is None else f"phase {_clean(str(phase))[:20]}"


def _ticks(value: object) -> int | None:
    """Return a time stamp as the reference script reads it: floats truncated, numeric text parsed."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    try:
        ticks = int(value)
    except ValueError:
        return None
    return ticks if abs(ticks) < MAX_TICK else None
