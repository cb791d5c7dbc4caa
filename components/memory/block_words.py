"""Texts about a memory block: lifetime, size, banks and special properties."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from components.numbers import DASH, integer, size
from schema.rounding import THIN

MAX_NAME_CHARACTERS = 30
"""Length to which captions shorten the names of blocks, operators, levels and devices."""


@dataclass(frozen=True)
class Life:
    """Lifetime of a block; `start` and `end` are as in frame `allocations`.

    `always`: the block is held or constant and lives in all steps. `inner`: it belongs to the inner
    plan of a step, in which `start` is that step.
    """

    start: int
    end: int
    wraps: bool
    always: bool
    inner: bool

    @classmethod
    def of(cls, block: object) -> Life:
        """Read the lifetime of a row of frame `allocations`, given as a named tuple or a series."""
        always = bool(_value(block, "hold")) or _value(block, "kind") == "constant"
        span = (int(str(_value(block, "start"))), int(str(_value(block, "end"))))
        return cls(*span, bool(_value(block, "wraps")), always, _value(block, "plan") == "inner")

    @property
    def steps(self) -> str:
        """The steps in which the block is alive, both ends included, such as `3 – 7`; `all` if it
        is alive in all steps. A block that wraps around the loop has two ranges.
        """
        if self.always:
            return "all"
        if self.wraps:
            return f"{integer(self.start)} – end, {_span(0, self.end - 1)}"
        return _span(self.start, self.start if self.inner else self.end - 1)

    def since(self, step: int) -> str:
        """Format the step since when the block has been alive at `step`, at which it must be alive.

        `always` if it is alive in all steps; ", last loop" is added if it began in the loop
        iteration before.
        """
        if self.always:
            return "always"
        # A block that wraps around the loop was allocated in the loop iteration before.
        return integer(self.start) + (", last loop" if step < self.start else "")


def marks(block: object) -> list[str]:
    """List the special properties of a row of frame `allocations`; empty if it has none.

    They are any of failed, unplaced, shared, held, wraps and inner, in this order. Constants are
    not marked as held, because all of them are.
    """
    status = str(_value(block, "status"))
    conditions = {
        "failed": status == "failed",
        "unplaced": status == "unplaced",
        "shared": status == "shared",
        "held": bool(_value(block, "hold")) and _value(block, "kind") != "constant",
        "wraps": bool(_value(block, "wraps")),
        "inner": _value(block, "plan") == "inner",
    }
    return [mark for mark, is_met in conditions.items() if is_met]


def peak_words(whole: bool, axis: str) -> str:
    """Return "the peak" if `whole`, that is of the whole attempt or capture, else "the peak of the
    AXIS in view" with the noun `axis`.
    """
    return "the peak" if whole else f"the peak of the {axis} in view"


def exact(value: int) -> str:
    """Format a number of bytes exactly, such as 128 000 B."""
    return f"{integer(value)}{THIN}B"


def both(value: int) -> str:
    """Format a number of bytes in a binary unit and exactly, such as 125 KiB = 128 000 B; below 1
    KiB only exactly.
    """
    return exact(value) if abs(value) < 1024 else f"{size(value)} = {exact(value)}"


def bank_words(low: int, high: int, bank_bytes: int | None) -> str:
    """Name the banks that the bytes [low, high) overlap, such as `bank 3` or `banks 3 – 5`; "" if
    `bank_bytes`, the size of a bank, is None or 0.
    """
    if not bank_bytes:
        return ""
    first = low // bank_bytes
    last = max(low, high - 1) // bank_bytes
    return f"bank {first}" if first == last else f"banks {first} – {last}"


def text(value: object) -> str:
    """Format a value of a frame as text; a dash when it is missing or empty."""
    return DASH if value is None or pd.isna(value) or value == "" else str(value)


def _value(block: object, name: str) -> object:
    return getattr(block, name)


def _span(first: int, last: int) -> str:
    return integer(first) if last <= first else f"{integer(first)} – {integer(last)}"
