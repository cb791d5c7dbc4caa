"""Columns of frames from what a capture says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

Integers = npt.NDArray[np.int64]
_MOST = 2**63


def integers(values: Iterable[int]) -> Integers:
    """Return numbers that are known to fit as int64."""
    return np.fromiter(values, np.int64)


def numbers(values: Iterable[int | None]) -> pd.Series:
    """Return numbers as Int64; None and what does not fit is null."""
    fit = [value if value is not None and -_MOST <= value < _MOST else None for value in values]
    return pd.Series(pd.array(fit, dtype="Int64"))


def nullable_integers(values: Integers) -> pd.Series:
    """Return numbers as Int64; what is below zero is null."""
    return pd.Series(pd.arrays.IntegerArray(values, values < 0))


def texts(values: Iterable[str]) -> pd.Series:
    """Return texts as str."""
    return pd.Series(list(values), dtype="str")


def category(codes: Integers, names: Sequence[str]) -> pd.Categorical:
    """Return the names of which `codes` are the places."""
    small = codes.astype(np.int8 if len(names) < 128 else np.int32)
    return pd.Categorical.from_codes(small, categories=pd.Index(list(names), dtype="str"))
