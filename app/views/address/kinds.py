"""Kinds of fields that several pages use: numbers, texts, options, lists, pairs."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from app.views.address.kind import TextKind
from schema.digits import is_whole

_DIGITS = 18
"""Maximum digits of a number; 18 digits fit into int64."""


@dataclass(frozen=True)
class Whole(TextKind[int]):
    """A whole number from 0 with at most `digits` digits.

    Values below `least` or above `most` (None: no maximum) are replaced by that bound; a number is
    invalid if `accepts` returns False.
    """

    digits: int = _DIGITS
    least: int = 0
    most: int | None = None
    accepts: Callable[[int], bool] = lambda _number: True

    def read(self, text: str) -> int | None:
        """Parse the number and clamp it to the bounds `least` and `most`; None if it is not a whole
        number or not accepted.
        """
        if not is_whole(text, self.digits) or not self.accepts(int(text)):
            return None
        number = max(int(text), self.least)
        return number if self.most is None else min(number, self.most)


@dataclass(frozen=True)
class OneOf(TextKind[str]):
    """A text from a collection; `otherwise` replaces any other text that is not empty."""

    values: Collection[str]
    otherwise: str | None = None

    def read(self, text: str) -> str | None:
        """Return the text if the collection has it; else the replacement `otherwise`, None if the
        text is "".
        """
        if text in self.values:
            return text
        return self.otherwise if text else None


@dataclass(frozen=True)
class Text(TextKind[str]):
    """A text of at most `longest` characters. The text in `nothing` counts as no value."""

    longest: int
    nothing: str = ""

    def read(self, text: str) -> str | None:
        """Return the first `longest` characters of the text; None if it is "" or equal to field
        `nothing`.
        """
        return None if text == self.nothing else text[: self.longest] or None


@dataclass(frozen=True)
class Words(TextKind[str]):
    """Words separated by single spaces, at most `longest` characters."""

    longest: int

    def read(self, text: str) -> str | None:
        """Return the words separated by single spaces, cut to the maximum length; None without
        words.
        """
        return " ".join(text.split())[: self.longest].strip() or None


@dataclass(frozen=True)
class Pattern(TextKind[str]):
    """A text that matches a regular expression."""

    form: re.Pattern[str]

    def read(self, text: str) -> str | None:
        """Return the text if it matches as a whole, else None."""
        return text if self.form.fullmatch(text) else None


class Flag(TextKind[bool]):
    """A boolean that is `1` in the address if it is True, and absent if it is False."""

    def read(self, text: str) -> bool:
        """Return whether the text is `1`."""
        return text == "1"

    def write(self, value: bool) -> str:
        """Return "1" for True, "" for False."""
        return "1" if value else ""


@dataclass(frozen=True)
class Numbers(TextKind[tuple[int, ...]]):
    """A set of at most `most` whole numbers in ascending order: `1,5,9`."""

    most: int
    digits: int = _DIGITS

    def read(self, text: str) -> tuple[int, ...]:
        """Parse the numbers, which commas separate, to the first `most` of them in ascending order
        without repeats; invalid parts are skipped.
        """
        return tuple(
            sorted({int(part) for part in text.split(",") if is_whole(part, self.digits)})
        )[: self.most]

    def write(self, value: tuple[int, ...]) -> str:
        """Join the numbers with commas."""
        return ",".join(map(str, value))


@dataclass(frozen=True)
class NumberPairs(TextKind[tuple[tuple[int, int], ...]]):
    """Pairs of a whole number and its value, sorted by number, at most `most` pairs: `1=64,5=0`."""

    most: int
    key_digits: int
    digits: int = _DIGITS

    def read(self, text: str) -> tuple[tuple[int, int], ...]:
        """Parse the pairs to the first `most` of them in ascending order; invalid parts are
        skipped.

        If a number occurs several times, its last value counts.
        """
        parts = (part.partition("=") for part in text.split(","))
        values = {int(key): int(value) for key, _, value in parts if self._is_pair(key, value)}
        return tuple(sorted(values.items()))[: self.most]

    def _is_pair(self, key: str, value: str) -> bool:
        return is_whole(key, self.key_digits) and is_whole(value, self.digits)

    def write(self, value: tuple[tuple[int, int], ...]) -> str:
        """Join the pairs, `NUMBER=VALUE` each, with commas."""
        return ",".join(f"{key}={number}" for key, number in value)
