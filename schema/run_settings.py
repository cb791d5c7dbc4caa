"""The settings of a run that change its numbers: names, presets, and how their text is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from schema.devices import DEVICES, device_named, with_peaks

DEFAULT_CLOCK_HZ = 1.25e9
DEFAULT_BOUNDARY_FACTOR = 20.0
DEFAULT_MAC_DTYPE = "int16"
PEAK_MACS_PER_CYCLE = {"int16": 64.0, "bf16": 128.0, "int8": 256.0}
"""Most multiply-accumulates per cycle of an AIE-ML core, by data type."""

WHOLE = ("M", "K", "N", "m", "k", "n", "rows", "cols", "warmup", "iterations")
RATES = ("peak_flops", "peak_bytes_per_s")
"""What a device can do at most; the roofline is made of them."""
DEVICE = "device"
"""The name of a known device, which brings both rates."""
REAL = ("clock_hz", "peak_macs_per_cycle", "boundary_factor")
TEXT = ("hwid", "mac_dtype", "name", "tags")
ORIGIN = ("taken_at", "commit", "branch")
"""When and from which code a run was made: settings of every source."""
SETTING_NAMES = frozenset((*WHOLE, *REAL, *TEXT))

MOST_ARRAY_TILES = 4096
"""Cores that may share the work of a run, where the installation does not say."""
_MOST_ROWS_OR_COLS = 1024

_MAY_BE_ZERO = {"warmup", "iterations"}
_MOST = 10**9
_MOST_TEXT = 200
_MOST_MOMENT = 40
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
    if key == "taken_at":
        return moment(text)
    if key == DEVICE:
        return _device(text)
    if key not in (*TEXT, *ORIGIN):
        raise SettingError(
            f"unknown setting {key}: expected one of {', '.join(sorted({*SETTING_NAMES, *RATES, *ORIGIN, DEVICE}))}"
        )
    if key == "mac_dtype" and text not in PEAK_MACS_PER_CYCLE:
        raise SettingError(f"mac_dtype={text}: expected one of {', '.join(PEAK_MACS_PER_CYCLE)}")
    if len(text) > _MOST_TEXT:
        raise SettingError(f"{key} has {len(text)} characters: at most {_MOST_TEXT} are kept")
    return text


def _device(text: str) -> str:
    """Return the name of a known device, empty for none; raises SettingError."""
    found = device_named(text)
    if found is None and text.strip():
        names = ", ".join(device.name for device in DEVICES)
        raise SettingError(f"device={text[:_MOST_TEXT]}: expected one of {names}, or words that only one of them has")
    return found.name if found else ""


def moment(text: str) -> str:
    """Return a date and time of ISO 8601 as UTC to the second, empty for none; one without an offset is UTC.

    Raises SettingError.
    """
    if not text.strip():
        return ""
    try:
        found = datetime.fromisoformat(text.strip() if len(text) <= _MOST_MOMENT else "")
        there = found if found.tzinfo else found.replace(tzinfo=UTC)
        return there.astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError) as error:
        said = f"taken_at={text[:_MOST_TEXT]}: expected a date and time such as 2026-11-01T12:00Z"
        raise SettingError(said) from error


def _whole(key: str, text: str) -> int:
    least = 0 if key in _MAY_BE_ZERO else 1
    most = _MOST_ROWS_OR_COLS if key in ("rows", "cols") else _MOST
    if not re.fullmatch(r"[0-9]{1,10}", text.strip()) or not least <= int(text) <= most:
        raise SettingError(f"{key}={text[:_MOST_TEXT]}: expected a whole number from {least} to {most}")
    return int(text)


def _real(key: str, text: str) -> float:
    units, hint = _REAL_UNITS.get(key, ({"": 1.0}, ""))
    match = _REAL_TEXT.fullmatch(text.strip())
    unit = match.group(2).lower() if match else "?"
    if not match or unit not in units or not 0 < float(match.group(1)) < 1e18:
        raise SettingError(f"{key}={text[:_MOST_TEXT]}: expected a positive number{hint}")
    return float(match.group(1)) * units[unit]


def with_overrides(run: Mapping[str, object], overrides: Mapping[str, str]) -> dict[str, object]:
    """Return columns of frame `run` after a user's settings; a new data type or device brings its peaks.

    Raises SettingError.
    """
    parsed = {key: parse_setting(key, text) for key, text in overrides.items()}
    if "mac_dtype" in parsed and "peak_macs_per_cycle" not in parsed:
        parsed["peak_macs_per_cycle"] = PEAK_MACS_PER_CYCLE[str(parsed["mac_dtype"])]
    if DEVICE in parsed:
        parsed |= with_peaks(run, parsed)
    elif rates := [f"{name}: setting" for name in RATES if name in parsed]:
        before = str(run.get("peak_from") or "").split("; ")
        parsed["peak_from"] = "; ".join(dict.fromkeys([*filter(None, before), *rates]))
    return {**run, **parsed}


def check_array(run: Mapping[str, object], most: int) -> None:
    """Raise SettingError where the columns of frame `run` name more cores than `most`; null is no core."""
    rows, cols = run.get("rows"), run.get("cols")
    if isinstance(rows, int) and isinstance(cols, int) and rows * cols > most:
        raise SettingError(f"{rows} rows x {cols} cols are {rows * cols} cores: at most {most} (max_array_tiles)")


def check_array_overrides(run: Mapping[str, object], overrides: Mapping[str, str], most: int) -> None:
    """Raise SettingError where a user's settings make the array larger than `most`; what is stored is left alone."""
    shape = {key: text for key, text in overrides.items() if key in ("rows", "cols")}
    if shape:
        check_array(with_overrides(run, shape), most)
