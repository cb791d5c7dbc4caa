"""Parse the settings of a run that change its numbers, and apply them to frame `run`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from schema.devices import DEVICES, find_device, with_peaks

# The clock of the team's script: a trace has cycles and does not say how long one lasts.
DEFAULT_CLOCK_HZ = 1.25e9
# The stall factor of the team's script.
DEFAULT_BOUNDARY_FACTOR = 20.0
DEFAULT_MAC_DTYPE = "int16"
# The script has 64 for every type, but bf16 kernels were measured at 94.6 MAC per cycle.
PEAK_MACS_PER_CYCLE = {"int16": 64.0, "bf16": 128.0, "int8": 256.0}
"""Data type -> maximum number of multiply-accumulates per cycle of an AIE-ML core."""

WHOLE = ("M", "K", "N", "m", "k", "n", "rows", "cols", "warmup", "iterations")
"""Settings whose values are whole numbers."""
RATES = ("peak_flops", "peak_bytes_per_s")
"""Settings for the peak rates of a device, from which the roofline is drawn."""
DEVICE = "device"
"""Setting with the name of a known device, which determines both rates."""
REAL = ("clock_hz", "peak_macs_per_cycle", "boundary_factor")
"""Settings whose values are decimal numbers, besides the rates."""
TEXT = ("hwid", "mac_dtype", "name", "tags")
"""Settings whose values are text, besides ORIGIN and DEVICE."""
ORIGIN = ("taken_at", "commit", "branch")
"""Settings of every source for the date, commit and branch of a run."""
SETTING_NAMES = frozenset((*WHOLE, *REAL, *TEXT))
"""Settings of an AIE run, besides those that every source has."""

# Checked before anything is computed from rows and columns, which a file may give.
MAX_ARRAY_TILES = 4096
"""Default limit for the number of cores that share the work of a run (setting max_array_tiles)."""
_MAX_ROWS_OR_COLS = 1024

_MAY_BE_ZERO = {"warmup", "iterations"}
_MAX_WHOLE = 10**9
MAX_TEXT_LENGTH = 200
"""Maximum characters of the text of a setting, and of a refused value in a sentence."""
_MAX_TIME_LENGTH = 40
_PREFIXES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_REAL_UNITS = {
    "clock_hz": (
        {f"{p}hz": f for p, f in _PREFIXES.items()} | {"": 1.0},
        " such as 1.25e9 or 1.25GHz",
    ),
    "peak_flops": (
        {f"{p}{u}": f for p, f in _PREFIXES.items() for u in ("", "flops", "flop/s")},
        " such as 4e12 or 4TFLOPS",
    ),
    "peak_bytes_per_s": (
        {f"{p}{u}": f for p, f in _PREFIXES.items() for u in ("", "b/s")},
        " such as 9e11 or 900GB/s",
    ),
}
"""Setting -> its units in lower case with their factors, and an example for error messages."""


# All repeats are bounded, so that a long hostile text is rejected in linear time.
_REAL_TEXT = re.compile(
    r"([0-9]{1,60}(?:\.[0-9]{0,60})?(?:[eE][+-]?[0-9]{1,2})?)\s{0,9}([A-Za-z/]{0,20})"
)


class SettingError(ValueError):
    """A setting is unknown or its value is invalid; the message is one sentence for a user."""


def parse_setting(key: str, text: str) -> object:
    """Parse the value of setting `key`: int if it is in WHOLE, float in base units (Hz,
    operations/s, bytes/s) if in REAL or RATES, else str.

    taken_at becomes a time in UTC, device the full name of a known device; both are "" for a blank
    text. Raises SettingError if the setting is unknown or its value invalid.
    """
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
        raise SettingError(
            f"mac_dtype={text[:MAX_TEXT_LENGTH]}: expected one of {', '.join(PEAK_MACS_PER_CYCLE)}"
        )
    if len(text) > MAX_TEXT_LENGTH:
        raise SettingError(f"{key} has {len(text)} characters: the limit is {MAX_TEXT_LENGTH}")
    return text


def _device(text: str) -> str:
    """Return the full name of the device that `text` names in full or by words that only its name
    has; "" if the text is blank. Raises SettingError if no device or several devices match.
    """
    device = find_device(text)
    if device is None and text.strip():
        names = ", ".join(known.name for known in DEVICES)
        raise SettingError(
            f"device={text[:MAX_TEXT_LENGTH]}: expected one of {names}, or words that occur in only one of these names"
        )
    return device.name if device else ""


def moment(text: str) -> str:
    """Convert a date and time of ISO 8601 to UTC with whole seconds, such as
    `2026-11-01T12:00:00+00:00`; "" for a blank text. A time without an offset is UTC. Raises
    SettingError if the text is not a date and time.
    """
    if not text.strip():
        return ""
    try:
        # A text over the limit becomes "", for which `fromisoformat` raises ValueError.
        time = datetime.fromisoformat(text.strip() if len(text) <= _MAX_TIME_LENGTH else "")
        zoned = time if time.tzinfo else time.replace(tzinfo=UTC)
        return zoned.astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError) as error:
        sentence = (
            f"taken_at={text[:MAX_TEXT_LENGTH]}: expected a date and time such as 2026-11-01T12:00Z"
        )
        raise SettingError(sentence) from error


def _whole(key: str, text: str) -> int:
    least = 0 if key in _MAY_BE_ZERO else 1
    most = _MAX_ROWS_OR_COLS if key in ("rows", "cols") else _MAX_WHOLE
    if not re.fullmatch(r"[0-9]{1,10}", text.strip()) or not least <= int(text) <= most:
        raise SettingError(
            f"{key}={text[:MAX_TEXT_LENGTH]}: expected a whole number from {least} to {most}"
        )
    return int(text)


def _real(key: str, text: str) -> float:
    units, hint = _REAL_UNITS.get(key, ({"": 1.0}, ""))
    match = _REAL_TEXT.fullmatch(text.strip())
    unit = match.group(2).lower() if match else "?"
    if not match or unit not in units or not 0 < float(match.group(1)) < 1e18:
        raise SettingError(f"{key}={text[:MAX_TEXT_LENGTH]}: expected a positive number{hint}")
    return float(match.group(1)) * units[unit]


def with_overrides(run: Mapping[str, object], overrides: Mapping[str, str]) -> dict[str, object]:
    """Return the columns of frame `run` with a user's settings (name -> text) parsed and applied,
    as a new dict.

    A new data type also changes `peak_macs_per_cycle`, unless that is set too; a new device or rate
    also changes the peaks and `peak_from`. Raises SettingError when a setting is invalid.
    """
    parsed = {key: parse_setting(key, text) for key, text in overrides.items()}
    if "mac_dtype" in parsed and "peak_macs_per_cycle" not in parsed:
        parsed["peak_macs_per_cycle"] = PEAK_MACS_PER_CYCLE[str(parsed["mac_dtype"])]
    if DEVICE in parsed:
        parsed |= with_peaks(run, parsed)
    elif rates := [f"{name}: setting" for name in RATES if name in parsed]:
        # The rate that was not set keeps its origin in the text.
        before = str(run.get("peak_from") or "").split("; ")
        parsed["peak_from"] = "; ".join(dict.fromkeys([*filter(None, before), *rates]))
    return {**run, **parsed}


def check_array(run: Mapping[str, object], most: int) -> None:
    """Raise SettingError if rows x cols of `run` are more than `most` cores.

    Without a whole number in both columns there is no check.
    """
    rows, cols = run.get("rows"), run.get("cols")
    if isinstance(rows, int) and isinstance(cols, int) and rows * cols > most:
        raise SettingError(
            f"{rows} rows x {cols} cols are {rows * cols} cores: the limit is {most} (setting max_array_tiles)"
        )


def check_array_overrides(
    run: Mapping[str, object], overrides: Mapping[str, str], most: int
) -> None:
    """Raise SettingError if a user's settings (name -> text) make the array larger than `most`
    cores, or are invalid. Without a setting for rows or cols there is no check.
    """
    shape = {key: text for key, text in overrides.items() if key in ("rows", "cols")}
    if shape:
        check_array(with_overrides(run, shape), most)
