"""Texts about the lifetime of a buffer of a profile, with times in a unit that fits."""

from __future__ import annotations

from dataclasses import dataclass

from components.numbers import duration_text
from components.time_axis import exact_time

TO_THE_END = "the end"
"""Text for the end of a buffer that is never freed."""
_DIGITS = 7
"""Significant digits that distinguish a time from other times of its capture."""


@dataclass(frozen=True)
class BufferLife:
    """Lifetime [start, end) of a buffer in ns; `length` is the capture's length in ns.

    A buffer that is never freed has `end` equal to `length`.
    """

    start: int
    end: int
    length: int

    @property
    def is_freed(self) -> bool:
        """Whether the buffer was freed before the capture ended."""
        return self.end < self.length

    @property
    def since(self) -> str:
        """Time of the allocation as text, such as 6.240 967 s."""
        return moment(self.start, self.length)

    @property
    def until(self) -> str:
        """Time of the free as text, `the end` if the buffer was not freed."""
        return moment(self.end, self.length) if self.is_freed else TO_THE_END

    @property
    def lasts(self) -> str:
        """Duration of the lifetime as text with a unit, such as `2.20 s`."""
        return duration_text(self.end - self.start)

    @property
    def words(self) -> str:
        """Begin, end and duration as text: `1.200 s – 3.400 s (2.20 s)`."""
        return f"{self.since} – {self.until} ({self.lasts})"


def moment(time: int, length: int) -> str:
    """Format a time (ns) exactly enough to find it on its capture's timeline: 6.240 967 s.

    `length` is the capture's length in ns, of which the text resolves 7 significant digits
    (_DIGITS).
    """
    every: int = 10 ** max(0, len(str(length)) - _DIGITS)
    return exact_time((int(time) + every // 2) // every * every)
