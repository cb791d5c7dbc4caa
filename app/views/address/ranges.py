"""Ranges of whole numbers: the kind of field, and the range of a zoomed plot."""

from __future__ import annotations

import math
import re

from app.views.address.kind import TextKind

FARTHEST = 2**62 - 1
"""Largest magnitude of the end of a range."""
# A hyphen may also be a sign, so the text cannot simply be split at hyphens.
_RANGE = re.compile(r"(-?[0-9]{1,19})-(-?[0-9]{1,19})")


class Span(TextKind[tuple[int, int]]):
    """A half-open, non-empty range of whole numbers: `-5-90`."""

    def read(self, text: str) -> tuple[int, int] | None:
        """Parse a text such as `-5-90` to (begin, end), half-open; None if it is not a range,
        empty, or beyond FARTHEST.
        """
        match = _RANGE.fullmatch(text)
        if not match:
            return None
        low = int(match.group(1))
        high = int(match.group(2))
        return (low, high) if -FARTHEST <= low < high <= FARTHEST else None

    def write(self, value: tuple[int, int]) -> str:
        """Join the ends with a hyphen."""
        return f"{value[0]}-{value[1]}"


def covering(
    span: object, least: int = 0, most: int = FARTHEST, width: int = 1
) -> tuple[int, int] | None:
    """Return (begin, end), the smallest range of whole numbers that covers a plot's range `span`.

    The range is clamped to [`least`, `most`] and at least `width` wide; None if `span` is not a
    pair of finite numbers.
    """
    if not isinstance(span, list | tuple) or len(span) != 2:
        return None
    if not all(isinstance(end, int | float) and math.isfinite(end) for end in span):
        return None
    low, high = sorted(span)
    begin = min(max(math.floor(low), least), most - width)
    return begin, max(begin + width, min(math.ceil(high), most))
