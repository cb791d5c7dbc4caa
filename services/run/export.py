"""Export of frames as JSON records, CSV, Parquet and Arrow streams, the same for page and command
line.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import BinaryIO

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from schema.spreadsheet import FORMULA, ROW_END, RowStream, guarded_cell

_CHUNK = 20_000
"""Maximum number of rows that are written at a time."""
_CHUNK_BYTES = 4 * 2**20
"""Approximate bytes that are written at a time: a category's text is stored once in a frame and
repeated in a file."""
_CELL_BYTES = 16
"""Estimated bytes of a number as text, and of the separators and quotes of a text in the file."""


def write_frame(frame: pd.DataFrame, fmt: str, stream: BinaryIO) -> None:
    """Write `frame` to the binary `stream` as `json` (list of records), `csv`, `parquet` or `arrow`
    (IPC stream).

    JSON has null for missing and non-finite values, and integers as integers. CSV puts an
    apostrophe before text that a spreadsheet would run as a formula. Raises ValueError if the
    format is unknown.
    """
    if fmt not in WRITERS:
        raise ValueError(f"{fmt!r} is not a format of frames; there are {', '.join(WRITERS)}")
    WRITERS[fmt](frame, stream)


def _write_json(frame: pd.DataFrame, stream: BinaryIO) -> None:
    stream.write(b"[")
    separator = b""
    for records in _record_chunks(frame):
        text = json.dumps(records, allow_nan=False, separators=(", ", ": "))
        stream.write(separator + text[1:-1].encode())
        separator = b", "
    stream.write(b"]\n")


def _record_chunks(frame: pd.DataFrame) -> Iterator[list[dict[str, object]]]:
    """Yield the rows as lists of dictionaries (column -> value), as many rows per list as `_parts`
    yields.
    """
    names = [str(name) for name in frame.columns]
    for part in _parts(frame):
        columns = [_plain(part.iloc[:, i]) for i in range(len(names))]
        yield [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _parts(frame: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield slices of the rows in order, each at most _CHUNK (20,000) rows and about _CHUNK_BYTES
    (4 MiB) as text, but at least a row.
    """
    ends = np.cumsum(
        sum((_text_bytes(series) for _, series in frame.items()), np.zeros(len(frame), np.int64))
    )
    begin = 0
    while begin < len(frame):
        before = ends[begin - 1] if begin else 0
        fitting = int(np.searchsorted(ends, before + _CHUNK_BYTES, "right"))
        end = min(max(fitting, begin + 1), begin + _CHUNK)
        yield frame.iloc[begin:end]
        begin = end


def _text_bytes(series: pd.Series) -> NDArray[np.int64]:
    """Estimate the bytes of each value of a series as text, including separators and quotes; an
    int64 array in the order of the rows.
    """
    if isinstance(series.dtype, pd.CategoricalDtype):
        # a missing value has the code -1, which is the last place
        lengths = np.array([*map(len, map(str, series.cat.categories)), 0], np.int64)
        return np.asarray(lengths[series.cat.codes.to_numpy()] + _CELL_BYTES, np.int64)
    if pd.api.types.is_numeric_dtype(series.dtype):
        return np.full(len(series), _CELL_BYTES, np.int64)
    lengths = series.astype("str").str.len().fillna(0).to_numpy(np.int64)
    return np.asarray(lengths + _CELL_BYTES, np.int64)


def _plain(series: pd.Series) -> list[object]:
    """Convert the values to a list of Python numbers and texts; `None` if a value is missing or not
    finite.
    """
    values: list[object] = series.astype(object).where(series.notna(), None).tolist()
    if pd.api.types.is_float_dtype(series.dtype):
        return [
            value if isinstance(value, float) and math.isfinite(value) else None for value in values
        ]
    return values


def _write_csv(frame: pd.DataFrame, stream: BinaryIO) -> None:
    text = io.TextIOWrapper(stream, encoding="utf-8", errors="backslashreplace", newline="")
    head = [guarded_cell(str(name)) for name in frame.columns]
    # the header is written separately, so that a frame without rows still has one
    rows = RowStream(text)
    frame.iloc[:0].to_csv(rows, index=False, header=head, lineterminator=ROW_END)
    for part in _parts(frame):
        part.apply(_guard_text).to_csv(rows, index=False, header=False, lineterminator=ROW_END)
    text.flush()
    # without this, the wrapper would close the stream when it is garbage collected
    text.detach()


def _guard_text(series: pd.Series) -> pd.Series:
    """Return the series as text, with an apostrophe before text that a spreadsheet would run as a
    formula.

    Numbers are unchanged, also in columns of mixed types.
    """
    if pd.api.types.is_numeric_dtype(series.dtype):
        return series
    if series.dtype == object:
        return series.map(lambda value: guarded_cell(value) if isinstance(value, str) else value)
    texts = series.astype("str")
    suspects = texts.str.contains(FORMULA, na=False).to_numpy(bool)
    if not suspects.any():
        return texts
    cells = texts.to_numpy(object, copy=True)
    cells[suspects] = [guarded_cell(text) for text in cells[suspects]]
    return pd.Series(cells, texts.index)


def _write_parquet(frame: pd.DataFrame, stream: BinaryIO) -> None:
    frame.to_parquet(stream, index=False)


def _write_arrow(frame: pd.DataFrame, stream: BinaryIO) -> None:
    """Write a stream of record batches with a bounded number of rows each."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table, max_chunksize=_CHUNK)


WRITERS: Mapping[str, Callable[[pd.DataFrame, BinaryIO], None]] = MappingProxyType(
    {"json": _write_json, "csv": _write_csv, "parquet": _write_parquet, "arrow": _write_arrow}
)
"""Writers by format name."""
