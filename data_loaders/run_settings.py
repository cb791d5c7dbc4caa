"""The settings of a run that change its numbers: names, presets, and how their text is read."""

from __future__ import annotations

import re
from collections.abc import Mapping

DEFAULT_CLOCK_HZ = 1.25e9
DEFAULT_BOUNDARY_FACTOR = 20.0
DEFAULT_MAC_DTYPE = "int16"
PEAK_MACS_PER_CYCLE = {"int16": 64.0, "bf16": 128.0, "int8": 256.0}
"""Most multiply-accumulates per cycle of an AIE-ML core, by data type."""

WHOLE = ("M", "K", "N", "m", "k", "n", "rows", "cols", "warmup", "iterations")
REAL = ("clock_hz", "peak_macs_per_cycle", "boundary_factor")
TEXT = ("hwid", "mac_dtype", "name", "tags")
SETTING_NAMES = frozenset((*WHOLE, *REAL, *TEXT))

_MAY_BE_ZERO = {"warmup", "iterations"}
_MOST = 10**9
_MOST_TEXT = 200
_UNITS = {"ghz": 1e9, "mhz": 1e6, "khz": 1e3, "hz": 1.0, "": 1.0}


class SettingError(ValueError):
    """A setting is unknown or its text is no value of it; the message is one sentence for a person."""


def parse_setting(key: str, text: str) -> object:
    """Return the value of one setting: int, float or str. Raises SettingError."""
    if key in WHOLE:
        return _whole(key, text)
    if key in REAL:
        return _real(key, text)
    if key not in TEXT:
        raise SettingError(f"unknown setting {key}: expected one of {', '.join(sorted(SETTING_NAMES))}")
    if key == "mac_dtype" and text not in PEAK_MACS_PER_CYCLE:
        raise SettingError(f"mac_dtype={text}: expected one of {', '.join(PEAK_MACS_PER_CYCLE)}")
    if len(text) > _MOST_TEXT:
        raise SettingError(f"{key} has {len(text)} characters: at most {_MOST_TEXT} are kept")
    return text


def _whole(key: str, text: str) -> int:
    least = 0 if key in _MAY_BE_ZERO else 1
    if not re.fullmatch(r"[0-9]{1,10}", text.strip()) or not least <= int(text) <= _MOST:
        raise SettingError(f"{key}={text}: expected a whole number from {least} to {_MOST}")
    return int(text)


def _real(key: str, text: str) -> float:
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,2})?)\s*([A-Za-z]*)\s*", text)
    unit = match.group(2).lower() if match else "?"
    if not match or unit not in (_UNITS if key == "clock_hz" else {""}) or not 0 < float(match.group(1)) < 1e18:
        hint = " such as 1.25e9 or 1.25GHz" if key == "clock_hz" else ""
        raise SettingError(f"{key}={text}: expected a positive number{hint}")
    return float(match.group(1)) * _UNITS[unit]


def with_overrides(run: Mapping[str, object], overrides: Mapping[str, str]) -> dict[str, object]:
    """Return columns of frame `run` after a user's settings; a new data type brings its peak. Raises SettingError."""
    parsed = {key: parse_setting(key, text) for key, text in overrides.items()}
    if "mac_dtype" in parsed and "peak_macs_per_cycle" not in parsed:
        parsed["peak_macs_per_cycle"] = PEAK_MACS_PER_CYCLE[str(parsed["mac_dtype"])]
    return {**run, **parsed}
