"""Number arguments and tags of nodes: values that are equal in tinygrad share a number.

Records inside of an argument are numbered first. Nested tuples as keys would be hashed again on
every level, and arguments in real captures contain operations that share their sources: hashing
them would take exponential time.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence

from data_loaders.reading.safe_pickle import Event, Record, state_of
from data_loaders.tinygrad.records import ConstFloat, Kernel, UOp

_SIMPLE = (int, str, bool, bytes)
_NAN = ("nan",)
_CYCLE = ("cycle",)
_NO_NODE = -1
_MAX_BITS = 4096

Placed = Callable[[object, object, tuple[int, ...], object, object], int]
"""Function: operation, type, nodes of the sources, argument and tag -> node."""
Body = Callable[[object], int]
"""Function: a capture's number of a node -> node, negative if there is no such node."""


class Values:
    """Numbers of values, from 0 (`None`).

    The caller must keep numbered values alive, since they are found by `id`.
    """

    def __init__(self, placed: Placed, body: Body) -> None:
        self._numbers: dict[object, int] = {None: 0}
        self._seen: dict[int, int] = {}
        self._nodes: dict[int, int] = {}
        self._placed = placed
        self._body = body

    def number(self, value: object) -> int:
        """Look up a value's number, or assign the next number to it; `None` has 0.

        Equal values share a number, also 1, True and 1.0, since they are equal in Python. All NaNs
        share a number.
        """
        kind = type(value)
        if value is None or kind in _SIMPLE:
            return self._key_number(value)
        if kind is float:
            # Python's NaN differs from itself, so each NaN would get a new number.
            return self._key_number(value if value == value else _NAN)  # noqa: PLR0124 - NaN alone is not
        number = self._seen.get(id(value))
        return self._compound(value) if number is None else number

    def _key_number(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _compound(self, value: object) -> int:
        """Assign numbers to the parts of a compound value, innermost first, and then to the value.

        Returns the value's number. Values that contain themselves share a number.
        """
        waiting = [value]
        entered: set[int] = set()
        while waiting:
            at = waiting[-1]
            if id(at) in self._seen:
                waiting.pop()
                continue
            parts = _parts(at)
            missing = [part for part in parts if _is_compound(part) and id(part) not in self._seen]
            if missing and id(at) not in entered:
                entered.add(id(at))
                waiting += missing
                continue
            waiting.pop()
            self._seen[id(at)] = (
                self._key_number(_CYCLE) if missing else self._intern_value(at, parts)
            )
        return self._seen[id(value)]

    def _intern_value(self, value: object, parts: Sequence[object]) -> int:
        """Look up or assign the number of a compound value, and return it.

        Equal values share a number. Its compound parts must already have numbers. An operation is
        also interned as a node.
        """
        if type(value) is ConstFloat and isinstance(value, Record):
            return self._key_number(_bits(value))
        if isinstance(value, Record) and type(value) is UOp and len(value.args) >= 3:
            self._nodes[id(value)] = self._node(value)
            return self._key_number(("node", self._nodes[id(value)]))
        numbers = (self.number(part) for part in parts)
        if isinstance(value, Record) and type(value) is Kernel:
            return self._key_number(("Kernel", self._body(kernel_body(value)), *numbers))
        name = type(value).__name__
        return self._key_number((name, *_names(value), *numbers))

    def _node(self, value: Record) -> int:
        operation, dtype, sources, argument, tag = (*value.args, None, None)[:5]
        inner = sources if type(sources) is tuple else ()
        nodes = tuple(self._nodes.get(id(source), _NO_NODE) for source in inner)
        return (
            _NO_NODE if _NO_NODE in nodes else self._placed(operation, dtype, nodes, argument, tag)
        )

    def node(self, value: object) -> int:
        """Return the node (rank in the caller's table) of a pickled operation.

        -1 if `value` is not an operation or has no node.
        """
        if not isinstance(value, Record) or type(value) is not UOp:
            return _NO_NODE
        self.number(value)
        return self._nodes.get(id(value), _NO_NODE)


def kernel_body(kernel: Record) -> object:
    """Return the capture's number of the node that the argument of a KERNEL node refers to.

    `None` if it has none.
    """
    return kernel.fields.get("ast", kernel.args[0] if kernel.args else None)


def _is_compound(value: object) -> bool:
    return not (value is None or type(value) in _SIMPLE or type(value) is float)


def _parts(value: object) -> Sequence[object]:
    if type(value) is tuple or type(value) is list:
        return value
    if type(value) is dict:
        return [part for item in value.items() for part in item]
    if isinstance(value, Record) and type(value) is UOp and len(value.args) >= 3:
        _, dtype, sources, *rest = value.args[:5]
        return (dtype, *(sources if type(sources) is tuple else ()), *rest)
    if isinstance(value, Record):
        own = ("ast",) if type(value) is Kernel else ()
        return (
            *value.args,
            *(value.fields[name] for name in sorted(value.fields) if name not in own),
        )
    return tuple(state_of(value).values()) if isinstance(value, Event) else ()


def _names(value: object) -> tuple[str, ...]:
    """Describe a record's layout: number of positional arguments, then the sorted names of its
    fields.

    For an event the names of its fields; empty for other values.
    """
    if isinstance(value, Record):
        return (str(len(value.args)), *sorted(value.fields))
    return tuple(state_of(value)) if isinstance(value, Event) else ()


def _bits(value: Record) -> tuple[str, bytes]:
    """Return "ConstFloat" and the 8 bytes of a constant as float64, by which 0.13 and later compare
    constants.

    All NaNs, and values that are no numbers, give `b"nan"`; an integer beyond float64 gives its
    digits, or `b"large"`.
    """
    number = value.args[0] if value.args else None
    if not isinstance(number, int | float) or math.isnan(number):
        return "ConstFloat", b"nan"
    try:
        return "ConstFloat", struct.pack("<d", number)
    except OverflowError:
        return "ConstFloat", str(number).encode() if number.bit_length() < _MAX_BITS else b"large"  # type: ignore[union-attr]
