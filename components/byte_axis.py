"""Ticks of axes of bytes and of addresses: multiples of a power of two, in one unit per axis."""

from __future__ import annotations

import math
from typing import Any

from components.numbers import integer
from schema.rounding import THIN

MAX_STEPS = 6
"""Maximum number of tick distances in view, which gives three to seven labels."""
MAX_STEPS_FLAT = 4
"""The same for axes of less than 100 px, whose labels would touch each other."""
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_UNIT_BITS = 10


def byte_ticks(low: float, high: float, *, max_steps: int = MAX_STEPS) -> dict[str, Any]:
    """Build the part of an axis's layout with ticks at sizes such as 64 KiB between `low` and `high`
    bytes.
    """
    places = _places(low, high, max_steps)
    return _tick_layout(places, _size_labels(places, places.step))


def address_ticks(low: float, high: float, *, floor: int = 0) -> dict[str, Any]:
    """Build the part of an axis's layout with ticks at hexadecimal addresses between `low` and
    `high`.

    `floor` is the coordinate of address 0 on the axis.
    """
    places = _places(low, high, MAX_STEPS)
    labels = [hex(place) for place in places]
    return _tick_layout([place + floor for place in places], labels)


def log_byte_ticks(low: float, high: float) -> dict[str, Any]:
    """Build the part of a logarithmic axis's layout with ticks at powers of two between `low` (above
    0) and `high` bytes.

    Each label has its own unit, since such an axis reaches from bytes to MiB.
    """
    first = math.ceil(math.log2(low))
    last = math.floor(math.log2(high))
    every = max(1, math.ceil((last - first) / MAX_STEPS))
    places = [2**power for power in range(first, last + 1, every)]
    return _tick_layout(places, [_size_labels([place], place)[0] for place in places])


def _places(low: float, high: float, max_steps: int) -> range:
    """Compute the multiples in [low, high] of the smallest power of two of which at most `max_steps`
    fit into the range.
    """
    # Whole numbers, because a float does not hold every address.
    first = math.ceil(low)
    last = math.floor(high)
    step = 1
    while step * max_steps < last - first:
        step *= 2
    return range(-(-first // step) * step, last + 1, step)


def _size_labels(places: range | list[int], step: int) -> list[str]:
    """Write sizes in the largest unit of which `step`, a power of two, is a whole multiple.

    The labels are then whole numbers, so that no two of them are alike.
    """
    rank = min((step.bit_length() - 1) // _UNIT_BITS, len(_UNITS) - 1)
    unit = 1 << (rank * _UNIT_BITS)
    return [f"{integer(place // unit)}{THIN}{_UNITS[rank]}" if place else "0" for place in places]


def _tick_layout(places: range | list[int], labels: list[str]) -> dict[str, Any]:
    return {"tickmode": "array", "tickvals": list(places), "ticktext": labels}
