"""Parse and validate the `--set` settings of memory sources."""

from __future__ import annotations

import re
from collections.abc import Mapping

from data_loaders.memory_banks import bank_count
from data_loaders.protocol import LoadError
from schema.memory import MAX_BYTES

_MAX_TEXT_CHARS = 200
_UNITS = {
    "": 1,
    "b": 1,
    "kib": 2**10,
    "kb": 2**10,
    "mib": 2**20,
    "mb": 2**20,
    "gib": 2**30,
    "gb": 2**30,
}
"""Bytes per unit of a size, by the unit's name in lower case.

`kb` means 1,024 bytes, as `kib` does.
"""
_SIZE = re.compile(r"([0-9]{1,19})\s{0,9}([A-Za-z]{0,3})")


def memory_settings(settings: Mapping[str, str]) -> dict[str, str | int]:
    """Parse the settings into columns of frame `run`.

    `capacity` becomes bytes (int) and `banks` a number, other values stay text. Raises LoadError if
    a text is longer than 200 characters, `capacity` is not a size or `banks` not a number.
    """
    parsed: dict[str, str | int] = {}
    for key, text in settings.items():
        if len(text) > _MAX_TEXT_CHARS:
            raise LoadError(f"{key} has {len(text)} characters: the limit is {_MAX_TEXT_CHARS}")
        parsed[key] = _NUMBERS[key](text) if key in _NUMBERS else text
    return parsed


def capacity_bytes(text: str) -> int:
    """Parse a size such as `131072` or `128KiB` into bytes.

    Raises LoadError if it is not positive.
    """
    match = _SIZE.fullmatch(text.strip())
    value = int(match.group(1)) * _UNITS.get(match.group(2).lower(), 0) if match else 0
    if not 0 < value < MAX_BYTES:
        raise LoadError(f"capacity={text}: expected a size in bytes such as 131072 or 128KiB")
    return value


_NUMBERS = {"capacity": capacity_bytes, "banks": bank_count}
"""Setting -> function that parses its text."""
