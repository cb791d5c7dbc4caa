"""Build typed columns of frames from Python values."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from schema.array_types import Ints

_INT64_LIMIT = 2**63


def integers(values: Iterable[int]) -> Ints:
    """Convert numbers to an int64 array; OverflowError if a number does not fit."""
    return np.fromiter(values, np.int64)


def numbers(values: Iterable[int | None]) -> pd.Series:
    """Convert numbers to a Series of Int64; `None` and numbers outside of int64 become null."""
    fit = [
        value if value is not None and -_INT64_LIMIT <= value < _INT64_LIMIT else None
        for value in values
    ]
    return pd.Series(pd.array(fit, dtype="Int64"))


def nullable_integers(values: Ints) -> pd.Series:
    """Convert numbers to a Series of Int64; negative numbers become null."""
    return pd.Series(pd.arrays.IntegerArray(values, values < 0))


def texts(values: Iterable[str]) -> pd.Series:
    """Convert texts to a Series of dtype str, in order."""
    return pd.Series(list(values), dtype="str")
