"""Build columns of frames directly from numpy arrays.

The general constructors of pandas cost the same for each of many small tables; these functions skip
that cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from schema.array_types import Bools, Ints

Columns = dict[str, npt.NDArray[Any]]


def category(codes: npt.NDArray[np.integer], words: Sequence[str]) -> pd.Categorical:
    """Build a categorical column from codes; row i has the text `words[codes[i]]`, code -1 is null.

    Its categories are all `words`, also if no row has them. Codes are not checked.
    """
    # int8 takes a quarter of the memory, and holds the codes -1 to 127.
    small = codes.astype(np.int8 if len(words) < 128 else np.int32, copy=False)
    dtype = _cached_dtype(tuple(words)) if len(words) < _MAX_CACHED_WORDS else _dtype(words)
    # Validation would read all codes again, which the caller made from the same words.
    return pd.Categorical.from_codes(small, dtype=dtype, validate=False)


def _dtype(words: Sequence[str]) -> pd.CategoricalDtype:
    return pd.CategoricalDtype(pd.Index(words, dtype="str"))


_MAX_CACHED_WORDS = 128
"""Longer lists are not cached: the names of a profile are many, and differ between profiles."""
_cached_dtype = lru_cache(maxsize=256)(_dtype)
"""Cached, because captures of the same design have equal categories."""


def text_category(texts: Sequence[str | None] | npt.NDArray[np.object_]) -> pd.Categorical:
    """Build the categorical column of texts, one row per text in their order; None is null.

    Its categories are the texts that occur, sorted.
    """
    codes, uniques = pd.factorize(np.asarray(texts, dtype=object))
    words = sorted(uniques.tolist())
    rank = {word: code for code, word in enumerate(words)}
    # factorize gives nulls the code -1, which selects the last entry here
    new_codes = np.array([*(rank[word] for word in uniques), -1], np.int32)
    return category(new_codes[codes], words)


def repeat_texts(texts: Sequence[str], counts: Sequence[int]) -> pd.Categorical:
    """Build the categorical column with `texts[0]` in the first `counts[0]` rows, `texts[1]` in the
    next `counts[1]` rows, and so on. Its categories are the texts with a count above 0, sorted.
    """
    words = sorted({text for text, count in zip(texts, counts, strict=True) if count})
    rank = {word: code for code, word in enumerate(words)}
    return category(np.repeat([rank.get(text, -1) for text in texts], counts), words)


def nullable(values: Ints, known: Bools) -> pd.arrays.IntegerArray:
    """Build the Int64 array of `values`; elements with False in `known` are null."""
    return pd.arrays.IntegerArray(values, ~known)


def distinct(values: Ints) -> Ints:
    """Return the values sorted in ascending order without duplicates, as a new array; an empty
    array if there are no values. `np.unique` hashes the values, which takes ten times as long for
    many ticks.
    """
    ordered = np.sort(values)
    # The value before the first one is smaller by 1, so that the first one is always kept.
    return ordered[np.diff(ordered, prepend=ordered[:1] - 1) != 0] if len(ordered) else ordered
