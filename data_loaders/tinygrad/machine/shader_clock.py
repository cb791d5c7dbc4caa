"""Frequency of the shader clock, from the marks of the real-time clock in a thread trace."""

from __future__ import annotations

from dataclasses import dataclass

_REAL_TIME_HZ = 100_000_000
"""Frequency of the real-time clock of AMD's GPUs, as tinygrad's viewer assumes it."""


@dataclass
class ShaderClock:
    """Frequencies in Hz between neighbouring marks; `None` before the second mark."""

    mean_hz: float | None = None
    min_hz: float | None = None
    max_hz: float | None = None
    _first: tuple[int, int] | None = None
    _last: tuple[int, int] | None = None

    def add_mark(self, clock: int, real_time: int) -> None:
        """Add a mark: a clock of the trace, and the count of the real-time clock at the same
        moment.

        If the real time does not advance, the counter was reset: the mean starts again from this
        mark.
        """
        before = self._last
        self._last = (clock, real_time)
        if before is None or self._first is None or real_time <= before[1]:
            self._first = self._last
            return
        between = (clock - before[0]) * _REAL_TIME_HZ / (real_time - before[1])
        self.min_hz = between if self.min_hz is None else min(self.min_hz, between)
        self.max_hz = between if self.max_hz is None else max(self.max_hz, between)
        ticks = real_time - self._first[1]
        self.mean_hz = (clock - self._first[0]) * _REAL_TIME_HZ / ticks
