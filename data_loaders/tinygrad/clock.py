"""Convert times of a capture to nanoseconds from its first microsecond, the origin of tinygrad's
own viewer too.
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
"""Maximum time between the first and the last event of a capture, in years."""
_YEAR_PICOSECONDS = 365 * 86_400 * 10**12


@dataclass(frozen=True)
class Clock:
    """Origin and length of a capture."""

    origin: int
    """Picoseconds, a multiple of a microsecond."""
    length: int
    """Nanoseconds from the origin to the first nanosecond after the last event."""

    def since(self, times: Iterable[int]) -> Integers:
        """Convert picoseconds of the host's clock to nanoseconds from the origin, rounded down."""
        return integers((time - self.origin) // 1000 for time in times)

    def all_since(self, times: Times) -> Integers:
        """Convert `times` to nanoseconds from the origin, rounded down."""
        return (times.micro - self.origin // PICOSECONDS) * 1000 + times.pico // 1000


def clock(capture: Capture) -> Clock | None:
    """Compute the clock from all times of the capture; `None` if it has no times.

    Raises LoadError if the times are more than MOST_YEARS apart.
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
