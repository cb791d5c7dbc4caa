"""First sentence about the memory of devices: out of memory, else the highest peak."""

from __future__ import annotations

import pandas as pd

from analysis.memory.allocator import main_device
from analysis.memory.device_memory import DeviceMemory
from components.numbers import count_text, missing, percent, shorten, size

_NAME = 80


def memory_sentence(result: DeviceMemory) -> str:
    """Describe the memory of a run: a failed request first, then the peak of the device with the
    highest peak.

    `Peak 6.17 GiB allocated on cuda:0 in aten::cudnn_convolution.` `Out of memory: asked for 2.50
    GiB on cuda:0 where 7.00 MiB were free; ...`
    """
    device = main_device(result.devices)
    if device is None:
        return "No memory events: the trace was recorded without profile_memory."
    failed = _failure_words(result.failures)
    peak = _peak_words(result, device) if result.is_snapshot else _event_words(device)
    return f"{failed} {peak}" if failed else peak


def _failure_words(failures: pd.DataFrame) -> str:
    """Describe the failed request for most bytes; "" without failed requests."""
    if not len(failures):
        return ""
    requested = failures["requested"].fillna(-1).astype("int64")
    worst = failures.iloc[int(requested.to_numpy().argmax())]
    times = f" {count_text(len(failures), 'time')}, at most" if len(failures) > 1 else ""
    amount = (
        " (the file does not have the size)"
        if missing(worst["requested"])
        else f" asked for {size(worst['requested'])}"
    )
    free = "" if missing(worst["device_free"]) else f" where {size(worst['device_free'])} were free"
    unused = int(worst["reserved"]) - int(worst["allocated"])
    parts = [f"{size(worst['allocated'])} allocated", f"{size(unused)} reserved but unallocated"]
    if not missing(worst["largest_free"]):
        parts.append(f"largest free block {size(worst['largest_free'])}")
    return f"Out of memory{times}:{amount} on {worst['device']}{free}; {', '.join(parts)}."


def _peak_words(result: DeviceMemory, device: pd.Series) -> str:
    """Describe the peak of a device of a snapshot, of its capacity if that is known."""
    name = device["device"]
    if missing(device["peak_allocated"]):
        reserved = (
            "" if missing(device["end_reserved"]) else f", {size(device['end_reserved'])} reserved"
        )
        return (
            f"{size(device['end_allocated'])} allocated on {name} when the snapshot was taken{reserved}; "
            "no history was recorded, so the peak is not known."
        )
    share = _share_words(int(device["peak_allocated"]), result.capacity(device))
    reserved = (
        ""
        if missing(device["peak_reserved"])
        else f"; at most {size(device['peak_reserved'])} reserved"
    )
    return f"Peak {size(device['peak_allocated'])} allocated on {name}{_place(device['python'])}{share}{reserved}."


def _share_words(peak: int, capacity: int | None) -> str:
    if not capacity:
        return ""
    # A program that ran had the memory that it allocated.
    if peak > capacity:
        return f", more than the capacity of {size(capacity)}, which is wrong"
    return f", {percent(peak / capacity)} of {size(capacity)}"


def _event_words(device: pd.Series) -> str:
    """Describe the peak of a device among the memory events of a trace."""
    relative = (
        f", counted from 0 at the first of {count_text(device['entries'], 'event')}"
        if device["relative"]
        else ""
    )
    place = _place(device["python"] if pd.isna(device["op"]) else device["op"])
    return (
        f"Peak {size(device['peak_allocated'])} allocated on {device['device']}{place}{relative}."
    )


def _place(name: object) -> str:
    return "" if pd.isna(name) or not name else f" in {shorten(str(name), _NAME)}"
