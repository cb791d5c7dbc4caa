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
RATES = ("peak_flops", "peak_bytes_per_s")
"""What a device can do at most; the roofline is made of them."""
REAL = ("clock_hz", "peak_macs_per_cycle", "boundary_factor")
TEXT = ("hwid", "mac_dtype", "name", "tags")
SETTING_NAMES = frozenset((*WHOLE, *REAL, *TEXT))

_MAY_BE_ZERO = {"warmup", "iterations"}
_MOST = 10**9
_MOST_TEXT = 200
_PREFIXES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_REAL_UNITS = {
    "clock_hz": ({f"{p}hz": f for p, f in _PREFIXES.items()} | {"": 1.0}, " such as 1.25e9 or 1.25GHz"),
    "peak_flops": (
        {f"{p}{u}": f for p, f in _PREFIXES.items() for u in ("", "flops", "flop/s")},
        " such as 4e12 or 4TFLOPS",
    ),
    "peak_bytes_per_s": ({f"{p}{u}": f for p, f in _PREFIXES.items() for u in ("", "b/s")}, " such as 9e11 or 900GB/s"),
}
"""Setting -> its units in lower case, and an example."""


_REAL_TEXT = re.compile(r"([0-9]{1,60}(?:\.[0-9]{0,60})?(?:[eE][+-]?[0-9]{1,2})?)\s{0,9}([A-Za-z/]{0,20})")


class SettingError(ValueError):
    """A setting is unknown or its text is no value of it; the message is one sentence for a person."""


def parse_setting(key: str, text: str) -> object:
    """Return the value of one setting: int, float or str. Raises SettingError."""
    if key in WHOLE:
        return _whole(key, text)
    if key in (*REAL, *RATES):
        return _real(key, text)
    if key not in TEXT:
        raise SettingError(f"unknown setting {key}: expected one of {', '.join(sorted({*SETTING_NAMES, *RATES}))}")
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
    units, hint = _REAL_UNITS.get(key, ({"": 1.0}, ""))
    match = _REAL_TEXT.fullmatch(text.strip())
    unit = match.group(2).lower() if match else "?"
    if not match or unit not in units or not 0 < float(match.group(1)) < 1e18:
        raise SettingError(f"{key}={text[:_MOST_TEXT]}: expected a positive number{hint}")
    return float(match.group(1)) * units[unit]


def with_overrides(run: Mapping[str, object], overrides: Mapping[str, str]) -> dict[str, object]:
    """Return columns of frame `run` after a user's settings; a new data type brings its peak. Raises SettingError."""
    parsed = {key: parse_setting(key, text) for key, text in overrides.items()}
    if "mac_dtype" in parsed and "peak_macs_per_cycle" not in parsed:
        parsed["peak_macs_per_cycle"] = PEAK_MACS_PER_CYCLE[str(parsed["mac_dtype"])]
    return {**run, **parsed}
