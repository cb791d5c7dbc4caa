"""Validate numbers of a memory snapshot: sizes, addresses, times and device numbers."""

from __future__ import annotations

UNKNOWN = -1
"""Marks a number that is missing or outside its limits."""
NO_ADDRESS = 2**64 - 1
"""Marks an address that is missing or outside its limits; as int64 it equals UNKNOWN."""
MAX_SIZE = 2**50
"""Exclusive limit of the bytes of a segment, block or entry: 1 PiB, more than any device has."""
MAX_TIME_US = 2**32 * 10**6
"""Exclusive limit of times: microseconds from 1970 to the year 2106."""
MAX_DEVICES = 128
"""Exclusive limit of device numbers: PyTorch stores them in 8 bits with a sign."""


def number(value: object, limit: int) -> int:
    """Return `value` if it is an integer in [0, limit), else UNKNOWN (-1).

    Booleans are not accepted as integers.
    """
    return value if type(value) is int and 0 <= value < limit else UNKNOWN


def address(value: object) -> int:
    """Return `value` if it is an integer in [0, 2**64 - 1), else NO_ADDRESS (2**64 - 1).

    Addresses of GPUs may use the top bits: addresses of Intel GPUs begin at 0xff00000000000000.
    """
    return value if type(value) is int and 0 <= value < NO_ADDRESS else NO_ADDRESS
