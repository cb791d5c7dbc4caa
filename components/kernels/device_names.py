"""Names of devices on pages, with the word of their maker: GPU 0, XPU 1, HPU 0 of [TP01]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pandas as pd

from analysis.kernels.breakdown import DeviceBreakdown
from analysis.kernels.device_spans import DeviceSpans
from schema.torch_profiler import rank_label

_WORDS: Mapping[str, str] = MappingProxyType(
    {name: name.upper() for name in ("npu", "xpu", "mtia", "hpu")}
    | {"cuda": "GPU", "hip": "GPU", "privateuse1": "Device", "device": "Device"}
)
"""Begin of the names of a device's tracks -> word for the device."""


def device_word(spans: DeviceSpans) -> str:
    """Return the word for a kind of device: `GPU`, `XPU`, `HPU` for Gaudi; `GPU` if it is unknown."""
    return _word(spans.interface)


def _word(interface: str) -> str:
    return _WORDS.get(interface, "GPU")


def device_name(spans: DeviceSpans) -> str:
    """Write a device: `GPU 0` for a number, `GPU 0 of [TP01]` for that of a rank in a merged file,
    else the text of the file.
    """
    return device_label(spans.device, spans.interface)


def device_label(device: int | str, interface: str) -> str:
    """Write a device as `device_name` does, by the begin of the names of its tracks."""
    text = str(device)
    label = rank_label(text)
    number = text.rpartition(" ")[2] if label else text
    if not number.isdigit():
        return text
    name = f"{_word(interface)} {number}"
    return f"{name} of [{label}]" if label else name


def with_device_names(frame: pd.DataFrame, devices: Sequence[DeviceBreakdown]) -> pd.DataFrame:
    """Replace column `device` of a frame, such as `device_times`, by the names of the devices."""
    names = {str(device.spans.device): device_name(device.spans) for device in devices}
    shown = frame["device"].astype("str").map(lambda device: names.get(device, device))
    return frame.assign(device=shown)
