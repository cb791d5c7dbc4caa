"""Kinds of fields: parse a value from an address and write it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")
Pair = tuple[str, str]
Choices = Mapping[str, Sequence[str]]
"""Name of an option -> its values, the default first."""
NO_CHOICES: Choices = MappingProxyType({})


@dataclass(frozen=True)
class Address:
    """The pairs of a query string, with the options and selections that the page's views define.

    `choices` maps options to their values; `selections` are the types of the selections' records.
    """

    pairs: Sequence[Pair]
    choices: Choices = field(default_factory=dict)
    selections: tuple[type[Any], ...] = ()

    @cached_property
    def last(self) -> Mapping[str, str]:
        """Name -> the last text with this name in the address."""
        return dict(self.pairs)

    def text(self, name: str) -> str:
        """Return the last text of a name, "" if it is missing."""
        return self.last.get(name, "")

    def texts(self, name: str) -> list[str]:
        """Return all texts of a name, in order; empty if it is missing."""
        return [text for key, text in self.pairs if key == name]


class Kind(ABC, Generic[Value]):
    """A kind of field with its limits; name and default belong to the field (see `fields.param`)."""

    @abstractmethod
    def find(self, name: str, address: Address) -> Value | None:
        """Return the canonical value of the field `name`, None if the address does not have a valid
        value.
        """

    @abstractmethod
    def pairs(self, name: str, value: Value) -> Iterable[Pair]:
        """Return the (name, text) pairs that write a value of the field `name` to an address; not
        called for the default.
        """


class TextKind(Kind[Value]):
    """A kind for values that are a single text.

    If the name occurs several times, the last text counts.
    """

    @abstractmethod
    def read(self, text: str) -> Value | None:
        """Parse a text into its canonical value, None if it is invalid."""

    def write(self, value: Value) -> str:
        """Format a value as text that `read` parses to the same value."""
        return str(value)

    def find(self, name: str, address: Address) -> Value | None:
        """Parse the last text of the field `name`, "" if it is missing; None if that is invalid."""
        return self.read(address.text(name))

    def pairs(self, name: str, value: Value) -> Iterable[Pair]:
        """Return a list with a single pair: the name, and the value as text."""
        return [(name, self.write(value))]
