"""Collect the entries of a torch.profiler trace as columns: spans, thread names, memory samples.

Times are decimals of a microsecond. They are converted to whole nanoseconds without a float, since
float64 has steps of 0.25 us for times that count from 1970.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from data_loaders.reading.json_entries import EntryFormat
from schema.array_types import Ints

MAX_TICK = 2**61
"""Bound of times in ns: beyond it, an entry is skipped. Differences of times then fit 64 bits."""
MISSING = -(2**62)
"""Value of a number that an entry lacks."""
ON_DEVICE = frozenset({"kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation", "cuda_sync"})
"""Categories of spans on a stream of a device."""
CALLS = frozenset(
    {"cuda_runtime", "cuda_driver", "hip_runtime", "hip_driver", "xpu_runtime", "mtia_runtime"}
)
"""Categories of host calls that may launch work on a device."""
_LINKED = ON_DEVICE | CALLS
_FLOWS_AND_MARKS = frozenset({"s", "t", "f", "i"})
"""Phases that are ignored: the profiler's marks, and arrows (`correlation` has the same data)."""
_NUMBERS = ("device", "stream", "correlation", "bytes")
_SAMPLE = ("Device Type", "Device Id", "Total Allocated", "Total Reserved")
_MEMORY = "[memory]"
_THOUSANDTHS = pa.decimal128(25, 3)
_ARGS = [
    ("name", pa.string()),
    ("labels", pa.string()),
    *((key, pa.int64()) for key in (*_NUMBERS, *_SAMPLE)),
]
_SCHEMA = pa.schema(
    [
        *(("name", pa.string()), ("ph", pa.string()), ("cat", pa.string())),
        *(("pid", pa.int64()), ("tid", pa.int64()), ("ts", _THOUSANDTHS), ("dur", _THOUSANDTHS)),
        ("args", pa.struct(_ARGS)),
    ]
)
# Not strict, since names may contain raw control characters.
FORMAT = EntryFormat(_SCHEMA, json.JSONDecoder(parse_float=Decimal, strict=False), spread=True)

T = TypeVar("T")
Flags = npt.NDArray[np.bool_]
Part = tuple[npt.NDArray[np.signedinteger[Any]], ...]
"""Columns of a block of entries."""
Thread = tuple[str, str]
"""A pid and a tid, as JSON texts."""


@dataclass(frozen=True)
class Linked:
    """Device data of spans; `span` is the index of the span, absent numbers are MISSING."""

    span: Ints
    device: Ints
    stream: Ints
    correlation: Ints
    bytes: Ints


@dataclass(frozen=True)
class Samples:
    """Samples of allocators, a row per sample.

    `at` is the time in ns, `device` an index in `SpanCollector.allocators`, `allocated` and
    `reserved` are bytes, MISSING if absent.
    """

    at: Ints
    device: Ints
    allocated: Ints
    reserved: Ints


@dataclass(frozen=True)
class Spans:
    """Spans in file order.

    `name`, `category` and `thread` are codes; times are ns of the file's clock.
    """

    name: Ints
    category: Ints
    thread: Ints
    start: Ints
    duration: Ints


class Codes(dict[T, int], Generic[T]):
    """Codes for keys: the first key that is looked up gets 0, every new key the next integer."""

    def __missing__(self, key: T) -> int:
        self[key] = len(self)
        return self[key]


@dataclass
class SpanCollector:
    """Collector of a trace's entries from tables of well-formed blocks and single JSON values."""

    names: Codes[str] = field(default_factory=Codes)
    categories: Codes[str] = field(default_factory=Codes)
    threads: Codes[Thread] = field(default_factory=Codes)
    allocators: Codes[tuple[int, int]] = field(default_factory=Codes)
    """Type and number of the devices with memory samples."""
    thread_names: dict[Thread, str] = field(default_factory=dict)
    process_names: dict[str, str] = field(default_factory=dict)
    process_labels: dict[str, str] = field(default_factory=dict)
    bad: Counter[str] = field(default_factory=Counter)
    total: int = 0
    _count: int = 0
    _spans: list[Part] = field(default_factory=list)
    _links: list[Part] = field(default_factory=list)
    _samples: list[Part] = field(default_factory=list)

    def spans(self) -> Spans:
        """Join the collected spans in file order and empty the collector's parts, to free memory
        early.

        Times are ns of the file's clock. A second call returns empty arrays.
        """
        return Spans(*_join_parts(self._spans, 5))

    def take_links(self) -> Linked:
        """Join the device data of the spans (spans on devices and host calls only), and empty the
        collector's parts.

        A second call returns empty arrays.
        """
        return Linked(*_join_parts(self._links, 5))

    def samples(self) -> Samples:
        """Join the memory samples in file order and empty the collector's parts.

        A second call returns empty arrays.
        """
        return Samples(*_join_parts(self._samples, 4))

    def add_table(self, table: pa.Table) -> None:
        """Add a block of entries to the collector: columns name, ph, cat, pid, tid, ts, dur and
        args.

        Entries that are skipped are counted by kind in `bad`.
        """
        self.total += table.num_rows
        phase, phases = _encode(table["ph"])
        is_span = _is_in(phase, phases, {"X"})
        if is_span.all():
            self._add_span_table(table)
        else:
            self._add_span_table(table.filter(pa.array(is_span)))
            self._add_others(table.filter(pa.array(~is_span)))

    def add_values(self, values: list[object]) -> None:
        """Add entries to the collector as parsed JSON values.

        Entries that are skipped are counted by kind in `bad`.
        """
        self.total += len(values)
        rows = []
        for value in values:
            if not isinstance(value, dict):
                self.bad["not an object"] += 1
            elif value.get("ph") == "X":
                rows.append(value)
            else:
                self._add_other(value)
        self._add_span_values(rows)

    def _add_span_table(self, table: pa.Table) -> None:
        start, has_start = _nanoseconds(table["ts"])
        duration, has_duration = _nanoseconds(table["dur"])
        whole = self._keep(
            np.ones(len(start), np.bool_), has_start, "ts is missing or out of range"
        )
        whole = self._keep(whole, has_duration, "dur is missing or out of range")
        whole = self._keep(whole, duration >= 0, "ends before it begins")
        whole = self._keep(whole, table["name"].is_valid().to_numpy(), "no name")
        if not whole.all():
            table = table.filter(pa.array(whole))
            start = start[whole]
            duration = duration[whole]
        category, categories = _encode(table["cat"])
        category_code = np.array([self.categories[text or ""] for text in categories], np.int64)[
            category
        ]
        code, texts = _encode(table["name"])
        name = np.array([self.names[_clean(text)] for text in texts], np.int64)[code]
        self._add(name, category_code, self._threads(table), start, duration)
        linked = np.flatnonzero(_is_in(category, categories, _LINKED))
        if len(linked):
            args = table["args"].combine_chunks()
            numbers = [_whole_numbers(args.field(key))[linked] for key in _NUMBERS]
            self._links.append((self._count - len(start) + linked, *numbers))

    def _add(self, name: Ints, category: Ints, thread: Ints, start: Ints, duration: Ints) -> None:
        small = (name.astype(np.int32), category.astype(np.int16), thread.astype(np.int32))
        self._spans.append((*small, start, duration))
        self._count += len(start)

    def _keep(self, whole: Flags, valid: Flags, kind: str) -> Flags:
        """Return `whole & valid`, and add the number of entries that are whole but not valid to
        `bad[kind]`.
        """
        both = whole & valid
        lacking = int(np.count_nonzero(whole) - np.count_nonzero(both))
        if lacking:
            self.bad[kind] += lacking
        return both

    def _threads(self, table: pa.Table) -> Ints:
        """Return the code in `threads` of every row's (pid, tid), shape (rows,).

        New threads get the next codes.
        """
        (pid, pids), (tid, tids) = (_encode(table[key]) for key in ("pid", "tid"))
        codes, keys = _encode(pa.array(pid.astype(np.int64) * max(1, len(tids)) + tid))
        threads = [
            self.threads[_id_text(pids[key // len(tids)]), _id_text(tids[key % len(tids)])]
            for key in keys
        ]
        return np.array(threads, np.int64)[codes]

    def _add_others(self, table: pa.Table) -> None:
        phase, phases = _encode(table["ph"])
        name, names = _encode(table["name"])
        sampled = _is_in(phase, phases, {"i"}) & _is_in(name, names, {_MEMORY})
        rows = _is_in(phase, phases, {"M"}) | sampled
        for text, count in zip(
            phases, np.bincount(phase[~rows], minlength=len(phases)).tolist(), strict=True
        ):
            if count and text not in _FLOWS_AND_MARKS:
                self.bad[_phase_kind(text)] += count
        for row in table.filter(pa.array(rows)).to_pylist():
            self._add_other(row)

    def _add_other(self, entry: Mapping[str, Any]) -> None:
        """Add an entry that is not a span: metadata or a memory sample.

        Marks and flows are ignored, other phases counted in `bad`.
        """
        phase = entry.get("ph")
        args = entry.get("args")
        args = args if isinstance(args, dict) else {}
        if phase == "M":
            self._add_metadata(entry, args)
        elif phase == "i" and entry.get("name") == _MEMORY:
            self._add_sample(entry, args)
        elif not (isinstance(phase, str) and phase in _FLOWS_AND_MARKS):
            self.bad[_phase_kind(phase)] += 1

    def _add_metadata(self, entry: Mapping[str, Any], args: Mapping[str, Any]) -> None:
        pid = _id_text(entry.get("pid"))
        tid = _id_text(entry.get("tid"))
        name = args.get("name")
        labels = args.get("labels")
        if entry.get("name") == "thread_name" and isinstance(name, str):
            self.thread_names[pid, tid] = _clean(name)
        elif entry.get("name") == "process_name" and isinstance(name, str):
            self.process_names[pid] = _clean(name)
        elif entry.get("name") == "process_labels" and isinstance(labels, str):
            self.process_labels[pid] = _clean(labels)

    def _add_sample(self, entry: Mapping[str, Any], args: Mapping[str, Any]) -> None:
        at = nanoseconds(entry.get("ts"))
        kind, number, allocated, reserved = (_number(args.get(key)) for key in _SAMPLE)
        if at is None or allocated == reserved == MISSING:
            self.bad["a memory sample without time or bytes"] += 1
            return
        row = (at, self.allocators[kind, number], allocated, reserved)
        self._samples.append(tuple(np.array([value], np.int64) for value in row))

    def _add_span_values(self, values: list[dict[str, Any]]) -> None:
        rows: list[tuple[int, ...]] = []
        links: list[tuple[int, ...]] = []
        for value in values:
            row = self._span_row(value)
            if row is None:
                continue
            if value.get("cat") in _LINKED:
                args = value["args"] if isinstance(value.get("args"), dict) else {}
                links.append(
                    (self._count + len(rows), *(_number(args.get(key)) for key in _NUMBERS))
                )
            rows.append(row)
        if rows:
            self._add(*(np.array(column, np.int64) for column in zip(*rows, strict=True)))
        if links:
            self._links.append(
                tuple(np.array(column, np.int64) for column in zip(*links, strict=True))
            )

    def _span_row(self, value: dict[str, Any]) -> tuple[int, int, int, int, int] | None:
        name = value.get("name")
        category = value.get("cat")
        start = nanoseconds(value.get("ts"))
        duration = nanoseconds(value.get("dur"))
        if start is None:
            self.bad["ts is missing or out of range"] += 1
        elif duration is None:
            self.bad["dur is missing or out of range"] += 1
        elif duration < 0:
            self.bad["ends before it begins"] += 1
        elif not isinstance(name, str):
            self.bad["no name"] += 1
        else:
            thread = self.threads[_id_text(value.get("pid")), _id_text(value.get("tid"))]
            category_code = self.categories[_clean(category) if isinstance(category, str) else ""]
            return self.names[_clean(name)], category_code, thread, start, duration
        return None


def nanoseconds(value: object) -> int | None:
    """Convert a number of microseconds to ns.

    `None` if it is neither an int nor a Decimal, or is 2**61 ns or more.
    """
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    if not -MAX_TICK < value < MAX_TICK:  # checked before the product: it may have a million digits
        return None
    whole = round(value * 1000)
    return whole if -MAX_TICK < whole < MAX_TICK else None


def _nanoseconds(column: pa.ChunkedArray) -> tuple[Ints, Flags]:
    """Convert decimals of microseconds to int64 ns, and return a mask of the values that are not
    null and less than 2**61.
    """
    # A decimal128 with three decimals is stored as an integer of thousandths, so its low 64-bit
    # word is the time in ns if the high word only extends its sign.
    whole = column.combine_chunks()
    words = np.frombuffer(whole.buffers()[1], np.int64).reshape(-1, 2)[
        whole.offset : whole.offset + len(whole)
    ]
    low = words[:, 0]
    high = words[:, 1]
    fits = (high == low >> 63) & (low < MAX_TICK) & (low > -MAX_TICK)
    valid = whole.is_valid().to_numpy(zero_copy_only=False)
    return np.where(valid, low, 0), valid & fits


def _whole_numbers(column: pa.Array) -> Ints:
    return np.asarray(column.fill_null(MISSING).to_numpy(zero_copy_only=False), np.int64)


def _number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not MISSING < value < -MISSING:
        return MISSING
    return value


def _join_parts(parts: list[Part], count: int) -> list[Ints]:
    columns = list(zip(*parts, strict=True)) or [()] * count
    parts.clear()
    return [np.asarray(np.concatenate(column) if column else [], np.int64) for column in columns]


def _encode(column: pa.Array | pa.ChunkedArray) -> tuple[npt.NDArray[np.int32], list[Any]]:
    """Encode a column as an int32 code per row and the list of its distinct values by code.

    A null's value is `None`.
    """
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    encoded = whole.dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy(), encoded.dictionary.to_pylist()


def _is_in(
    code: npt.NDArray[np.int32], values: list[Any], wanted: set[str] | frozenset[str]
) -> Flags:
    return np.array([value in wanted for value in values], np.bool_)[code]


def _id_text(value: object) -> str:
    is_id = isinstance(value, int | str) and not isinstance(value, bool)
    return _clean(json.dumps(value, ensure_ascii=False)) if is_id else "null"


def _clean(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode, by `?`."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _phase_kind(phase: object) -> str:
    return "no ph" if phase is None else f"phase {_clean(str(phase))[:20]}"
