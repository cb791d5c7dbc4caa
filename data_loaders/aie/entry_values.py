"""Convert columns and single values of trace entries: codes, masks, ids, time stamps."""

from __future__ import annotations

import json
import math
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from data_loaders.trace_columns import clean
from schema.array_types import Bools

S = TypeVar("S", bound=np.generic)


def join_parts(parts: list[npt.NDArray[S]], dtype: type[S]) -> npt.NDArray[S]:
    """Concatenate the parts and empty the list, so that large columns are in memory only once.

    Without parts, an array of length 0.
    """
    joined = np.concatenate(parts) if parts else np.empty(0, dtype)
    parts.clear()
    return joined


def valid_mask(column: pa.ChunkedArray) -> Bools | None:
    """Return a mask of the values that are not null; `None` if there are no nulls."""
    mask: Bools | None = column.is_valid().to_numpy() if column.null_count else None
    return mask


def is_id(value: object) -> bool:
    """Whether a value of JSON is a pid or a tid: a whole number or a text."""
    return isinstance(value, int | str) and not isinstance(value, bool)


def whole_below(value: object, limit: int) -> int | None:
    """Return the value if it is a whole number from 0 to below `limit`, else None."""
    whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < limit
    return value if whole and isinstance(value, int) else None


def id_text(value: object) -> str:
    """Return the JSON text of a pid or tid."""
    return clean(json.dumps(value, ensure_ascii=False))


def ticks(value: object) -> int | None:
    """Parse a time stamp as an int, as the reference script does.

    Floats are truncated, texts of whole numbers parsed. Returns `None` for bools, infinity, NaN,
    other texts and types.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    try:
        return int(value)
    except ValueError:
        return None
