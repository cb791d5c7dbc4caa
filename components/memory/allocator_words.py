"""Captions of the maps of a caching allocator's devices: allocated and reserved bytes, never addresses."""

from __future__ import annotations

import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.reserved import ReservedBytes
from components.caption import Caption, Jump
from components.memory.block_words import MAX_NAME_CHARACTERS, exact
from components.numbers import count_text, integer, percent, shorten, size


def map_words(amap: AttemptMap) -> str:
    """Write the most bytes that a device had allocated, the share of its capacity if that is known,
    and a warning that segments of different times are stacked.
    """
    peak = amap.whole("live_peak")
    name = shorten(amap.label, MAX_NAME_CHARACTERS)
    if not peak:
        return f"{name} has no allocation."
    capacity = amap.whole("capacity")
    share = f", {percent(peak / capacity)} of {size(capacity)}" if capacity else ""
    return (
        f"{name}: at most {exact(peak)} allocated at once{share}. Segments, in grey, are stacked, also "
        "those that never existed together."
    )


def live_words(amap: AttemptMap, reserved: ReservedBytes | None) -> str:
    """Write at which step a device had most bytes allocated, and the most that it reserved."""
    peak = amap.whole("live_peak")
    step = amap.whole("peak_step")
    name = shorten(amap.label, MAX_NAME_CHARACTERS)
    if peak is None or step is None:
        return f"{name} has no allocation."
    at = f"step {integer(step)}"
    held = "" if reserved is None else f"; at most {exact(reserved.peak)} reserved"
    text = f"{name}: most is allocated at {at}: {exact(peak)}{held}."
    return Caption(text, Jump(f"at {at}", "step", step))


def devices_words(attempts: pd.DataFrame) -> str:
    """Write how many devices there are, and which has the highest peak."""
    peaks = attempts[attempts["live_peak"].notna()]
    count = f"{count_text(len(attempts), 'device')}."
    if not len(peaks):
        return count
    row = peaks.loc[peaks["live_peak"].astype("int64").idxmax()]
    device = Jump(shorten(str(row["level"]), MAX_NAME_CHARACTERS), "attempt", int(row["attempt"]))
    text = f"{count} {device.text} has the highest peak: {size(row['live_peak'])} allocated."
    return Caption(text, device)
