"""Convert times to nanoseconds from a capture's first microsecond, as in tinygrad's viewer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from data_loaders.protocol import LoadError
from data_loaders.tinygrad.capture import BufferMoment, Capture, Launch, Marker
from data_loaders.tinygrad.columns import integers
from data_loaders.tinygrad.records import PICOSECONDS
from data_loaders.tinygrad.times import Times, times_from_numbers
from schema.array_types import Ints

MAX_YEARS = 100
"""Maximum time between the first and the last event of a capture, in years."""
_YEAR_PICOSECONDS = 365 * 86_400 * 10**12


@dataclass(frozen=True)
class Clock:
    """Origin and length of a capture."""

    origin: int
    """Picoseconds, a multiple of a microsecond."""
    length: int
    """Nanoseconds from the origin to the first nanosecond after the last event."""

    def since(self, times: Iterable[int]) -> Ints:
        """Convert picoseconds of the host's clock to nanoseconds (int64) from the capture's origin,
        rounded down.
        """
        return integers((time - self.origin) // 1000 for time in times)

    def all_since(self, times: Times) -> Ints:
        """Convert `times` of the host's clock to nanoseconds from the capture's origin, rounded
        down; same length and order.
        """
        return (times.micro - self.origin // PICOSECONDS) * 1000 + times.pico // 1000


def clock(capture: Capture) -> Clock | None:
    """Compute the origin (the first time, rounded down to a microsecond) and length of the capture.

    `None` if it has no times. Raises LoadError if the times cover more than MAX_YEARS (100).
    """
    spans = capture.spans
    points = [
        capture.other_points,
        *([moment.at for moment in moments] for moments in _moments(capture)),
    ]
    intervals = filter(len, (spans.start, spans.end[spans.closed]))
    times = [*intervals, *map(times_from_numbers, filter(None, points))]
    if not times:
        return None
    first = min(part.least() for part in times)
    last = max(part.most() for part in times)
    if last - first > MAX_YEARS * _YEAR_PICOSECONDS:
        raise LoadError(f"its times differ by more than {MAX_YEARS} years")
    origin = first // PICOSECONDS * PICOSECONDS
    return Clock(origin, (last - origin) // 1000 + 1)


def _moments(capture: Capture) -> tuple[Sequence[BufferMoment | Launch | Marker], ...]:
    return capture.buffers, capture.launches, capture.markers
