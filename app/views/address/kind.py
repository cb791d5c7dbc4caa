"""What a kind of field is: how a value is read from an address, and how it is written to one."""

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
"""Name of a choice -> its values, the default first."""
NO_CHOICES: Choices = MappingProxyType({})


@dataclass(frozen=True)
class Address:
    """The pairs of a query string, and what the views of the page add to its fields.

    `choices` has the values of every choice between looks, `selections` the records of the selections that views bring.
    """

    pairs: Sequence[Pair]
    choices: Choices = field(default_factory=dict)
    selections: tuple[type[Any], ...] = ()

    @cached_property
    def last(self) -> Mapping[str, str]:
        """Return name -> its last text."""
        return dict(self.pairs)

    def text(self, name: str) -> str:
        """Return the last text of a name, empty without any."""
        return self.last.get(name, "")

    def texts(self, name: str) -> list[str]:
        """Return all texts of a name, in order."""
        return [text for key, text in self.pairs if key == name]


class Kind(ABC, Generic[Value]):
    """A kind of field; its limits are its own, its name and default those of the field (see `fields.param`)."""

    @abstractmethod
    def find(self, name: str, address: Address) -> Value | None:
        """Return the canonical value that an address gives a field, None where it gives none."""

    @abstractmethod
    def pairs(self, name: str, value: Value) -> Iterable[Pair]:
        """Return the pairs that a value other than the default has in an address."""


class TextKind(Kind[Value]):
    """A kind whose value is one text; of several the last one is read."""

    @abstractmethod
    def read(self, text: str) -> Value | None:
        """Return the canonical value that a text is, None for none."""

    def write(self, value: Value) -> str:
        """Return the text of a value."""
        return str(value)

    def find(self, name: str, address: Address) -> Value | None:
        """Return the value of the last text."""
        return self.read(address.text(name))

    def pairs(self, name: str, value: Value) -> Iterable[Pair]:
        """Return the one pair."""
        return [(name, self.write(value))]
