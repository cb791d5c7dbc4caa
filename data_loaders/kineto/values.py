"""Convert values of trace entries: times, whole numbers, texts and ids."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from data_loaders.kineto.spans import MISSING
from data_loaders.trace_columns import clean
from schema.array_types import Bools, Ints

MAX_TICK = 2**61
"""Bound of times in ns: beyond it, an entry is skipped. Differences of times then fit 64 bits."""
_MAX_NUMBER_CHARS = 40
"""Maximum characters of a number that a file writes as text."""


def nanoseconds(value: object) -> int | None:
    """Convert microseconds, a number or its text, to ns; `None` for other values and from 2**61 on."""
    if isinstance(value, str):
        value = to_decimal(value)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    if not -MAX_TICK < value < MAX_TICK:  # checked before the product: it may have a million digits
        return None
    whole = round(value * 1000)
    return whole if -MAX_TICK < whole < MAX_TICK else None


def column_nanoseconds(column: pa.ChunkedArray) -> tuple[Ints, Bools]:
    """Convert decimals of microseconds to int64 ns, and return a mask of the values that are not
    null and less than 2**61.
    """
    # A decimal128 with three decimals is stored as an integer of thousandths, so its low 64-bit
    # word is the time in ns if the high word only extends its sign.
    whole = column.combine_chunks()
    words = np.frombuffer(whole.buffers()[1], np.int64).reshape(-1, 2)[
        whole.offset : whole.offset + len(whole)
    ]
    low = words[:, 0]
    high = words[:, 1]
    fits = (high == low >> 63) & (low < MAX_TICK) & (low > -MAX_TICK)
    valid = whole.is_valid().to_numpy(zero_copy_only=False)
    return np.where(valid, low, 0), valid & fits


def whole_numbers(column: pa.Array) -> Ints:
    """Return a column of int64 as an array, with MISSING for null."""
    return np.asarray(column.fill_null(MISSING).to_numpy(zero_copy_only=False), np.int64)


def to_decimal(text: str) -> Decimal | None:
    """Parse a plain number of at most 40 characters; `None` for any other text."""
    if len(text) > _MAX_NUMBER_CHARS or not text.isascii():
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def column_thousandths(column: pa.Array) -> Ints:
    """Convert floats to whole thousandths, MISSING for null and for numbers beyond 10^12."""
    values = np.asarray(column.to_numpy(zero_copy_only=False), np.float64)
    has_value = np.abs(values) < 1e12  # False for NaN
    return np.where(has_value, np.rint(np.where(has_value, values, 0) * 1000), MISSING).astype(
        np.int64
    )


def first_number(args: Mapping[str, Any], keys: tuple[str, ...]) -> int:
    """Return the first of these numbers that is there, else MISSING."""
    return next((whole_number(args[key]) for key in keys if key in args), MISSING)


def whole_number(value: object) -> int:
    """Return an integer, or the integer that a text writes in decimal digits; MISSING for all other
    values and for absolute values of 2^62 or more.
    """
    if isinstance(value, str) and len(value) < _MAX_NUMBER_CHARS:
        sign_free = value.removeprefix("-")
        value = int(value) if sign_free.isascii() and sign_free.isdigit() else None
    if isinstance(value, bool) or not isinstance(value, int) or not MISSING < value < -MISSING:
        return MISSING
    return value


def category_text(value: Mapping[str, Any]) -> str:
    """Return the category of an entry, "" if it has none or one that is no text."""
    category = value.get("cat")
    return clean(category) if isinstance(category, str) else ""


def is_in(
    code: npt.NDArray[np.int32], values: list[Any], wanted: set[str] | frozenset[str]
) -> Bools:
    """Mask the rows of an encoded column (see `encode`) with one of the wanted values."""
    return np.array([value in wanted for value in values], np.bool_)[code]


def id_text(value: object) -> str:
    """Return the JSON text of a pid or tid; "null" for values that are neither number nor text."""
    is_id = isinstance(value, int | str) and not isinstance(value, bool)
    return clean(json.dumps(value, ensure_ascii=False)) if is_id else "null"
