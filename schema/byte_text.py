"""Sizes in bytes as texts: pages, commands and findings of loaders write them alike."""

from __future__ import annotations

from schema.rounding import MAX_PLAIN, THIN, fixed_digits, scientific, significant_digits

BYTE_UNITS = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
"""Units with their bytes, the largest first."""
_DIGITS = 3


def size_text(number: float) -> str:
    """Format bytes in KiB to TiB with three significant digits, below 1 KiB in bytes: 288 MiB."""
    scale, unit = next(((s, u) for s, u in BYTE_UNITS if abs(number) >= s), (1, "B"))
    if scale > 1:
        return f"{significant_digits(number / scale, _DIGITS)}{THIN}{unit}"
    whole = fixed_digits(number, 0) if abs(number) < MAX_PLAIN else scientific(number)
    return f"{whole}{THIN}{unit}"
