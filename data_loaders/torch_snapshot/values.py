"""Numbers of a memory snapshot within plausible limits: sizes, addresses, times and device numbers."""

from __future__ import annotations

UNKNOWN = -1
"""Value of a number that is missing or outside its limits."""
NO_ADDRESS = 2**64 - 1
"""Value of an address that is missing or outside its limits; as int64 it is UNKNOWN."""
MAX_SIZE = 2**50
"""Bytes of a segment, block or entry stay below this: 1 PiB, more than any device has."""
MAX_TIME_US = 2**32 * 10**6
"""Times stay below this: microseconds from 1970 to the year 2106."""
MAX_DEVICES = 128
"""Device numbers stay below this: PyTorch keeps them in 8 bits with a sign."""


def number(value: object, limit: int) -> int:
    """Return a whole number from 0 to below `limit`, UNKNOWN for any other value."""
    return value if type(value) is int and 0 <= value < limit else UNKNOWN


def address(value: object) -> int:
    """Return an address of 64 bits without a sign, NO_ADDRESS for any other value.

    Addresses of GPUs use the top bits too: those of Intel begin at 0xff00000000000000.
    """
    return value if type(value) is int and 0 <= value < NO_ADDRESS else NO_ADDRESS
