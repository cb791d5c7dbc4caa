"""Untrusted pickles as plain values and inert records: nothing of the file is imported, called or executed.

Two gates: `pickle_scan` looks at every opcode before any object exists, and every class that the pickle names comes
from a fixed table. What a pickle can still do is use up time and memory (a tuple of 60 nested pairs as a key of a
dict is hashed 2**60 times inside of Python), so it is to be read in a process that may be killed.
"""

from __future__ import annotations

import io
import pickle
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

from data_loaders.reading.pickle_scan import UnsafePickleError, scan, scan_plain

MOST_UNKNOWN_CLASSES = 300
_MODULE = re.compile(r"[a-z][a-z0-9_]{0,99}(?:\.[a-z][a-z0-9_]{0,99}){0,9}")
_CLASS = re.compile(r"[A-Z][A-Za-z0-9_]{0,99}")
_SYMBOL = re.compile(r"[a-z][A-Za-z0-9_]{0,99}")
_TEXT_ALONE = frozenset({str})
_NOTHING: Mapping[str, object] = MappingProxyType({})


class Inert(type):
    """The metaclass of everything that a pickle may make: its classes cannot be written to."""

    @property
    def __setstate__(cls) -> object:  # noqa: PLE0302 - a property: it is never called
        # found before what the class has for its records, so that a class is not taken for one of them
        raise UnsafePickleError(f"it writes to the class {cls.__name__}")

    def __setattr__(cls, name: str, value: object) -> None:
        raise UnsafePickleError(f"it writes to the class {cls.__name__}")

    def __delattr__(cls, name: str) -> None:
        raise UnsafePickleError(f"it deletes from the class {cls.__name__}")


class Record(metaclass=Inert):
    """What a pickled object becomes: the arguments that it was made with and its fields, never its behaviour."""

    __slots__ = ("args", "fields")
    args: tuple[object, ...]
    fields: Mapping[str, object]

    def __new__(cls, *args: object) -> Record:
        """Keep the arguments."""
        record = object.__new__(cls)
        record.args = args
        record.fields = _NOTHING
        return record

    def __setstate__(self, state: object) -> None:
        """Keep the fields of `__dict__` or `__slots__`."""
        self.fields = _mapping(state, type(self))


class Kept(list[object], metaclass=Inert):
    """What one of millions of objects was given by a pickle, in order and unchecked.

    It is a list because a list's own methods take what is given without running any function of Python's.
    """

    __slots__ = ()
    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__  # type: ignore[assignment]  # a list has none
    __repr__ = object.__repr__


class Event(Kept):
    """A record that is made without arguments and of which there are millions; `state_of` has its fields."""

    __slots__ = ()
    __setstate__ = list.append


def state_of(event: Event) -> Mapping[str, object]:
    """Return the fields of an event, none where it has no state; raises UnsafePickleError where they are no mapping."""
    return _mapping(event[-1], type(event)) if event else _NOTHING


def _mapping(state: object, owner: type) -> Mapping[str, object]:
    """Return the state of a record as its fields."""
    if type(state) is tuple and len(state) == 2:
        state = _merge_state(*state)
    if type(state) is not dict or not _TEXT_ALONE.issuperset(map(type, state)):
        raise UnsafePickleError(f"the state of a {owner.__name__} is no mapping of names")
    return state


def _merge_state(attributes: object, slots: object) -> object:
    if attributes is None:
        return slots
    return attributes | slots if type(attributes) is dict and type(slots) is dict else None


class Symbol:
    """A function or a variable that a pickle names: its class has the name, and nothing can be done with it."""

    __slots__ = ()

    def __setstate__(self, state: object) -> None:
        raise UnsafePickleError(f"it writes to the {type(self).__name__}")


@dataclass(frozen=True)
class Unpickled:
    """What a pickle holds, and the names that it uses of classes that no table has."""

    root: object
    unknown: tuple[str, ...]


def record_classes(paths: Iterable[str]) -> dict[str, type[Record]]:
    """Return `module.Name` -> a record class of its own for each of `paths`."""
    return {path: cast("type[Record]", _class(path, Record)) for path in paths}


def event_classes(paths: Iterable[str]) -> dict[str, type[Event]]:
    """Return `module.Name` -> an event class of its own for each of `paths`."""
    return {path: cast("type[Event]", _class(path, Event)) for path in paths}


def _class(path: str, base: Inert) -> Inert:
    return Inert(path.rpartition(".")[2], (base,), {"__slots__": ()})


def unpickle(data: bytes, classes: Mapping[str, type], namespace: str) -> Unpickled:
    """Return what the pickle holds, with the objects of `classes` (`module.Name` -> class) and plain values only.

    Names of modules in `namespace` that `classes` lacks become opaque records (classes) or symbols (functions) and are
    listed. Raises UnsafePickleError where the pickle is refused or broken, with one sentence. May take any amount of
    time and memory.
    """
    scan(data)
    reader = _Reader(data, classes, namespace)
    return Unpickled(_root_of(reader), tuple(reader.unknown))


def unpickle_plain(data: bytes) -> object:
    """Return what a pickle of plain values alone holds: dicts, lists, tuples, texts, numbers, None.

    Raises UnsafePickleError where the pickle is refused or broken, with one sentence. May take any amount of time and
    memory.
    """
    scan_plain(data)
    return _root_of(_Reader(data, {}, ""))


def _root_of(reader: _Reader) -> object:
    try:
        return reader.load()
    except UnsafePickleError:
        raise
    except MemoryError:
        raise  # the process that it was read in knows how much there was
    except Exception as error:
        reason = " ".join(ascii(str(error))[1:-1].split())[:120]
        raise UnsafePickleError(f"the pickle cannot be followed: {reason or type(error).__name__}") from None


class _Reader(pickle.Unpickler):
    """An unpickler that finds no class but those it was given."""

    def __init__(self, data: bytes, classes: Mapping[str, type], namespace: str) -> None:
        super().__init__(io.BytesIO(data))
        self._classes = classes
        self._namespace = namespace
        self.unknown: dict[str, type | Symbol] = {}

    def find_class(self, module: str, name: str) -> object:
        """Return the inert class of the name; raises UnsafePickleError if there is none."""
        path = f"{module}.{name}"
        if "." in name:
            raise _foreign(path)
        return self._classes.get(path) or self.unknown.get(path) or self._symbol_of(path, module, name)

    def _symbol_of(self, path: str, module: str, name: str) -> type | Symbol:
        own = module == self._namespace or module.startswith(f"{self._namespace}.")
        known: type | Symbol
        if own and _MODULE.fullmatch(module) and _CLASS.fullmatch(name):
            known = record_classes([path])[path]
        elif own and _MODULE.fullmatch(module) and _SYMBOL.fullmatch(name):
            known = type(f"function {path}", (Symbol,), {"__slots__": ()})()
        else:
            raise _foreign(path)
        if len(self.unknown) >= MOST_UNKNOWN_CLASSES:
            raise UnsafePickleError(f"it names more than {MOST_UNKNOWN_CLASSES} unknown classes")
        self.unknown[path] = known
        return known


def _foreign(path: str) -> UnsafePickleError:
    return UnsafePickleError(f"it names {ascii(path)[1:-1][:120]}, which no capture needs")
