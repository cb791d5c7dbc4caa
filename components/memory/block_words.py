"""When a memory block is alive, where it lies and what is special about it, in words."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from components.numbers import DASH, integer, size
from components.rounding import THIN


@dataclass(frozen=True)
class Life:
    """When a block is alive: `start` and `end` as in frame `allocations`."""

    start: int
    end: int
    wraps: bool
    always: bool
    inner: bool

    @classmethod
    def of(cls, block: object) -> Life:
        """Return the life of a row of frame `allocations`, as a named tuple or a series."""
        always = bool(_value(block, "hold")) or _value(block, "kind") == "constant"
        span = (int(str(_value(block, "start"))), int(str(_value(block, "end"))))
        return cls(*span, bool(_value(block, "wraps")), always, _value(block, "plan") == "inner")

    @property
    def steps(self) -> str:
        """Say in which steps it is alive, both ends included: `3 – 7`."""
        if self.always:
            return "all"
        if self.wraps:
            return f"{integer(self.start)} – end, {_span(0, self.end - 1)}"
        return _span(self.start, self.start if self.inner else self.end - 1)

    def since(self, step: int) -> str:
        """Say since when it has been alive at a step that it is alive at."""
        if self.always:
            return "always"
        return integer(self.start) + (", last loop" if step < self.start else "")


def marks(block: object) -> list[str]:
    """Return what sets a row of frame `allocations` apart: held, wraps, failed, shared, not placed, inner plan."""
    status = str(_value(block, "status"))
    found = {
        "failed": status == "failed",
        "unplaced": status == "unplaced",
        "shared": status == "shared",
        "held": bool(_value(block, "hold")) and _value(block, "kind") != "constant",
        "wraps": bool(_value(block, "wraps")),
        "inner": _value(block, "plan") == "inner",
    }
    return [mark for mark, there in found.items() if there]


def peak_words(whole: bool, axis: str) -> str:
    """Say that a step or a time is the peak: of the whole attempt or capture, or of the `axis` in view alone."""
    return "the peak" if whole else f"the peak of the {axis} in view"


def exact(value: int) -> str:
    """Format bytes to the byte: 128 000 B."""
    return f"{integer(value)}{THIN}B"


def both(value: int) -> str:
    """Format bytes in KiB or MiB and to the byte: 125 KiB = 128 000 B."""
    return exact(value) if abs(value) < 1024 else f"{size(value)} = {exact(value)}"


def bank_words(low: int, high: int, bank_bytes: int | None) -> str:
    """Name the banks that [low, high) lies in; empty where the memory has none."""
    if not bank_bytes:
        return ""
    first, last = low // bank_bytes, max(low, high - 1) // bank_bytes
    return f"bank {first}" if first == last else f"banks {first} – {last}"


def text(value: object) -> str:
    """Return a value of a frame as text, a dash where there is none."""
    return DASH if value is None or pd.isna(value) or value == "" else str(value)


def _value(block: object, name: str) -> object:
    return getattr(block, name)


def _span(first: int, last: int) -> str:
    return integer(first) if last <= first else f"{integer(first)} – {integer(last)}"
