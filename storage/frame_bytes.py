"""Fast estimate of a frame's memory, because caches measure every frame that they store."""

from __future__ import annotations

import numpy as np
import pandas as pd

OBJECT_BYTES = 1_000
"""Bytes of Python and pandas objects per column, whatever the number of rows: 270 B for columns that
share a block to 1,600 B for texts, measured with the stored frames of small captures.
"""
_SAMPLED = 1_000
"""Rows of a long text column that are measured: measuring every text takes longer than reading it.
"""
_SPREAD = np.arange(_SAMPLED) * ((5**0.5 - 1) / 2) % 1
"""Relative positions of the sample: steps of the golden ratio avoid the period of repeated values.
"""


def frame_bytes(frame: pd.DataFrame) -> int:
    """Estimate the memory of a frame in bytes, without its index; 0 for a frame without columns.

    The objects of a column count too (1,000 B): a cache of small frames would otherwise take five
    times its limit.

    Text columns of more than 1,000 rows (_SAMPLED) are measured by a sample of their rows.
    """
    kinds = zip(frame.columns, frame.dtypes.tolist(), strict=True)
    data = sum(_row_bytes(kind) * len(frame) or _column_bytes(frame[name]) for name, kind in kinds)
    return data + OBJECT_BYTES * len(frame.columns)


def _row_bytes(kind: object) -> int:
    """Return the bytes of a row of a column of numbers; 0 for another type. Measuring such a column
    takes as long for a few rows as for a million.
    """
    if isinstance(kind, pd.Int64Dtype | pd.Float64Dtype | pd.BooleanDtype):
        return int(np.dtype(kind.type).itemsize) + 1
    return int(kind.itemsize) if isinstance(kind, np.dtype) and kind.kind != "O" else 0


def _column_bytes(column: pd.Series) -> int:
    if column.dtype != "str" or len(column) <= _SAMPLED:
        return int(column.memory_usage(index=False, deep=True))
    sample = column.iloc[(_SPREAD * len(column)).astype(np.int64)]
    return int(sample.memory_usage(index=False, deep=True)) * len(column) // _SAMPLED
