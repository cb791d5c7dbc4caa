"""Conversion of frames to Arrow tables. A value is null exactly if it is null in the
frame's JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd
import pyarrow as pa

from services.query.tables import QueryColumn, QueryTable

_WORDS = pa.dictionary(pa.int32(), pa.string())
_TYPES: Mapping[str, pa.DataType] = MappingProxyType(
    {"BIGINT": pa.int64(), "DOUBLE": pa.float64(), "BOOLEAN": pa.bool_()}
)


def arrow_type(column: QueryColumn) -> pa.DataType:
    """Return the Arrow type of a column: int64, float64, bool, or string for all other SQL types;
    categories become dictionaries, which store each text once.
    """
    return _TYPES.get(column.type, _WORDS if column.dtype == "category" else pa.string())


def arrow_schema(table: QueryTable) -> pa.Schema:
    """Return the Arrow schema of a table: its columns with their types."""
    return pa.schema([(column.name, arrow_type(column)) for column in table.columns])


def arrow_rows(table: QueryTable, frame: pd.DataFrame, run_id: str = "") -> pa.Table:
    """Convert a frame to an Arrow table with the columns of `table`, a row for each row of the
    frame. Columns that the frame lacks are null.

    `run_id` fills column `run_id` if the frame does not have it.
    """
    arrays = [_array(column, frame, run_id) for column in table.columns]
    return pa.Table.from_arrays(arrays, schema=arrow_schema(table))


def _array(column: QueryColumn, frame: pd.DataFrame, run_id: str) -> pa.Array:
    kind = arrow_type(column)
    if column.source not in frame.columns:
        if column.name == "run_id":
            return pa.DictionaryArray.from_arrays(np.zeros(len(frame), np.int32), [run_id])
        return pa.nulls(len(frame), kind)
    series = frame[column.source]
    if kind == pa.float64():
        numbers = series.to_numpy("float64", na_value=np.nan)
        return pa.array(numbers, mask=~np.isfinite(numbers))
    if kind == _WORDS:
        return _words(series.astype("category"))
    if kind == pa.string():
        return pa.array(series.astype(object), kind, from_pandas=True)
    return pa.array(series, kind, from_pandas=True)


def _words(series: pd.Series) -> pa.Array:
    codes = series.cat.codes.to_numpy(np.int32)
    words = pa.array([str(word) for word in series.cat.categories], pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), words)
