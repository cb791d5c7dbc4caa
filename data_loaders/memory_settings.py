"""Parse and validate the `--set` settings of memory sources."""

from __future__ import annotations

from collections.abc import Mapping

from data_loaders.memory_banks import bank_count
from data_loaders.protocol import LoadError
from schema.memory_capacity import parse_capacity

_MAX_TEXT_CHARS = 200


def memory_settings(settings: Mapping[str, str]) -> dict[str, str | int]:
    """Parse the settings into columns of frame `run`.

    `capacity` becomes bytes (int) and `banks` an int; all other values stay the text as it is, and
    unknown keys are accepted. Raises LoadError if a text is longer than 200 characters, `capacity`
    is not a size or `banks` not a number.
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
    try:
        return parse_capacity(text)
    except ValueError as error:
        raise LoadError(str(error)) from error


_NUMBERS = {"capacity": capacity_bytes, "banks": bank_count}
"""Setting -> function that parses its text."""
