"""Selections that views define: each is a record with fields in the page's address."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, TypeVar

Record = TypeVar("Record")


@dataclass(frozen=True, eq=False)
class ViewSelections:
    """The records that select something, in the order of the address: by the name of their first
    field.
    """

    records: tuple[Any, ...] = ()

    def of(self, record: type[Record]) -> Record:
        """Return the record of a class, with its defaults if it selects nothing."""
        name = _name(record)
        match: Record | None = next(
            (item for item in self.records if _name(type(item)) == name), None
        )
        return record() if match is None else match

    def with_records(self, records: Iterable[Any]) -> ViewSelections:
        """Return the selections with these records replaced or added; records at their defaults are
        removed.
        """
        by_name = {_name(type(item)): item for item in (*self.records, *records)}
        return ViewSelections(
            tuple(item for _, item in sorted(by_name.items()) if item != type(item)())
        )

    def values(self) -> dict[str, object]:
        """Return field name -> value, for all fields of the records that are not at their default."""
        values: dict[str, object] = {}
        for record in self.records:
            for item in fields(record):
                value = getattr(record, item.name)
                if value != item.default:
                    values[item.name] = value
        return values

    # The generated __eq__ requires equal classes, but watched selections are a subclass.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, ViewSelections) and self.records == other.records

    def __hash__(self) -> int:
        return hash(self.records)


def _name(record: type[Any]) -> str:
    """Return the name of the first field, which identifies the record.

    The class cannot be used instead: a watched record has a class of its own.
    """
    return fields(record)[0].name
