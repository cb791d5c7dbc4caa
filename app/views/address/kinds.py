"""The kinds of fields that several pages have: numbers, texts, choices, lists, pairs."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from app.views.address.kind import TextKind
from schema.digits import is_whole

_DIGITS = 18


@dataclass(frozen=True)
class Whole(TextKind[int]):
    """A whole number from 0 on of at most so many digits; `least` and `most` bound it, `accepts` refuses some."""

    digits: int = _DIGITS
    least: int = 0
    most: int | None = None
    accepts: Callable[[int], bool] = lambda _number: True

    def read(self, text: str) -> int | None:
        """Return the number, or the bound that it lies beyond."""
        if not is_whole(text, self.digits) or not self.accepts(int(text)):
            return None
        number = max(int(text), self.least)
        return number if self.most is None else min(number, self.most)


@dataclass(frozen=True)
class OneOf(TextKind[str]):
    """One of the values that there are; `otherwise` stands for any other text."""

    values: Collection[str]
    otherwise: str | None = None

    def read(self, text: str) -> str | None:
        """Return the value."""
        if text in self.values:
            return text
        return self.otherwise if text else None


@dataclass(frozen=True)
class Text(TextKind[str]):
    """A text as it is, of at most so many characters; `nothing` is one that stands for none."""

    longest: int
    nothing: str = ""

    def read(self, text: str) -> str | None:
        """Return the beginning of the text."""
        return None if text == self.nothing else text[: self.longest] or None


@dataclass(frozen=True)
class Words(TextKind[str]):
    """Words with one space between them, of at most so many characters together."""

    longest: int

    def read(self, text: str) -> str | None:
        """Return the words."""
        return " ".join(text.split())[: self.longest].strip() or None


@dataclass(frozen=True)
class Pattern(TextKind[str]):
    """A text of a form."""

    form: re.Pattern[str]

    def read(self, text: str) -> str | None:
        """Return the text where all of it has the form."""
        return text if self.form.fullmatch(text) else None


class Flag(TextKind[bool]):
    """Whether something holds: `1` where it does."""

    def read(self, text: str) -> bool:
        """Return whether it holds."""
        return text == "1"

    def write(self, value: bool) -> str:
        """Return `1`, or nothing."""
        return "1" if value else ""


@dataclass(frozen=True)
class Numbers(TextKind[tuple[int, ...]]):
    """A set of whole numbers, rising, at most so many: `1,5,9`."""

    most: int
    digits: int = _DIGITS

    def read(self, text: str) -> tuple[int, ...]:
        """Return the numbers."""
        return tuple(sorted({int(part) for part in text.split(",") if is_whole(part, self.digits)}))[: self.most]

    def write(self, value: tuple[int, ...]) -> str:
        """Return the numbers with commas."""
        return ",".join(map(str, value))


@dataclass(frozen=True)
class NumberPairs(TextKind[tuple[tuple[int, int], ...]]):
    """A number for each of at most so many numbers, by these: `1=64,5=0`."""

    most: int
    key_digits: int
    digits: int = _DIGITS

    def read(self, text: str) -> tuple[tuple[int, int], ...]:
        """Return the pairs; of several values of a number the last counts."""
        parts = (part.partition("=") for part in text.split(","))
        found = {int(key): int(value) for key, _, value in parts if self._is_pair(key, value)}
        return tuple(sorted(found.items()))[: self.most]

    def _is_pair(self, key: str, value: str) -> bool:
        return is_whole(key, self.key_digits) and is_whole(value, self.digits)

    def write(self, value: tuple[tuple[int, int], ...]) -> str:
        """Return the pairs with commas."""
        return ",".join(f"{key}={number}" for key, number in value)
