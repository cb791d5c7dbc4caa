"""Collect the entries of an ONNX Runtime profile as columns: spans of nodes, devices and sessions.

Times are whole microseconds since the session began and are converted to nanoseconds. Sizes of
operators and of the arena are arguments in the form of texts of digits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from data_loaders.onnxruntime.shapes import INPUTS, OUTPUTS, shapes_as_texts, shapes_text
from data_loaders.reading.entry_format import EntryFormat
from data_loaders.reading.json_values import DECODER

NODE = "Node"
SESSION = "Session"
DEVICE = "Kernel"
"""Category of what ran on a device, as the profiler of an execution provider reports it."""
CALL = "Api"
"""Category of calls of the host into the library of a device."""
KERNEL = "_kernel_time"
"""Suffix of the names of a node's spans.

Older releases also write spans of waiting before and after.
"""
SIZES = ("output_size", "parameter_size", "activation_size")
"""Arguments with the bytes of a node's operands."""
MEMORY = ("mem_bytes_in_use", "mem_in_use_peak", "mem_arena_held")
"""Arguments with the bytes of the arena."""
_EXTENTS = {name: tuple(f"{name}_{axis}" for axis in "xyz") for name in ("grid", "block")}
"""Extents of a launch on a device -> the arguments with its three numbers."""
_WORDS = ("op_name", "provider")
_SHAPES = (INPUTS, OUTPUTS)
_NUMBERS = (*SIZES, *MEMORY, "node_index", "stream")
_DIGITS = 18
"""Longest number in decimal digits, so that it fits into int64."""
_MAX_US = 2**61 // 1000
"""Bound of times in microseconds, so that nanoseconds and their sums fit into int64."""
_NS = 1000
_SPAN = "X"
_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("name", "ph", "cat")),
        *((name, pa.int64()) for name in ("pid", "tid", "ts", "dur")),
        (
            "args",
            pa.struct(
                [
                    (name, pa.string())
                    for name in (
                        *_WORDS,
                        *_SHAPES,
                        *_NUMBERS,
                        *_EXTENTS["grid"],
                        *_EXTENTS["block"],
                    )
                ]
            ),
        ),
    ]
)
FORMAT = EntryFormat(_SCHEMA, DECODER, spread=True, simplify=shapes_as_texts)
_TEXTS = ("name", "cat", *_WORDS, *_SHAPES, *_EXTENTS)
_WHOLE = ("pid", "tid", "ts", "dur", *_NUMBERS)
_CATEGORIES = (NODE, SESSION, DEVICE, CALL)
_COLUMNS = pa.schema(
    [*((name, pa.string()) for name in _TEXTS), *((name, pa.int64()) for name in _WHOLE)]
)


class ProfileCollector:
    """Collector of spans; `bad` counts skipped entries by kind, `total` counts all entries."""

    def __init__(self) -> None:
        self.bad: Counter[str] = Counter()
        self.total = 0
        self._parts: list[pa.Table] = []

    def add_table(self, table: pa.Table) -> None:
        """Add a block of entries to the collector: columns name, ph, cat, pid, tid, ts, dur and
        args.

        Skipped entries are counted by kind in `bad`.
        """
        self.total += table.num_rows
        args = table["args"].combine_chunks()
        columns = {name: table[name] for name in ("name", "cat", "pid", "tid", "ts", "dur")}
        columns |= {
            name: pa.chunked_array([pc.struct_field(args, name)]) for name in (*_WORDS, *_SHAPES)
        }
        columns |= {name: _whole_numbers(pc.struct_field(args, name)) for name in _NUMBERS}
        columns |= {name: _joined_extents(args, axes) for name, axes in _EXTENTS.items()}
        is_span = pc.fill_null(pc.equal(table["ph"], _SPAN), False)
        others = table.filter(pc.invert(is_span))["ph"]
        self.bad.update(
            f"phase {'missing' if phase is None else phase[:20]}" for phase in others.to_pylist()
        )
        self._keep(
            pa.table([columns[name] for name in _COLUMNS.names], schema=_COLUMNS).filter(is_span)
        )

    def add_values(self, values: list[object]) -> None:
        """Add entries to the collector as parsed JSON values.

        Skipped entries are counted by kind in `bad`.
        """
        self.total += len(values)
        rows = [row for value in values if (row := self._row(value)) is not None]
        self._keep(pa.Table.from_pylist(rows, schema=_COLUMNS))

    def spans(self) -> pd.DataFrame:
        """Join the collected spans in file order, a row each: name, cat, op_name, provider, pid,
        tid, start, end, node_index, stream, grid and block (as `4,8,1`), shapes as texts, and the
        columns SIZES and MEMORY (bytes).

        Texts are categories, start and end are ns (int64), other numbers Int64, null if missing.
        """
        parts = self._parts or [_dictionary_encoded(_COLUMNS.empty_table())]
        table = pa.concat_tables(parts).unify_dictionaries().combine_chunks()
        frame = pd.DataFrame(
            {
                name: table[name].to_pandas()
                if name in _TEXTS
                else _nullable(table[name].combine_chunks())
                for name in _COLUMNS.names
            }
        )
        start = frame.pop("ts").astype(np.int64) * _NS
        return frame.assign(start=start, end=start + frame.pop("dur").astype(np.int64) * _NS)

    def _keep(self, table: pa.Table) -> None:
        """Store the spans that have a name, a category and times in range.

        All other spans are counted in `bad`.
        """
        fits = pc.and_(_within(table["ts"], -_MAX_US), _within(table["dur"], 0))
        named = pc.and_(pc.is_valid(table["name"]), pc.is_valid(table["cat"]))
        # Spans of unknown categories are counted here; the frames use none of them.
        others = table.filter(pc.invert(pc.is_in(table["cat"], pa.array(_CATEGORIES))))["cat"]
        self.bad.update(f"category {category[:20]}" for category in others.drop_null().to_pylist())
        unusable = (
            table.num_rows - pc.sum(pc.cast(pc.and_(fits, named), pa.int64()), min_count=0).as_py()
        )
        if unusable:
            self.bad["name, category, ts or dur is missing or invalid"] += unusable
        self._parts.append(_dictionary_encoded(table.filter(pc.and_(fits, named))))

    def _row(self, value: object) -> dict[str, Any] | None:
        if not isinstance(value, Mapping):
            self.bad["no object"] += 1
            return None
        if value.get("ph") != _SPAN:
            self.bad[f"phase {str(value.get('ph', 'missing'))[:20]}"] += 1
            return None
        arguments = value.get("args")
        args: Mapping[str, object] = arguments if isinstance(arguments, Mapping) else {}
        row: dict[str, Any] = {name: _text(value.get(name)) for name in ("name", "cat")}
        row |= {name: _number(value.get(name)) for name in ("pid", "tid", "ts", "dur")}
        row |= {name: _text(args.get(name)) for name in _WORDS}
        row |= {name: shapes_text(args.get(name)) for name in _SHAPES}
        row |= {name: _number(args.get(name)) for name in _NUMBERS}
        for name, axes in _EXTENTS.items():
            extents = [_number(args.get(axis)) for axis in axes]
            row[name] = None if None in extents else ",".join(map(str, extents))
        return row


def _within(values: pa.ChunkedArray, minimum: int) -> pa.ChunkedArray:
    return pc.fill_null(
        pc.and_(pc.greater_equal(values, minimum), pc.less_equal(values, _MAX_US)), False
    )


def _dictionary_encoded(table: pa.Table) -> pa.Table:
    coded = {name: table[name].dictionary_encode() for name in _TEXTS}
    return pa.table({name: coded.get(name, table[name]) for name in _COLUMNS.names})


def _whole_numbers(texts: pa.Array) -> pa.ChunkedArray:
    """Parse texts of at most 18 digits as int64; null for other texts."""
    # A profile of the host alone has neither streams nor grids.
    if texts.null_count == len(texts):
        return pa.chunked_array([pa.nulls(len(texts), pa.int64())])
    is_number = pc.match_substring_regex(texts, rf"^[0-9]{{1,{_DIGITS}}}$")
    return pa.chunked_array([pc.cast(pc.if_else(is_number, texts, None), pa.int64())])


def _joined_extents(args: pa.StructArray, axes: Sequence[str]) -> pa.ChunkedArray:
    """Join the numbers of three axes with commas; null if one is missing or not a number."""
    numbers = [_whole_numbers(pc.struct_field(args, axis)).combine_chunks() for axis in axes]
    if any(number.null_count == len(number) for number in numbers):
        return pa.chunked_array([pa.nulls(len(args), pa.string())])
    texts = [pc.cast(number, pa.string()) for number in numbers]
    return pa.chunked_array([pc.binary_join_element_wise(*texts, ",")])


def _nullable(values: pa.Array) -> pd.arrays.IntegerArray:
    return pd.array(values.to_pandas(integer_object_nulls=True), dtype="Int64")


def _text(value: object) -> str | None:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else None


def _number(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _DIGITS:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**_DIGITS:
        return value
    return None
