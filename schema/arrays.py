"""Columns of frames made of plain arrays: what pandas does for one table it would do again for each small one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

Columns = dict[str, npt.NDArray[Any]]


def category(codes: npt.NDArray[np.integer], words: Sequence[str]) -> pd.Categorical:
    """Return the column of `words[code]`; a code of -1 is null."""
    small = codes.astype(np.int8 if len(words) < 128 else np.int32, copy=False)
    return pd.Categorical.from_codes(small, dtype=_dtype(tuple(words)), validate=False)


@lru_cache(maxsize=256)
def _dtype(words: tuple[str, ...]) -> pd.CategoricalDtype:
    """Return the dtype of a category; captures of one design have the same ones."""
    return pd.CategoricalDtype(pd.Index(words, dtype="str"))


def category_of(texts: Sequence[str | None] | npt.NDArray[np.object_]) -> pd.Categorical:
    """Return the column of texts; its categories are those that occur, sorted, and None is null."""
    values = texts.tolist() if isinstance(texts, np.ndarray) else texts
    words = sorted({text for text in values if text is not None})
    rank = {word: code for code, word in enumerate(words)} | {None: -1}
    return category(np.fromiter((rank[text] for text in values), np.int32, len(values)), words)


def repeat_texts(texts: Sequence[str], counts: Sequence[int]) -> pd.Categorical:
    """Return the column of each text as often as its count says; its categories are those that occur, sorted."""
    words = sorted({text for text, count in zip(texts, counts, strict=True) if count})
    rank = {word: code for code, word in enumerate(words)}
    return category(np.repeat([rank.get(text, -1) for text in texts], counts), words)


def nullable(values: npt.NDArray[np.int64], known: npt.NDArray[np.bool_]) -> pd.arrays.IntegerArray:
    """Return the Int64 column of `values`, null where they are not `known`."""
    return pd.arrays.IntegerArray(values, ~known)
