"""Record which fields of the view state a drawing reads, so that it is drawn again only when they
change.

The next field that a drawing reads depends only on the fields that it read before. Equal values of
all fields that it read therefore give an equal drawing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Generic, TypeVar

from app.views.address.selections import ViewSelections
from app.views.page_data import State

Record = TypeVar("Record")

Reads = dict[str, Any]
"""Path of a field of the view state, such as `selection.track` -> its value as JSON."""
_Note = Callable[[str], None]
"""Records that the field at a path was read."""
_NOTES = "_notes"
_CHOSEN = "chosen"
_SELECTIONS = "view_selections"


class ReadWatch(Generic[State]):
    """Hands a view state to drawings and records the fields that each drawing reads, by name of the
    drawing.

    Fields of the state that are records are watched field by field.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.reads: dict[str, Reads] = {}

    def of(self, name: str) -> State:
        """Return a copy of the view state that records the fields that a drawing reads; the fields
        that this drawing read before are forgotten.
        """
        reads = self.reads[name] = {}
        return _watch_state(self.state, reads)


def is_unchanged(state: State, reads: object) -> bool:
    """Return whether the fields in `reads` (path -> value as JSON) have the same values in the state.

    False if `reads` is not a dict.
    """
    return isinstance(reads, dict) and all(value(state, path) == was for path, was in reads.items())


def value(state: State, path: str) -> object:
    """Return the value of the view state at a path (as `selection.track`), as JSON.

    An unknown path gives a new object, which differs from every recorded value.
    """
    part, _, name = path.partition(".")
    if part == _CHOSEN:
        return state.chosen.get(name) if name else dict(state.chosen)
    if part == _SELECTIONS:
        values = {key: _plain(own) for key, own in state.view_selections.values().items()}
        return values.get(name) if name else values
    parts = _parts(state)
    record, name = (getattr(state, part), name) if part in parts else (state, path)
    return (
        _plain(getattr(record, name))
        if name in _instance_names(record) and name not in parts
        else object()
    )


def _parts(state: object) -> frozenset[str]:
    """Return the names of the fields of a state that are records."""
    return _record_names(type(state))  # type: ignore[arg-type]


@cache
def _record_names(kind: Any) -> frozenset[str]:  # noqa: ANN401
    """Return the names of the fields of a dataclass that have a record as default."""
    return frozenset(item.name for item in fields(kind) if is_dataclass(item.default_factory))


def _plain(read: Any) -> Any:  # noqa: ANN401 -- values of any field
    if isinstance(read, tuple):
        return [_plain(part) for part in read]
    return dict(read) if isinstance(read, Mapping) else read


def _instance_names(record: object) -> frozenset[str]:
    return _names(type(record))  # type: ignore[arg-type]


@cache
def _names(kind: Any) -> frozenset[str]:  # noqa: ANN401
    return frozenset(item.name for item in fields(kind))


def _watch_state(state: State, reads: Reads) -> State:
    def note(path: str) -> None:
        reads[path] = value(state, path)

    own: dict[str, Any] = {name: getattr(state, name) for name in _instance_names(state)}
    own |= {name: _record(own[name], f"{name}.", note) for name in _parts(state)}
    own |= {
        _CHOSEN: _WatchedChoices(state.chosen, note),
        _SELECTIONS: _WatchedSelections(state.view_selections, note),
    }
    return _watched_record(type(state), own, "", note)  # type: ignore[no-any-return]


def _record(record: Any, prefix: str, note: _Note) -> Any:  # noqa: ANN401
    values = {name: getattr(record, name) for name in _instance_names(record)}
    return _watched_record(type(record), values, prefix, note)


def _watched_record(kind: type, values: Mapping[str, Any], prefix: str, note: _Note) -> Any:  # noqa: ANN401
    # The records are frozen dataclasses: their fields can only be set through `object`.
    record: Any = object.__new__(_watching(kind))
    for name, own in values.items():
        object.__setattr__(record, name, own)
    object.__setattr__(record, _NOTES, (prefix, note))
    return record


@cache
def _watching(kind: Any) -> Any:  # noqa: ANN401
    """Make a subclass of `kind` that notes which fields of its records are read.

    Its records are equal to records of `kind` with the same values, and have the same hash.
    """
    names = _names(kind)
    # Records, options and selections note their own fields, so reading the attribute itself is not
    # noted.
    noted = names - _record_names(kind) - {_CHOSEN, _SELECTIONS}

    def read(self: object, name: str) -> object:
        own = object.__getattribute__(self, name)
        notes = object.__getattribute__(self, "__dict__").get(_NOTES) if name in noted else None
        if notes is not None:
            prefix, note = notes
            note(prefix + name)
        return own

    def equal(self: object, other: object) -> bool:
        return isinstance(other, kind) and all(
            getattr(self, name) == getattr(other, name) for name in names
        )

    order = [item.name for item in fields(kind)]

    def hash_reads(self: object) -> int:
        return hash(tuple(getattr(self, name) for name in order))

    return type(
        f"Watched{kind.__name__}",
        (kind,),
        {"__getattribute__": read, "__eq__": equal, "__hash__": hash_reads},
    )


class _WatchedChoices(Mapping[str, str]):
    """Mapping of options that notes which options are read."""

    def __init__(self, chosen: Mapping[str, str], note: _Note) -> None:
        self._chosen = chosen
        self._note = note

    def __getitem__(self, name: str) -> str:
        self._note(f"{_CHOSEN}.{name}")
        return self._chosen[name]

    def __iter__(self) -> Iterator[str]:
        self._note(_CHOSEN)
        return iter(self._chosen)

    def __len__(self) -> int:
        self._note(_CHOSEN)
        return len(self._chosen)


class _WatchedSelections(ViewSelections):
    """Selections of views that note which of their fields are read."""

    _own: ViewSelections
    _note: _Note

    def __init__(self, own: ViewSelections, note: _Note) -> None:
        object.__setattr__(self, "_own", own)
        object.__setattr__(self, "_note", note)

    @property
    def records(self) -> tuple[Any, ...]:
        """The records of all selections."""
        self._note(_SELECTIONS)
        return self._own.records

    def of(self, record: type[Record]) -> Record:
        """Return a copy of the record of class `record` that notes the fields that are read."""
        return _record(self._own.of(record), f"{_SELECTIONS}.", self._note)  # type: ignore[no-any-return]
