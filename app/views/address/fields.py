"""Declare the fields of a view state: kind, default and limits of each, in the order of the
address.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, TypeVar, overload

from app.views.address.kind import Address, Kind, Pair, Value
from app.views.address.selections import ViewSelections

_PARAM = "param"
Record = TypeVar("Record")


@dataclass(frozen=True)
class Param:
    """A field of an address.

    `requires` and `unless` name other fields of the same record. The field is read as its default
    if the field `requires` has its default, or if the field `unless` differs from its default.
    """

    name: str
    kind: Kind[Any]
    default: Any
    requires: str = ""
    unless: str = ""


@overload
def param(kind: Kind[Value], *, requires: str = "") -> Value | None: ...


@overload
def param(
    kind: Kind[Value], default: Value, *, requires: str = "", unless: str = "", compare: bool = True
) -> Value: ...


def param(
    kind: Kind[Any],
    default: Any = None,
    *,
    requires: str = "",
    unless: str = "",
    compare: bool = True,
) -> Any:
    """Declare a field of a record; its name in the address is the name of the field."""
    return field(default=default, compare=compare, metadata={_PARAM: (kind, requires, unless)})


def record_param(record: type[Record], kinds: Mapping[str, Kind[Any]] | None = None) -> Record:
    """Declare a field that is a record; its fields become fields of the address.

    `kinds` gives the kinds of the fields of a record from a lower layer, which does not know
    addresses.
    """
    declared = _params_of_kinds(record, kinds) if kinds else declared_params(record)
    return field(default_factory=record, metadata={_PARAM: (_RecordKind(record, declared), "", "")})


def mapping_param(kind: Kind[Mapping[str, str]]) -> Mapping[str, str]:
    """Declare a field that maps names in the address to texts; its default is empty."""
    return field(default_factory=dict, metadata={_PARAM: (kind, "", "")})


def choices_param() -> Mapping[str, str]:
    """Declare the field with the options of the views that are not at their default, name -> value."""
    return mapping_param(_ChoicesKind())


def selections_param() -> ViewSelections:
    """Declare the field with the selections that views define."""
    return field(default=ViewSelections(), metadata={_PARAM: (_SelectionsKind(), "", "")})


def declared_params(record: type[Any]) -> tuple[Param, ...]:
    """Return the declared fields of a record class, in the order of declaration."""
    return _declared_fields(record)  # type: ignore[arg-type]


@cache
def _declared_fields(record: Any) -> tuple[Param, ...]:  # noqa: ANN401 -- a class
    instance = record()
    return tuple(
        Param(item.name, kind, getattr(instance, item.name), requires, unless)
        for item in fields(record)
        for kind, requires, unless in [item.metadata[_PARAM]]
    )


def _params_of_kinds(record: type[Any], kinds: Mapping[str, Kind[Any]]) -> tuple[Param, ...]:
    instance = record()
    return tuple(Param(name, kind, getattr(instance, name)) for name, kind in kinds.items())


def read_params(params: Iterable[Param], address: Address) -> dict[str, Any]:
    """Parse the fields of an address; return name -> canonical value, for each of `params`, the
    default if a value is missing or invalid.
    """
    declared = {item.name: item for item in params}
    read = {name: item.kind.find(name, address) for name, item in declared.items()}
    values = {
        name: declared[name].default if value is None else value for name, value in read.items()
    }
    chosen = {name for name, value in values.items() if value != declared[name].default}
    return {
        name: value
        if (not item.requires or item.requires in chosen) and item.unless not in chosen
        else item.default
        for (name, value), item in zip(values.items(), declared.values(), strict=True)
    }


def write_params(params: Iterable[Param], record: object) -> Iterator[Pair]:
    """Yield the (name, text) pairs of a record's fields that are not at their default."""
    for item in params:
        value = getattr(record, item.name)
        if value != item.default:
            yield from item.kind.pairs(item.name, value)


@dataclass(frozen=True)
class _RecordKind(Kind[Any]):
    record: type[Any]
    params: tuple[Param, ...]

    def find(self, name: str, address: Address) -> Any:  # noqa: ANN401 -- the fields have names of their own
        return self.record(**read_params(self.params, address))

    def pairs(self, name: str, value: Any) -> Iterable[Pair]:  # noqa: ANN401
        return write_params(self.params, value)


class _ChoicesKind(Kind[Mapping[str, str]]):
    def find(self, name: str, address: Address) -> Mapping[str, str]:
        # Sorted, so that equal states have equal addresses.
        options = sorted(address.choices.items())
        # values[0] is the default, which a state does not store.
        return {
            choice: address.text(choice)
            for choice, values in options
            if address.text(choice) in values[1:]
        }

    def pairs(self, name: str, value: Mapping[str, str]) -> Iterable[Pair]:
        return sorted(value.items())


class _SelectionsKind(Kind[ViewSelections]):
    def find(self, name: str, address: Address) -> ViewSelections:
        records = (
            record(**read_params(declared_params(record), address)) for record in address.selections
        )
        return ViewSelections().with_records(records)

    def pairs(self, name: str, value: ViewSelections) -> Iterable[Pair]:
        return (
            pair
            for record in value.records
            for pair in write_params(declared_params(type(record)), record)
        )
