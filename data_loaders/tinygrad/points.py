"""Read the point events of tinygrad's timeline: allocations, frees, launches and markers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from data_loaders.reading.safe_pickle import Record
from data_loaders.tinygrad.capture import MAX_NUMBER, BufferMoment, Capture, Fields, Launch, Marker
from data_loaders.tinygrad.records import DType, ImageDType, Instant, PtrDType, picoseconds

_DTYPES = (DType, PtrDType, ImageDType)


def take_point(capture: Capture, fields: Fields) -> str | None:
    """Add a point to the capture; returns the reason if it is skipped, otherwise `None`.

    Points of unknown kinds only extend the capture. Raises UnsafePickleError if its time is
    malformed.
    """
    device = fields.get("device")
    instant = fields.get("ts")
    name = fields.get("name")
    if type(device) is not str or not isinstance(instant, Instant) or type(name) is not str:
        return "a point without device, name or time"
    at = picoseconds(instant)
    take = _TAKE.get(name)
    if take is None:
        # tinygrad's viewer counts all points when it computes the length of a capture.
        capture.other_points.append(at)
        return None
    argument = fields.get("arg")
    key = fields.get("key")
    if type(argument) is not dict:
        return "a point without its subject"
    return take(
        capture, device, key if type(key) is int and abs(key) < MAX_NUMBER else None, argument, at
    )


def _allocation(
    capture: Capture, device: str, key: int | None, argument: Fields, at: int
) -> str | None:
    dtype = argument.get("dtype")
    elements = argument.get("sz")
    if key is None or not isinstance(dtype, Record) or type(dtype) not in _DTYPES:
        return "an allocation without number or type"
    if type(elements) is not int or not 0 <= elements < MAX_NUMBER:
        return "an allocation without a size"
    capture.buffers.append(BufferMoment(capture.device(device), key, dtype, elements, at))
    return None


def _release(
    capture: Capture, device: str, key: int | None, argument: Fields, at: int
) -> str | None:
    if key is None:
        return "a free without a number"
    capture.buffers.append(BufferMoment(capture.device(device), key, None, 0, at))
    return None


def _launch(
    capture: Capture, device: str, key: int | None, argument: Fields, at: int
) -> str | None:
    if key is None or type(argument.get("name")) is not str:
        return "a launch without number or name"
    capture.launches.append(Launch(capture.device(device), key, argument, at))
    return None


def _marker(
    capture: Capture, device: str, key: int | None, argument: Fields, at: int
) -> str | None:
    if type(argument.get("name")) is not str:
        return "a marker without a name"
    capture.markers.append(Marker(argument, at))
    return None


_TAKE: Mapping[str, Callable[[Capture, str, int | None, Fields, int], str | None]] = (
    MappingProxyType({"alloc": _allocation, "free": _release, "exec": _launch, "marker": _marker})
)
