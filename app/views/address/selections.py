"""The selections that views bring to a page: a record of a view's own for each, beside the fields of the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, TypeVar

Record = TypeVar("Record")


@dataclass(frozen=True, eq=False)
class ViewSelections:
    """The records that select something, in the order of the address: by the name of their first field."""

    records: tuple[Any, ...] = ()

    def of(self, record: type[Record]) -> Record:
        """Return the record of a class, with its defaults where it selects nothing."""
        name = _name(record)
        found: Record | None = next((one for one in self.records if _name(type(one)) == name), None)
        return record() if found is None else found

    def with_records(self, records: Iterable[Any]) -> ViewSelections:
        """Return the selections with other records of these classes."""
        known = {_name(type(one)): one for one in (*self.records, *records)}
        return ViewSelections(tuple(one for _, one in sorted(known.items()) if one != type(one)()))

    def values(self) -> dict[str, object]:
        """Return the values that are not the default ones, by the names of their fields."""
        return {
            one.name: getattr(record, one.name)
            for record in self.records
            for one in fields(record)
            if getattr(record, one.name) != one.default
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ViewSelections) and self.records == other.records

    def __hash__(self) -> int:
        return hash(self.records)


def _name(record: type[Any]) -> str:
    """Return the name of the first field, which no other record has; a watched record has that of its class."""
    return fields(record)[0].name
