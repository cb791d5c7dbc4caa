"""The setting `capacity` of a memory map: another size of the memory than the stored one."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from schema.memory_capacity import parse_capacity
from schema.run_settings import SettingError

CAPACITY = "capacity"


def without_capacity(overrides: Mapping[str, str]) -> dict[str, str]:
    """Return a copy of the settings without the capacity."""
    return {key: text for key, text in overrides.items() if key != CAPACITY}


def with_capacity(attempts: pd.DataFrame, text: str) -> pd.DataFrame:
    """Return frame `attempts` with another capacity, a size such as `128KiB`.

    It is that of the only memory level, or of all levels of unknown size, as at an ingest. The size
    of a bank stays; if the capacity is not a whole number of banks, number and size become null.
    Raises SettingError if the text is not a size, or if no level is meant.
    """
    try:
        capacity = parse_capacity(text)
    except ValueError as error:
        raise SettingError(str(error)) from error
    meant = _levels_meant(attempts)
    banks = attempts["bank_bytes"]
    is_whole = (capacity % banks.where(banks > 0) == 0).fillna(False).astype(bool) | ~meant
    return attempts.assign(
        capacity=attempts["capacity"].mask(meant, capacity),
        banks=attempts["banks"].mask(meant, capacity // banks.where(banks > 0)).where(is_whole),
        bank_bytes=banks.where(is_whole),
    )


def _levels_meant(attempts: pd.DataFrame) -> pd.Series:
    levels = attempts["level"].astype("str").unique().tolist()
    if len(levels) <= 1:
        return pd.Series(True, index=attempts.index)
    is_unknown = attempts["capacity"].isna()
    if not is_unknown.any():
        raise SettingError(
            f"capacity: the sizes of all memory levels of the run are known ({', '.join(levels)})"
        )
    return is_unknown
