"""Times of a capture as nanoseconds from its first microsecond, where tinygrad's own viewer begins
too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from data_loaders.protocol import LoadError
from data_loaders.tinygrad.capture import BufferMoment, Capture, Launch, Marker
from data_loaders.tinygrad.columns import Integers, integers
from data_loaders.tinygrad.records import PICOSECONDS
from data_loaders.tinygrad.times import Times, times_of_numbers

MOST_YEARS = 100
_YEAR_PICOSECONDS = 365 * 86_400 * 10**12


@dataclass(frozen=True)
class Clock:
    """Where a capture begins and how long it is."""

    origin: int
    """Picoseconds, a whole number of microseconds."""
    length: int
    """Nanoseconds from there to the first one in which nothing happens any more."""

    def since(self, times: Iterable[int]) -> Integers:
        """Return picoseconds of the host's clock as whole nanoseconds from the origin, what is
        below dropped.
        """
        return integers((time - self.origin) // 1000 for time in times)

    def all_since(self, times: Times) -> Integers:
        """Return the same of many."""
        return (times.micro - self.origin // PICOSECONDS) * 1000 + times.pico // 1000


def clock(capture: Capture) -> Clock | None:
    """Return the clock of everything that happens in the capture; None where nothing does.

    Raises LoadError where its times lie more than MOST_YEARS apart.
    """
    spans = capture.spans
    points = [capture.other_points, *([moment.at for moment in moments] for moments in _moments(capture))]
    known = [*filter(len, (spans.start, spans.end[spans.closed])), *map(times_of_numbers, filter(None, points))]
    if not known:
        return None
    first, last = min(times.least() for times in known), max(times.most() for times in known)
    if last - first > MOST_YEARS * _YEAR_PICOSECONDS:
        raise LoadError(f"its times lie more than {MOST_YEARS} years apart")
    origin = first // PICOSECONDS * PICOSECONDS
    return Clock(origin, (last - origin) // 1000 + 1)


def _moments(capture: Capture) -> tuple[Sequence[BufferMoment | Launch | Marker], ...]:
    return capture.buffers, capture.launches, capture.markers
