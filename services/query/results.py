"""Writers of a query's rows: JSON rows, CSV, Parquet or an Arrow stream."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from schema.spreadsheet import ROW_END, RowStream, guarded_cell

MAX_RESULT_MB = 64
"""Maximum size of a result in MiB."""
_MIB = 2**20


class ResultSizeError(Exception):
    """The result exceeds its maximum size."""


def write_rows(batches: Iterable[pa.RecordBatch], schema: pa.Schema, fmt: str, path: Path) -> None:
    """Write batches to the file `path` in a format: `json` (only the list of rows, each a list of
    values), `csv`, `parquet` or `arrow`.

    Raises ResultSizeError if the file exceeds MAX_RESULT_MB (64 MiB).
    """
    with path.open("wb") as file:
        _WRITERS[fmt](batches, schema, _Bounded(file))


class _Bounded(io.RawIOBase):
    """A file that raises ResultSizeError beyond `MAX_RESULT_MB`."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._left = MAX_RESULT_MB * _MIB

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self._left -= memoryview(data).nbytes
        if self._left < 0:
            raise ResultSizeError
        return self._file.write(data)


def _write_json(batches: Iterable[pa.RecordBatch], _schema: pa.Schema, file: _Bounded) -> None:
    file.write(b"[")
    separator = b""
    for batch in batches:
        for row in _rows(batch):
            file.write(
                separator
                + json.dumps(row, allow_nan=False, ensure_ascii=False).encode("utf-8", "replace")
            )
            separator = b",\n"
    file.write(b"]")


def _write_csv(batches: Iterable[pa.RecordBatch], schema: pa.Schema, file: _Bounded) -> None:
    def write(rows: Iterable[Sequence[object]]) -> None:
        text = io.StringIO()
        csv.writer(RowStream(text), lineterminator=ROW_END).writerows(
            [_cell(value) for value in row] for row in rows
        )
        file.write(text.getvalue().encode("utf-8", "replace"))

    write([schema.names])
    for batch in batches:
        for begin in range(0, batch.num_rows, _AT_ONCE):
            write(_rows(batch.slice(begin, _AT_ONCE)))


_AT_ONCE = 1_000
"""Rows that are written at a time."""


def _cell(value: object) -> object:
    """Convert a value to a cell of a CSV file: lists and structs as JSON, text that a spreadsheet
    would run is guarded, other values unchanged.
    """
    if isinstance(value, (list, dict)):
        return json.dumps(value, allow_nan=False, ensure_ascii=False)
    return guarded_cell(value) if isinstance(value, str) else value


def _write_parquet(batches: Iterable[pa.RecordBatch], schema: pa.Schema, file: _Bounded) -> None:
    import pyarrow.parquet as pq  # noqa: PLC0415 - few answers are

    pq.write_table(_table(batches, schema), file)


def _write_arrow(batches: Iterable[pa.RecordBatch], schema: pa.Schema, file: _Bounded) -> None:
    table = _table(batches, schema)
    with pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)


_WRITERS: dict[str, Callable[[Iterable[pa.RecordBatch], pa.Schema, _Bounded], None]] = {
    "json": _write_json,
    "csv": _write_csv,
    "parquet": _write_parquet,
    "arrow": _write_arrow,
}


def _table(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """Collect all rows in a table whose types other programs can read.

    Raises ResultSizeError if they exceed MAX_RESULT_MB (64 MiB).
    """
    collected = []
    size = 0
    for batch in batches:
        collected.append(batch)
        size += batch.nbytes
        if size > MAX_RESULT_MB * _MIB:
            raise ResultSizeError
    table = pa.Table.from_batches(collected, schema)
    columns = [_readable(column) for column in table.columns]
    return pa.table(columns, names=schema.names) if columns else table


def _readable(column: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    """Convert a column to a type that Parquet has: integral decimals to int64 if all fit, intervals
    and unions to text; other columns are unchanged.
    """
    kind = column.type
    if _is_whole(kind):
        try:
            return column.cast(pa.int64())
        except pa.ArrowInvalid:
            return column
    if pa.types.is_interval(kind) or pa.types.is_union(kind):
        # Parquet has no type for intervals and unions
        texts = (None if value is None else str(_plain(value)) for value in column.to_pylist())
        return pa.array(texts, pa.string())
    return column


def _is_whole(kind: pa.DataType) -> bool:
    return bool(pa.types.is_decimal(kind) and kind.scale == 0)


def _rows(batch: pa.RecordBatch) -> Iterable[tuple[object, ...]]:
    """Return the rows of a batch as tuples of values that JSON can represent; empty if it has no
    columns.
    """
    return zip(*(_values(column) for column in batch.columns), strict=True)


def _values(column: pa.Array) -> list[object]:
    if pa.types.is_timestamp(column.type) and column.type.unit == "ns":
        return [
            text and text.replace(" ", "T") for text in pc.cast(column, pa.string()).to_pylist()
        ]
    values: list[object] = column.to_pylist()
    if (
        pa.types.is_integer(column.type)
        or pa.types.is_boolean(column.type)
        or pa.types.is_string(column.type)
    ):
        return values
    return [_plain(value) for value in values]


def _plain(value: object) -> object:  # noqa: PLR0911 - a rule per type
    """Convert a value to JSON types: decimals to int if they have no decimal places, else to float;
    nan and inf to None, dates and times to ISO 8601, bytes to hex digits, other types to text.
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return int(value) if value.as_tuple().exponent == 0 else float(value)
    if isinstance(value, datetime):
        return (value if value.tzinfo is None else value.astimezone(UTC)).isoformat()
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        # a map is a list of tuples; an interval is a subclass of tuple
        if value and all(type(item) is tuple for item in value):
            return {str(_plain(key)): _plain(item) for key, item in value}
        return [_plain(item) for item in value]
    if isinstance(value, pa.MonthDayNano):
        return f"P{value.months}M{value.days}DT{value.nanoseconds / 1e9:g}S"
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
