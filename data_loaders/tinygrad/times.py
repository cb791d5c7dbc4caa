"""Parse all times of a capture at once into whole microseconds and remaining picoseconds.

Int64 picoseconds overflow after a hundred days, which is less than the uptime of many machines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
import pyarrow as pa

from data_loaders.tinygrad.records import MAX_DIGITS, PICOSECONDS, Instant, picoseconds
from schema.array_types import Bools, Ints

_PLACES = 6
_SCALE = 10 ** np.arange(_PLACES + 1)
_POINT = ord(".")
_ZERO = ord("0")


@dataclass(frozen=True)
class Times:
    """Times as arrays of one length: whole microseconds, and picoseconds from 0 to 999,999."""

    micro: Ints
    pico: Ints

    def __len__(self) -> int:
        return len(self.micro)

    def __getitem__(self, places: Ints | Bools) -> Times:
        """Select times by indices or by a mask, in a new record."""
        return Times(self.micro[places], self.pico[places])

    def plus(self, other: Times) -> Times:
        """Return the sum of two arrays of times of the same length, item by item."""
        pico = self.pico + other.pico
        return Times(self.micro + other.micro + pico // PICOSECONDS, pico % PICOSECONDS)

    def least(self) -> int:
        """Return the earliest time in picoseconds; the array must not be empty."""
        micro = self.micro.min()
        return int(micro) * PICOSECONDS + int(self.pico[self.micro == micro].min())

    def most(self) -> int:
        """Return the latest time in picoseconds; the array must not be empty."""
        micro = self.micro.max()
        return int(micro) * PICOSECONDS + int(self.pico[self.micro == micro].max())


def times_from_numbers(values: Iterable[int]) -> Times:
    """Convert picoseconds to times of the same length and order."""
    pairs = np.array([divmod(value, PICOSECONDS) for value in values], np.int64).reshape(-1, 2)
    return Times(pairs[:, 0], pairs[:, 1])


def parse_times(instants: Sequence[Instant]) -> Times:
    """Parse a capture's times, decimals of microseconds, to times of the same length and order.

    Digits below a picosecond are dropped. Raises UnsafePickleError if a time is not a plain number.
    """
    try:
        # Converted by Arrow at once: a Python call per object was a third of the time of reading.
        texts = list(map(itemgetter(0), instants))
        parsed = (
            _parse_texts(pa.array(texts, pa.string())) if set(map(type, texts)) == {str} else None
        )
    except (IndexError, UnicodeError):
        parsed = None
    if parsed is None:
        return times_from_numbers(map(picoseconds, instants))
    times, usual = parsed
    others = times_from_numbers(
        picoseconds(instants[place]) for place in np.flatnonzero(~usual).tolist()
    )
    times.micro[~usual] = others.micro
    times.pico[~usual] = others.pico
    return times


def _parse_texts(texts: pa.StringArray) -> tuple[Times, Bools]:
    """Parse texts of at most 18 digits with at most one point and 6 decimals, as microseconds.

    Also returns a mask of the texts that have this form; the times of other texts have no meaning.
    """
    _, borders, text = texts.buffers()
    border = np.frombuffer(borders, np.int32)[: len(texts) + 1]
    byte = np.frombuffer(text or b"", np.uint8)[: border[-1]]
    points = np.flatnonzero(byte == _POINT)
    before = np.searchsorted(points, border)
    pointed = np.diff(before)
    digits = np.diff(border) - pointed
    places = np.zeros(len(texts), np.int64)
    has_point = pointed == 1
    places[has_point] = border[1:][has_point] - 1 - points[before[:-1][has_point]]
    # Other texts, with an exponent or more digits, are parsed singly when the fast path has ended.
    usual = (
        (pointed <= 1)
        & (digits > places)
        & (digits <= MAX_DIGITS)
        & (places <= _PLACES)
        & (places >= pointed)
    )
    # Unsigned bytes below "0" wrap around to numbers above 9.
    odd = np.flatnonzero((byte - np.uint8(_ZERO) > 9) & (byte != _POINT))
    usual[np.searchsorted(border, odd, side="right") - 1] = False
    without = [
        None,
        pa.py_buffer((border - before).astype(np.int32)),
        pa.py_buffer(byte[byte != _POINT]),
    ]
    values = np.zeros(len(texts), np.int64)
    parsed = pa.Array.from_buffers(pa.string(), len(texts), without).filter(pa.array(usual))
    values[usual] = parsed.cast(pa.int64()).to_numpy()
    scale = _SCALE[np.minimum(places, _PLACES)]
    micro = values // scale
    return Times(micro, (values - micro * scale) * (PICOSECONDS // scale)), usual
