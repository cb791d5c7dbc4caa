"""Captions of the memory views of a profile."""

from __future__ import annotations

from analysis.memory.live_curve import DeviceCurves, LiveCurve
from analysis.memory.picture import BufferPicture
from components.counts import part_text
from components.memory.block_words import MAX_NAME_CHARACTERS, both, peak_words
from components.memory.buffer_words import moment
from components.numbers import count_text, integer, percent, shorten, size

FITS = {"first_fit": "first fit by start", "best_fit": "best fit by size"}
"""Built-in allocator -> its name in sentences."""


def devices_caption(curves: DeviceCurves, shown: int | None) -> str:
    """Write how many devices have buffers, which needs the most bytes, what is never freed, and
    which device (attempt number `shown`) is shown; without devices, that there are none.
    """
    if not curves.devices:
        return "No device has a buffer."
    most = max(curves.devices, key=lambda number: curves.devices[number].peak)
    parts = [count_text(len(curves.devices), "device")]
    if len(curves.devices) > 1:
        parts[0] += f", {_name(curves, most)} needs the most"
    left = int(curves.total.blocks[-1])
    held = f"{count_text(left, 'buffer')} with {size(int(curves.total.bytes[-1]))} never freed"
    parts.append(held if left else "every buffer freed")
    parts += (
        [f"{_name(curves, shown)} is shown"]
        if shown in curves.devices and len(curves.devices) > 1
        else []
    )
    return "; ".join(parts) + "."


def live_caption(curves: DeviceCurves, shown: int | None) -> str:
    """Write when the device with attempt number `shown`, and all devices together, have the most
    live bytes, with times and bytes; without that device, that no device has a buffer.
    """
    if shown is None or shown not in curves.devices:
        return "No device has a buffer."
    sentence = f"{_name(curves, shown)} needs the most at {_peak(curves.devices[shown])}"
    if len(curves.devices) == 1:
        return f"{sentence}."
    everyone = "both" if len(curves.devices) == 2 else f"all {integer(len(curves.devices))}"
    return f"{sentence}; {everyone} devices together at {_peak(curves.total)}."


def map_caption(drawn: BufferPicture, layout: str) -> str:
    """Write that a built-in allocator placed the buffers, and how many bytes they take compared
    with the lower bound.

    `layout` is a key of FITS. Only the first part if there are no buffers.
    """
    rule = (
        f"Placed by the built-in allocator ({FITS[layout]}): a profile has sizes and lifetimes of buffers, "
        "but no addresses."
    )
    extent = drawn.amap.whole("extent")
    if not extent:
        return rule
    waste = extent - (drawn.amap.whole("bound") or 0)
    # The bound is that of the drawn buffers, which are not all if there are too many.
    of_them = "" if drawn.steady else " of them"
    over = (
        f", {size(waste)} more than is ever alive at once{of_them}"
        if waste > 0
        else f", the most{of_them} that is alive at once"
    )
    return f"{rule} {'All of them' if drawn.steady else 'Those drawn'} take {size(extent)}{over}."


def map_line(drawn: BufferPicture, selected: str) -> str:
    """Write how many of the buffers alive in the window are drawn, with their share of the bytes;
    if no buffer is alive, that.

    The sentence `selected`, about the selected buffer, is appended; it may be "".
    """
    left = drawn.alive - drawn.drawn
    if not drawn.alive:
        sentence = "No buffer of this device is alive here."
    elif left:
        share = percent(drawn.drawn_bytes / max(drawn.alive_bytes, 1))
        sentence = (
            f"The largest {part_text(drawn.drawn, drawn.alive, 'buffer')} alive here, {share} of their bytes; "
            f"the other {integer(left)} together {size(drawn.alive_bytes - drawn.drawn_bytes)}."
        )
    else:
        sentence = f"{count_text(drawn.alive, 'buffer')} alive here, {'it is' if drawn.alive == 1 else 'each is'} drawn."
    return f"{sentence} {selected}".strip()


def alive_caption(curve: LiveCurve, label: str, time: int, *, chosen: bool) -> str:
    """Write how many buffers and bytes of a device are alive at `time` (ns), and which share of its
    peak that is.

    `chosen` is True if the cursor is at that time, False if the time is a peak. `label` is the name
    of the device.
    """
    at = curve.index(time)
    peak = peak_words(int(curve.bytes[at]) == curve.peak, "time")
    moment_words = f"At {moment(time, curve.end)}" + ("" if chosen else f", {peak}")
    alive = int(curve.bytes[at])
    count = int(curve.blocks[at])
    amount = f"{count_text(count, 'buffer')}, {size(alive)}," if count else "nothing"
    verb = "are" if count > 1 else "is"
    share = (
        f", {percent(alive / curve.peak)} of its peak" if chosen and count and curve.peak else ""
    )
    return f"{moment_words}: {amount} {verb} alive on {shorten(label, MAX_NAME_CHARACTERS)}{share}."


def _name(curves: DeviceCurves, number: int | None) -> str:
    return "" if number is None else shorten(curves.labels[number], MAX_NAME_CHARACTERS)


def _peak(curve: LiveCurve) -> str:
    return f"{moment(curve.peak_time, curve.end)}: {both(curve.peak)}"
