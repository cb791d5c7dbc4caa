"""Times of a capture as nanoseconds from its first microsecond, where tinygrad's own viewer begins too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from data_loaders.protocol import LoadError
from data_loaders.tinygrad.capture import BufferMoment, Capture, Launch, Marker
from data_loaders.tinygrad.records import PICOSECONDS

MOST_YEARS = 100
_YEAR_PICOSECONDS = 365 * 86_400 * 10**12


@dataclass(frozen=True)
class Clock:
    """Where a capture begins and how long it is."""

    origin: int
    """Picoseconds, a whole number of microseconds."""
    length: int
    """Nanoseconds from there to the first one in which nothing happens any more."""

    def since(self, times: Iterable[int]) -> npt.NDArray[np.int64]:
        """Return picoseconds of the host's clock as whole nanoseconds from the origin, what is below dropped."""
        return np.array([(time - self.origin) // 1000 for time in times], np.int64)

    def ends(self, times: Iterable[int | None]) -> npt.NDArray[np.int64]:
        """Return the same of ends; of those that are missing the end of the capture."""
        last = self.origin + self.length * 1000
        return self.since(last if time is None else time for time in times)


def clock(capture: Capture) -> Clock | None:
    """Return the clock of everything that happens in the capture; None where nothing does.

    Raises LoadError where its times lie more than MOST_YEARS apart.
    """
    times: list[Sequence[int]] = [
        capture.spans.start,
        [end for end in capture.spans.end if end is not None],
        capture.other_points,
        *([moment.at for moment in moments] for moments in _moments(capture)),
    ]
    known = [column for column in times if column]
    if not known:
        return None
    first, last = min(map(min, known)), max(map(max, known))
    if last - first > MOST_YEARS * _YEAR_PICOSECONDS:
        raise LoadError(f"its times lie more than {MOST_YEARS} years apart")
    origin = first // PICOSECONDS * PICOSECONDS
    return Clock(origin, (last - origin) // 1000 + 1)


def _moments(capture: Capture) -> tuple[Sequence[BufferMoment | Launch | Marker], ...]:
    return capture.buffers, capture.launches, capture.markers
