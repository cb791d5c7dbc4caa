"""When a buffer of a profile is alive, in words: times in the unit that fits."""

from __future__ import annotations

from dataclasses import dataclass

from components.numbers import duration_text
from components.time_axis import exact_time

TO_THE_END = "the end"
_DIGITS = 7
"""Digits of a time that tell it from others of its capture."""


@dataclass(frozen=True)
class BufferLife:
    """When a buffer is alive: ns, half-open; `length` is the capture's, at which what was never freed ends."""

    start: int
    end: int
    length: int

    @property
    def is_freed(self) -> bool:
        """Return whether it was freed before the capture ended."""
        return self.end < self.length

    @property
    def since(self) -> str:
        """Say when it was allocated."""
        return moment(self.start, self.length)

    @property
    def until(self) -> str:
        """Say when it was freed."""
        return moment(self.end, self.length) if self.is_freed else TO_THE_END

    @property
    def lasts(self) -> str:
        """Say how long it lives."""
        return duration_text(self.end - self.start)

    @property
    def words(self) -> str:
        """Say all of it: `1.2 s – 3.4 s (2.20 s)`."""
        return f"{self.since} – {self.until} ({self.lasts})"


def moment(time: int, length: int) -> str:
    """Format a time (ns) of a capture so exactly that it can be found on its timeline: 6.240 967 s."""
    every: int = 10 ** max(0, len(str(length)) - _DIGITS)
    return exact_time((int(time) + every // 2) // every * every)
