"""Finite floats of every size at which a formatter may fail, the same ones every time."""

import math
import struct
import sys
from itertools import product

_GOLDEN = 0x9E3779B97F4A7C15
"""Multiples of this odd number modulo 2**64 spread evenly over all bit patterns."""
_SPREAD = 2_000


def finite_floats():
    """Return thousands of finite floats, each with its negative.

    They are zeros, denormals, powers of two and ten with their neighbours, exact halves at every decimal, numbers just
    below a rounding step, whole numbers above 2**53, and an even spread over all bit patterns.
    """
    values = {
        0.0,
        5e-324,
        sys.float_info.min,
        sys.float_info.max,
        *_steps(),
        *_halves(),
        *_patterns(),
    }
    return [
        sign * value for value, sign in product(sorted(filter(math.isfinite, values)), (1.0, -1.0))
    ]


def _steps():
    powers = [2.0**exponent for exponent in range(-1074, 1024)] + [
        float(f"1e{n}") for n in range(-323, 309)
    ]
    below = [
        float(f"{digits}e{n}") for digits in ("9.994", "9.995", "9.9951") for n in range(-20, 40)
    ]
    for value in powers + below:
        yield from (math.nextafter(value, 0), value, math.nextafter(value, math.inf))


def _halves():
    yield from (
        whole + half
        for whole in (*range(40), 128, 999, 1315)
        for half in (0.5, 0.25, 0.125, 0.0625)
    )
    yield from (
        whole * 2.0**power + 2.0 ** (power - 1) for whole in range(1, 12) for power in range(40, 75)
    )
    yield from (float(whole) * 10.0**18 for whole in range(1, 10_000, 97))
    yield from (1.005e21, 1.015e21, 2**53 + 2.0, 2.0**63, 2.0**64, 1e19, 1e21)


def _patterns():
    for rank in range(_SPREAD):
        (value,) = struct.unpack("<d", struct.pack("<Q", rank * _GOLDEN % 2**64))
        yield abs(value)
