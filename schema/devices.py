"""Peak rates of known devices for the roofline: FP32 without matrix units, and memory bandwidth.

Rates are per device. Sources: NVIDIA's data sheets of V100, A100 (40 and 80 GB SXM), H100 (SXM and
PCIe) and its Ampere and Ada architecture white papers (RTX 3090, RTX 4090); AMD's product pages of
Instinct MI300X and MI250X (vector FP32; half of the MI250X, as each of its two dies is a device)
and Radeon RX 7900 XTX; Apple's announcements of M1, M1 Pro, M1 Max, M1 Ultra and M2 (GPU).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

PRECISION = "FP32 without matrix units"
_MAX_NAME_LENGTH = 200


@dataclass(frozen=True)
class Device:
    """A device with its peaks: operations/s, and bytes/s of its memory.

    `arch` is its architecture if no other device of this table has the same, else "".
    """

    name: str
    peak_flops: float
    peak_bytes_per_s: float
    arch: str = ""


DEVICES = (
    Device("NVIDIA V100 SXM2", 15.7e12, 900e9, "sm_70"),
    # Both A100 are sm_80 and both H100 sm_90, so that their architecture identifies neither.
    Device("NVIDIA A100 SXM 40GB", 19.5e12, 1555e9),
    Device("NVIDIA A100 SXM 80GB", 19.5e12, 2039e9),
    Device("NVIDIA H100 SXM", 67e12, 3350e9),
    Device("NVIDIA H100 PCIe", 51e12, 2000e9),
    Device("NVIDIA GeForce RTX 3090", 35.6e12, 936e9, "sm_86"),
    Device("NVIDIA GeForce RTX 4090", 82.6e12, 1008e9, "sm_89"),
    Device("AMD Instinct MI250X (one die)", 23.95e12, 1638e9, "gfx90a"),
    Device("AMD Instinct MI300X", 163.4e12, 5300e9, "gfx942"),
    Device("AMD Radeon RX 7900 XTX", 61.4e12, 960e9, "gfx1100"),
    Device("Apple M1", 2.6e12, 68.25e9),
    Device("Apple M1 Pro", 5.2e12, 200e9),
    Device("Apple M1 Max", 10.4e12, 400e9),
    Device("Apple M1 Ultra", 21e12, 800e9),
    Device("Apple M2", 3.6e12, 100e9),
)


def find_device(text: str) -> Device | None:
    """Find the device by its full name, or by words that occur in the name of a single device, in
    any case and order. Returns None if no device or several devices have all of the words, and for
    a text without words.
    """
    words = _words(text)
    exact = [device for device in DEVICES if _words(device.name) == words]
    # A full name has precedence: "Apple M1" is also part of "Apple M1 Pro".
    candidates = exact or [device for device in DEVICES if words and words <= _words(device.name)]
    return candidates[0] if len(candidates) == 1 else None


def find_run_device(hwid: str) -> tuple[Device, str] | None:
    """Find the device of a run by `hwid`, the hardware name in its frame `run`.

    Returns the device and how it was recognised, in words: `its name`, or `assumed from sm_86` if
    only the architecture matches, which several products may share. Returns None if no device or
    several devices match.
    """
    named = find_device(hwid)
    if named is not None:
        return named, "its name"
    matches = [device for device in DEVICES if device.arch and device.arch in _words(hwid)]
    return (matches[0], f"assumed from {matches[0].arch}") if len(matches) == 1 else None


def with_peaks(run: Mapping[str, object], settings: Mapping[str, object]) -> dict[str, object]:
    """Choose the peaks of a run: a dict of the columns device, peak_flops (operations/s),
    peak_bytes_per_s and peak_from (their origin in words); an unknown column is missing.

    A peak that the user set in `settings` has precedence. Other peaks belong to the device in
    `settings`, or to the device that `run` ran on if that is missing or unknown. If both peaks are
    set, there is no column device. {} if neither peaks nor a device are known.
    """
    wanted = str(settings.get("device") or "")
    named = find_device(wanted) if wanted else None
    match = (
        (named, "setting device")
        if named is not None
        else find_run_device(str(run.get("hwid") or ""))
    )
    own = [name for name in ("peak_flops", "peak_bytes_per_s") if settings.get(name)]
    columns: dict[str, object] = {name: settings[name] for name in own}
    # If the user set both peaks, they belong to no device of the table.
    if match is None or len(own) == 2:
        return columns | ({"peak_from": "settings"} if own else {})
    device, why = match
    peaks = {"peak_flops": device.peak_flops, "peak_bytes_per_s": device.peak_bytes_per_s}
    origin = f"{device.name}, {PRECISION} ({why})" + (f"; {own[0]}: setting" if own else "")
    return peaks | columns | {"device": device.name, "peak_from": origin}


def _words(text: str) -> frozenset[str]:
    # Both limits keep the search linear: the text may come from a file.
    return frozenset(re.findall(r"[a-z0-9_]{1,40}", text[:_MAX_NAME_LENGTH].lower()))
