"""Units of named numbers, converted where a unit has one meaning, and the words for a direction."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from schema.results import LESS, MORE

_TIMES = {
    "s": 1e9,
    "sec": 1e9,
    "secs": 1e9,
    "second": 1e9,
    "seconds": 1e9,
    "ms": 1e6,
    "msec": 1e6,
    "millisecond": 1e6,
    "milliseconds": 1e6,
    "us": 1e3,
    "usec": 1e3,
    "µs": 1e3,
    "μs": 1e3,
    "microsecond": 1e3,
    "microseconds": 1e3,
    "ns": 1.0,
    "nsec": 1.0,
    "nanosecond": 1.0,
    "nanoseconds": 1.0,
}
# KB, MB and GB are left as they are: some tools mean 1000 by them and some 1024.
_SIZES = {
    "b": 1.0,
    "byte": 1.0,
    "bytes": 1.0,
    "kib": 2.0**10,
    "mib": 2.0**20,
    "gib": 2.0**30,
    "tib": 2.0**40,
}
# FLOPS, GFLOPs and the like are left as they are: they may be numbers of operations.
_RATES = {
    "b/s": ("B/s", 1.0),
    "bytes/s": ("B/s", 1.0),
    "kib/s": ("B/s", 2.0**10),
    "mib/s": ("B/s", 2.0**20),
    "gib/s": ("B/s", 2.0**30),
    "flop/s": ("FLOP/s", 1.0),
    "gflop/s": ("FLOP/s", 1e9),
    "tflop/s": ("FLOP/s", 1e12),
    "items/s": ("items/s", 1.0),
    "items/sec": ("items/s", 1.0),
}
_OTHERS = {"%": ("ratio", 0.01), "percent": ("ratio", 0.01), "ratio": ("ratio", 1.0)}
_BITS = frozenset({"b", "kb", "Kb", "mb", "Mb", "gb", "Gb", "b/s"})
"""Units with a small b, which may mean bits, so that they are left as they are."""

_KNOWN: Mapping[str, tuple[str, float]] = MappingProxyType(
    {
        **{name: ("ns", factor) for name, factor in _TIMES.items()},
        **{name: ("bytes", factor) for name, factor in _SIZES.items()},
        **_RATES,
        **_OTHERS,
    }
)
"""Unit in lower case -> the unit of the schema, and the factor to it."""
_DIRECTIONS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("less", "lower", "smaller", "minimize", "lower is better", "-1"), LESS),
        **dict.fromkeys(("more", "higher", "bigger", "larger", "maximize"), MORE),
        **dict.fromkeys(("higher is better", "1", "+1"), MORE),
        **dict.fromkeys(("", "unknown", "0"), ""),
    }
)


def known_unit(text: str) -> tuple[str, float]:
    """Return the unit of the schema for a unit of a file, and the factor between them; the
    text itself and 1.0 if its meaning is not certain.
    """
    text = text.strip()
    if text in _BITS:
        return text, 1.0
    return _KNOWN.get(text.lower(), (text, 1.0))


def parse_direction(text: str) -> str | None:
    """Return `less`, `more`, or "" for a direction that is not known; None if the word does not
    name a direction.
    """
    return _DIRECTIONS.get(" ".join(text.lower().replace("_", " ").split()))
