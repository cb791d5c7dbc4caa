"""The setting `banks`: the number of equal banks that a memory has."""

from __future__ import annotations

import pandas as pd

from data_loaders.protocol import LoadError
from schema.plurals import plural
from schema.run_settings import MAX_TEXT_LENGTH

MAX_BANKS = 65_536
"""Banks of a memory; local memories have 8 to 64."""


def bank_count(text: str) -> int:
    """Parse a setting `banks`; raises LoadError if it is not a whole number from 1 to 65,536."""
    number = text.strip()
    count = int(number) if number.isascii() and number.isdecimal() and len(number) < 10 else 0
    if not 0 < count <= MAX_BANKS:
        raise LoadError(
            f"banks={text[:MAX_TEXT_LENGTH]}: expected a number of banks from 1 to {MAX_BANKS}"
        )
    return count


def with_banks(attempts: pd.DataFrame, banks: int, file: str) -> pd.DataFrame:
    """Return a copy of frame `attempts` with `banks` in column `banks`, and in `bank_bytes` the
    capacity divided by it.

    Raises LoadError if a capacity (bytes) is null or not divisible by `banks`; `file` names it.
    """
    capacity = attempts["capacity"]
    if capacity.isna().any():
        raise LoadError(f"{file}: banks={banks} needs the size of the memory: set capacity too")
    uneven = capacity[capacity % banks != 0]
    if len(uneven):
        raise LoadError(
            f"{file}: {plural(uneven.iloc[0], 'byte')} of memory cannot be divided into {plural(banks, 'bank')} of equal size"
        )
    count = pd.Series(banks, index=attempts.index, dtype="Int64")
    return attempts.assign(banks=count, bank_bytes=capacity // banks)
