"""Determine the hardware of a tinygrad capture."""

from __future__ import annotations

from collections import Counter

from data_loaders.tinygrad.capture import Capture
from data_loaders.tinygrad.rows import COMPUTES, row_order
from schema.plurals import plural

HOST = ("CPU", "CLANG", "LLVM")
"""Devices that run on the CPU."""
_MAX_KINDS = 4


def hardware(capture: Capture) -> str:
    """Return the computing devices, as `AMD gfx1100` or `2 x NV + METAL`; "" if there is none.

    At most four kinds are named; devices of further kinds are counted: `+ 3 others`. The CPU is
    left out if it is only the host of another device.
    """
    devices = {_device(name) for name in capture.devices.keys() | capture.offsets.keys()} - {""}
    others = [device for device in devices if device.partition(":")[0] not in HOST]
    shown = Counter(
        _device_text(device, capture) for device in sorted(others or devices, key=row_order)
    )
    named = [f"{count} x {name}" if count > 1 else name for name, count in shown.items()][
        :_MAX_KINDS
    ]
    rest = sum(list(shown.values())[_MAX_KINDS:])
    return " + ".join([*named, *([plural(rest, "other")] if rest else [])])


def _device(name: str) -> str:
    """Return the device of a track without its parts and without number 0: `AMD:1` for
    `AMD:1:SDMA:0`, `AMD` for `AMD:0`.

    Returns "" if the device does not compute.
    """
    base, *more = name.split(" ", maxsplit=1)[0].split(":")
    if base not in COMPUTES:
        return ""
    return f"{base}:{more[0]}" if more and more[0].isdecimal() and more[0] != "0" else base


def _device_text(device: str, capture: Capture) -> str:
    base = device.partition(":")[0]
    return f"{base} {device_architecture(device, capture)}".rstrip()


def device_architecture(device: str, capture: Capture) -> str:
    """Return the instruction set of a device, such as gfx1151 (number 110501).

    "" if the capture lacks the device or a valid number.
    """
    target = capture.properties.get(device, {}).get("gfx_target_version")
    if type(target) is int and 0 < target < 10**7:
        # Decimal pairs: major, minor, step; AMD writes minor and step in hexadecimal.
        return f"gfx{target // 10_000}{target // 100 % 100:x}{target % 100:x}"
    return ""
