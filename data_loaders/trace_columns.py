"""Columns of the entries of traces: codes of keys, texts as they are stored, sums by group."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from schema.array_types import Ints

Key = TypeVar("Key")


class Codes(dict[Key, int], Generic[Key]):
    """Codes for keys: the first key that is looked up gets 0, every new key the next integer."""

    def __missing__(self, key: Key) -> int:
        """Add a key and return its code."""
        self[key] = len(self)
        return self[key]


def clean(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode, by `?`."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def phase_kind(phase: object) -> str:
    """Name the kind of a skipped entry by its phase, cut to 20 characters."""
    return "no ph" if phase is None else f"phase {clean(str(phase))[:20]}"


def sum_by_group(groups: Ints, values: Ints, count: int) -> Ints:
    """Sum whole numbers by group, from 0 to below `count`, without floats."""
    sums = np.zeros(count, np.int64)
    np.add.at(sums, groups, values)
    return sums


def encode(column: pa.Array | pa.ChunkedArray) -> tuple[npt.NDArray[np.int32], list[Any]]:
    """Encode a column as an int32 code per row and the list of its distinct values by code.

    If the column is not a dictionary yet, nulls get a separate code with the value `None`.
    """
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    encoded = (
        whole
        if pa.types.is_dictionary(whole.type)
        else whole.dictionary_encode(null_encoding="encode")
    )
    return encoded.indices.to_numpy(), encoded.dictionary.to_pylist()
