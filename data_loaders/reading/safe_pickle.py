"""Open untrusted pickles as plain values and inert records, without importing or calling anything.

There are two gates: `pickle_scan` checks every opcode before any object is created, and every class
that the pickle names is looked up in a fixed table. A pickle can still use up time and memory (a
tuple of 60 nested pairs as a key of a dict is hashed 2**60 times inside of Python), so open it in a
process that may be killed.
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

MAX_UNKNOWN_CLASSES = 300
"""Names of unknown classes and functions after which a pickle is refused."""
_MODULE = re.compile(r"[a-z][a-z0-9_]{0,99}(?:\.[a-z][a-z0-9_]{0,99}){0,9}")
_CLASS = re.compile(r"[A-Z][A-Za-z0-9_]{0,99}")
_SYMBOL = re.compile(r"[a-z][A-Za-z0-9_]{0,99}")
_TEXT_TYPE = frozenset({str})
_NO_FIELDS: Mapping[str, object] = MappingProxyType({})


class Inert(type):
    """Metaclass of all classes that a pickle may instantiate: their attributes are read-only."""

    @property
    def __setstate__(cls) -> object:  # noqa: PLE0302 - a property: it is never called
        # A property of the metaclass is found before the `__setstate__` that a class has for its
        # records, so a pickle cannot set the state of the class itself.
        raise UnsafePickleError(f"it writes to the class {cls.__name__}")

    def __setattr__(cls, name: str, value: object) -> None:
        raise UnsafePickleError(f"it writes to the class {cls.__name__}")

    def __delattr__(cls, name: str) -> None:
        raise UnsafePickleError(f"it deletes from the class {cls.__name__}")


class Record(metaclass=Inert):
    """Inert replacement of a pickled object: constructor arguments and fields, no methods."""

    __slots__ = ("args", "fields")
    args: tuple[object, ...]
    fields: Mapping[str, object]

    def __new__(cls, *args: object) -> Record:
        """Store the arguments."""
        record = object.__new__(cls)
        record.args = args
        record.fields = _NO_FIELDS
        return record

    def __setstate__(self, state: object) -> None:
        """Store the fields of `__dict__` or `__slots__`."""
        self.fields = _mapping(state, type(self))


class Kept(list[object], metaclass=Inert):
    """State of a pickled object as a list, unchecked; for types that have millions of objects.

    A subclass of list, because list's own methods accept the state without running any Python
    function.
    """

    __slots__ = ()
    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__  # type: ignore[assignment]  # a list has none
    __repr__ = object.__repr__


class Event(Kept):
    """Record of a type with millions of objects, made without arguments.

    `state_of` returns its fields.
    """

    __slots__ = ()
    __setstate__ = list.append


def state_of(event: Event) -> Mapping[str, object]:
    """Return the fields of an event; an event without state has no fields, so the mapping is empty.

    Raises UnsafePickleError if the state is not a dict with text keys.
    """
    return _mapping(event[-1], type(event)) if event else _NO_FIELDS


def _mapping(state: object, owner: type) -> Mapping[str, object]:
    """Check the state of a pickled object and return it as one dict, the fields of `__dict__` and
    `__slots__` merged.

    Raises UnsafePickleError if the result is not a dict with text keys. `owner` is named in the
    error.
    """
    if type(state) is tuple and len(state) == 2:
        state = _merge_state(*state)
    if type(state) is not dict or not _TEXT_TYPE.issuperset(map(type, state)):
        raise UnsafePickleError(f"the state of a {owner.__name__} is not a mapping of names")
    return state


def _merge_state(attributes: object, slots: object) -> object:
    """Merge the fields of `__dict__` and `__slots__` into one dict; `None` if they are not dicts.

    `slots` is returned as it is if `attributes` is `None`.
    """
    if attributes is None:
        return slots
    return attributes | slots if type(attributes) is dict and type(slots) is dict else None


class Symbol:
    """Function or variable that a pickle names: its class has the name, and it has no behaviour."""

    __slots__ = ()

    def __setstate__(self, state: object) -> None:
        raise UnsafePickleError(f"it writes to the {type(self).__name__}")


@dataclass(frozen=True)
class Unpickled:
    """Content of a pickle, and the names of classes and functions that it uses and no table has."""

    root: object
    unknown: tuple[str, ...]


def record_classes(paths: Iterable[str]) -> dict[str, type[Record]]:
    """Map each path `module.Name` to a new record class of that name."""
    return {path: cast("type[Record]", _class(path, Record)) for path in paths}


def event_classes(paths: Iterable[str]) -> dict[str, type[Event]]:
    """Map each path `module.Name` to a new event class of that name."""
    return {path: cast("type[Event]", _class(path, Event)) for path in paths}


def _class(path: str, base: Inert) -> Inert:
    return Inert(path.rpartition(".")[2], (base,), {"__slots__": ()})


def unpickle(data: bytes, classes: Mapping[str, type], namespace: str) -> Unpickled:
    """Open a single pickle of plain values and objects of `classes` (`module.Name` -> class).

    If `classes` lacks a name from a module in `namespace`, a class becomes an opaque record and a
    function a symbol; both are listed in `unknown`. Raises UnsafePickleError, with a sentence for
    the user, if the pickle is refused or broken. Time and memory are not bounded.
    """
    scan(data)
    reader = _Reader(data, classes, namespace)
    return Unpickled(_load_root(reader), tuple(reader.unknown))


def unpickle_plain(data: bytes) -> object:
    """Open a single pickle and return its value, plain values only: dicts, lists, tuples, texts,
    numbers, `None`.

    Raises UnsafePickleError, with a sentence for the user, if the pickle is refused or broken. Time
    and memory are not bounded.
    """
    scan_plain(data)
    return _load_root(_Reader(data, {}, ""))


def _load_root(reader: _Reader) -> object:
    """Return the object of the reader's pickle.

    Every error except MemoryError becomes UnsafePickleError.
    """
    try:
        return reader.load()
    except UnsafePickleError:
        raise
    except MemoryError:
        raise  # the reading process reports it with the limit that it had
    except Exception as error:
        reason = " ".join(ascii(str(error))[1:-1].split())[:120]
        raise UnsafePickleError(
            f"the pickle cannot be read: {reason or type(error).__name__}"
        ) from None


class _Reader(pickle.Unpickler):
    """Unpickler that resolves class names in a fixed table and in a single namespace."""

    def __init__(self, data: bytes, classes: Mapping[str, type], namespace: str) -> None:
        super().__init__(io.BytesIO(data))
        self._classes = classes
        self._namespace = namespace
        self.unknown: dict[str, type | Symbol] = {}

    def find_class(self, module: str, name: str) -> object:
        """Return the inert class of a name that is in the table, or a record class or symbol for a
        name in the namespace.

        Raises UnsafePickleError for any other name.
        """
        path = f"{module}.{name}"
        if "." in name:
            raise _foreign(path)
        return (
            self._classes.get(path)
            or self.unknown.get(path)
            or self._unknown_name(path, module, name)
        )

    def _unknown_name(self, path: str, module: str, name: str) -> type | Symbol:
        """Create a record class (capital initial) or symbol for an unknown name of the namespace,
        list it in `unknown` and return it.

        Raises UnsafePickleError for a name outside the namespace, or if there are more than 300
        unknown names.
        """
        own = module == self._namespace or module.startswith(f"{self._namespace}.")
        replacement: type | Symbol
        if own and _MODULE.fullmatch(module) and _CLASS.fullmatch(name):
            replacement = record_classes([path])[path]
        elif own and _MODULE.fullmatch(module) and _SYMBOL.fullmatch(name):
            replacement = type(f"function {path}", (Symbol,), {"__slots__": ()})()
        else:
            raise _foreign(path)
        if len(self.unknown) >= MAX_UNKNOWN_CLASSES:
            raise UnsafePickleError(f"it names more than {MAX_UNKNOWN_CLASSES} unknown classes")
        self.unknown[path] = replacement
        return replacement


def _foreign(path: str) -> UnsafePickleError:
    return UnsafePickleError(
        f"it names {ascii(path)[1:-1][:120]}, which is not allowed in a capture"
    )
