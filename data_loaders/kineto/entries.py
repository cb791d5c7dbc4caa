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
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data_loaders.kineto.categories import RANGE, canonical_category, may_be_on_device
from data_loaders.kineto.counters import CounterCollector
from data_loaders.kineto.entry_format import (
    CONCRETE,
    COUNTER,
    DETAILS,
    DIMS,
    EXTERNAL,
    LISTS,
    NUMBERS,
    OCCUPANCY,
    SAMPLE,
    TEXTS,
)
from data_loaders.kineto.spans import (
    MISSING,
    Columns,
    Details,
    Linked,
    OperatorArguments,
    Samples,
    Spans,
    Thread,
)
from data_loaders.kineto.values import (
    category_text,
    column_nanoseconds,
    column_thousandths,
    first_number,
    id_text,
    is_in,
    nanoseconds,
    whole_number,
    whole_numbers,
)
from data_loaders.trace_columns import Codes, clean, encode, phase_kind
from schema.array_types import Bools, Ints
from schema.torch_profiler import OPERATOR, is_call

_FLOWS_AND_MARKS = frozenset({"s", "t", "f", "i"})
"""Phases that are ignored: the profiler's marks, and arrows (`correlation` has the same data)."""
_CONVOLUTION = "conv"
"""Part of the names of operators whose concrete inputs are read, as others have many more texts."""
_MEMORY = "[memory]"


@dataclass
class SpanCollector:
    """Collector of a trace's entries from tables of well-formed blocks and single JSON values."""

    names: Codes[str] = field(default_factory=Codes)
    categories: Codes[str] = field(default_factory=Codes)
    threads: Codes[Thread] = field(default_factory=Codes)
    raw_categories: set[str] = field(default_factory=set)
    """Categories as in the file, of which several have the same meaning."""
    allocators: Codes[tuple[int, int]] = field(default_factory=Codes)
    """Type and number of the devices with memory samples."""
    thread_names: dict[Thread, str] = field(default_factory=dict)
    process_names: dict[str, str] = field(default_factory=dict)
    process_labels: dict[str, str] = field(default_factory=dict)
    bad: Counter[str] = field(default_factory=Counter)
    total: int = 0
    texts: Codes[str] = field(default_factory=Codes)
    """Texts of arguments."""
    counters: CounterCollector = field(default_factory=CounterCollector)
    _spans: Columns = field(default_factory=lambda: Columns(5))
    _linked: Columns = field(default_factory=lambda: Columns(6))
    _details: Columns = field(default_factory=lambda: Columns(8))
    _operators: Columns = field(default_factory=lambda: Columns(4))
    _samples: Columns = field(default_factory=lambda: Columns(6))

    def spans(self) -> Spans:
        """Join the spans, and drop their blocks."""
        return Spans(*self._spans.take())

    def numbers(self) -> Linked:
        """Join the numbers of spans on devices and of calls, and drop their blocks."""
        return Linked(*self._linked.take())

    def details(self) -> Details:
        """Join the arguments of spans on devices, and drop their blocks."""
        return Details(*self._details.take())

    def operators(self) -> OperatorArguments:
        """Join the arguments of operators, and drop their blocks."""
        return OperatorArguments(*self._operators.take())

    def samples(self) -> Samples:
        """Join the memory samples, and drop their blocks."""
        return Samples(*self._samples.take())

    def add_table(self, table: pa.Table) -> None:
        """Add a block of entries to the collector: columns name, ph, cat, pid, tid, ts, dur and
        args.

        Entries that are skipped are counted by kind in `bad`.
        """
        self.total += table.num_rows
        phase, phases = encode(table["ph"])
        is_span = is_in(phase, phases, {"X"})
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
        start, has_start = column_nanoseconds(table["ts"])
        duration, has_duration = column_nanoseconds(table["dur"])
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
        category, categories = encode(table["cat"])
        known = [canonical_category(text or "") for text in categories]
        self.raw_categories.update(filter(None, categories))
        code, texts = encode(table["name"])
        name = np.array([self.names[clean(text)] for text in texts], np.int64)[code]
        first = self._spans.rows
        self._spans.add(
            name.astype(np.int32),
            np.array([self.categories[text] for text in known], np.int16)[category],
            self._threads(table).astype(np.int32),
            start,
            duration,
        )
        on_device = np.array([may_be_on_device(text) for text in known], np.bool_)[category]
        calls = np.array([is_call(text) for text in known], np.bool_)[category]
        operators = np.array([text == OPERATOR for text in known], np.bool_)[category]
        args = table["args"].combine_chunks()
        self._add_linked_table(args, np.flatnonzero(on_device | calls), first)
        self._add_details_table(args, np.flatnonzero(on_device), first)
        self._add_operator_table(args, table["name"], np.flatnonzero(operators), first)

    def _add_linked_table(self, args: pa.StructArray, rows: Ints, first: int) -> None:
        """Add the numbers of spans; `rows` of the block, of which the first is span `first`."""
        if len(rows):
            numbers = [whole_numbers(args.field(key))[rows] for key in NUMBERS]
            self._linked.add(first + rows, *numbers, _external_ids(args)[rows])

    def _add_details_table(self, args: pa.StructArray, rows: Ints, first: int) -> None:
        if len(rows):
            numbers = [whole_numbers(args.field(key))[rows] for key in DETAILS]
            occupancy = column_thousandths(args.field(OCCUPANCY))[rows]
            texts = [self._text_codes(args.field(key))[rows] for key in (*LISTS, *TEXTS)]
            self._details.add(first + rows, *numbers, occupancy, *texts)

    def _add_operator_table(
        self, args: pa.StructArray, names: pa.ChunkedArray, rows: Ints, first: int
    ) -> None:
        if len(rows):
            dims = self._text_codes(args.field(DIMS))[rows]
            is_read = pc.match_substring(names.combine_chunks(), _CONVOLUTION)
            concrete = np.full(len(args), -1)
            read = np.flatnonzero(is_read.to_numpy(zero_copy_only=False))
            lists = args.field(CONCRETE).take(pa.array(read)).to_pylist()
            concrete[read] = [self._text_code(values) for values in lists]
            concrete = concrete[rows]
            self._operators.add(first + rows, _external_ids(args)[rows], dims, concrete)

    def _text_codes(self, column: pa.Array) -> Ints:
        """Return the code in `texts` of each text, -1 for null."""
        code, values = encode(column)
        own = [-1 if text is None else self.texts[clean(text)] for text in values]
        return np.array(own, np.int64)[code]

    def _keep(self, whole: Bools, valid: Bools, kind: str) -> Bools:
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
        (pid, pids), (tid, tids) = (encode(table[key]) for key in ("pid", "tid"))
        codes, keys = encode(pa.array(pid.astype(np.int64) * max(1, len(tids)) + tid))
        threads = [
            self.threads[id_text(pids[key // len(tids)]), id_text(tids[key % len(tids)])]
            for key in keys
        ]
        return np.array(threads, np.int64)[codes]

    def _add_others(self, table: pa.Table) -> None:
        phase, phases = encode(table["ph"])
        name, names = encode(table["name"])
        sampled = is_in(phase, phases, {"i"}) & is_in(name, names, {_MEMORY})
        rows = is_in(phase, phases, {"M"}) | sampled
        for text, count in zip(
            phases, np.bincount(phase[~rows], minlength=len(phases)).tolist(), strict=True
        ):
            if count and text not in _FLOWS_AND_MARKS:
                self.bad[phase_kind(text)] += count
        for row in table.filter(pa.array(rows)).to_pylist():
            self._add_other(row)

    def _add_other(self, entry: Mapping[str, Any]) -> None:
        """Add an entry that is not a span: metadata, a memory sample or a counter.

        Marks and flows are ignored, other phases counted in `bad`.
        """
        phase = entry.get("ph")
        args = entry.get("args")
        args = args if isinstance(args, dict) else {}
        if phase == "M":
            self._add_metadata(entry, args)
        elif phase == "i" and entry.get("name") == _MEMORY:
            self._add_sample(entry, args)
        elif phase == COUNTER:
            self._count(self.counters.add(entry))
        elif not (isinstance(phase, str) and phase in _FLOWS_AND_MARKS):
            self.bad[phase_kind(phase)] += 1

    def _count(self, reason: str) -> None:
        """Count an entry that is skipped for a reason, if there is one."""
        if reason:
            self.bad[reason] += 1

    def _add_metadata(self, entry: Mapping[str, Any], args: Mapping[str, Any]) -> None:
        pid = id_text(entry.get("pid"))
        tid = id_text(entry.get("tid"))
        name = args.get("name")
        labels = args.get("labels")
        if entry.get("name") == "thread_name" and isinstance(name, str):
            self.thread_names[pid, tid] = clean(name)
        elif entry.get("name") == "process_name" and isinstance(name, str):
            self.process_names[pid] = clean(name)
        elif entry.get("name") == "process_labels" and isinstance(labels, str):
            self.process_labels[pid] = clean(labels)

    def _add_sample(self, entry: Mapping[str, Any], args: Mapping[str, Any]) -> None:
        at = nanoseconds(entry.get("ts"))
        kind, number, allocated, reserved, change = (whole_number(args.get(key)) for key in SAMPLE)
        if at is None or allocated == reserved == change == MISSING:
            self.bad["a memory sample without time or bytes"] += 1
            return
        thread = self.threads[id_text(entry.get("pid")), id_text(entry.get("tid"))]
        device = self.allocators[kind, number]
        self._samples.add_rows([(at, thread, device, allocated, reserved, change)])

    def _add_span_values(self, values: list[dict[str, Any]]) -> None:
        rows: list[tuple[int, ...]] = []
        linked: list[tuple[int, ...]] = []
        details: list[tuple[int, ...]] = []
        operators: list[tuple[int, ...]] = []
        for value in values:
            row = self._span_row(value)
            if row is None:
                continue
            span = self._spans.rows + len(rows)
            category = canonical_category(category_text(value))
            args = value["args"] if isinstance(value.get("args"), dict) else {}
            external = first_number(args, EXTERNAL)
            on_device = may_be_on_device(category)
            if on_device or is_call(category):
                linked.append((span, *(whole_number(args.get(key)) for key in NUMBERS), external))
            if on_device:
                details.append((span, *self._detail_row(args)))
            if category == RANGE:
                self._count(self.counters.add_metrics(value))
            if category == OPERATOR:
                is_read = _CONVOLUTION in str(value.get("name"))
                concrete = self._text_code(args.get(CONCRETE)) if is_read else -1
                operators.append((span, external, self._text_code(args.get(DIMS)), concrete))
            rows.append(row)
        self._spans.add_rows(rows)
        self._linked.add_rows(linked)
        self._details.add_rows(details)
        self._operators.add_rows(operators)

    def _detail_row(self, args: Mapping[str, Any]) -> tuple[int, ...]:
        numbers = [whole_number(args.get(key)) for key in DETAILS]
        share = args.get(OCCUPANCY)
        is_number = isinstance(share, int | Decimal) and not isinstance(share, bool)
        occupancy = nanoseconds(share) if is_number else None
        texts = [self._text_code(args.get(key)) for key in (*LISTS, *TEXTS)]
        return (*numbers, MISSING if occupancy is None else occupancy, *texts)

    def _text_code(self, value: object) -> int:
        """Return the code of a text, or of the JSON text of a list; -1 for any other value."""
        if isinstance(value, list):
            value = json.dumps(value, default=str)
        return self.texts[clean(value)] if isinstance(value, str) else -1

    def _span_row(self, value: dict[str, Any]) -> tuple[int, int, int, int, int] | None:
        name = value.get("name")
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
            thread = self.threads[id_text(value.get("pid")), id_text(value.get("tid"))]
            self.raw_categories.add(category_text(value))
            category = self.categories[canonical_category(category_text(value))]
            return self.names[clean(name)], category, thread, start, duration
        return None


def _external_ids(args: pa.StructArray) -> Ints:
    today, before = (whole_numbers(args.field(key)) for key in EXTERNAL)
    return np.where(today != MISSING, today, before)
