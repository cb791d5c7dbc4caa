"""Format arguments, tags and types of nodes as short texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from data_loaders.reading.safe_pickle import Event, Record, state_of
from data_loaders.tinygrad.dtypes import dtype_name
from data_loaders.tinygrad.names import clean, plain
from data_loaders.tinygrad.records import (
    AddrSpace,
    ConstFloat,
    DType,
    ImageDType,
    InvalidType,
    Kernel,
    Ops,
    PtrDType,
    UOp,
)
from data_loaders.tinygrad.versions import Version
from schema.plurals import plural

MAX_TEXT = 2000
"""Longest text of an argument, in characters.

The source text of a program is stored with the program.
"""
_MAX_DEPTH = 8
"""Maximum nesting of an argument's text; deeper values become "…"."""
_MAX_ITEMS = 200
"""Maximum items of a list, tuple or record in a text."""
_MAX_BITS = 4096
"""Longest integer that is written as a number, in bits."""
_SPACES: Mapping[object, str] = MappingProxyType({1: "global", 2: "local", 3: "register"})


class Texts:
    """Formats arguments with the operation names of a release."""

    def __init__(self, version: Version) -> None:
        self._version = version

    def text(self, value: object) -> str:
        """Format an argument of a node as Python would write it, without colour codes and cut at
        2,000 characters.

        Returns "" for `None`; a text has no quotes unless it is within another value.
        """
        return clean(self._text(value, 0), MAX_TEXT)

    def dtype(self, value: object) -> str:
        """Format a type as its pickled name, `float4`; "" for values of other types.

        A pointer also has its target, `float.ptr(16, local)`.
        """
        if not isinstance(value, Record) or type(value) not in (DType, PtrDType, ImageDType):
            return ""
        name = clean(dtype_name(value), 200)
        return name if type(value) is DType else self._pointer(name, value)

    def _pointer(self, name: str, value: Record) -> str:
        """Format a pointer type as `name.ptr(SIZE, SPACE)`, without parts that are missing or
        global, and `.vec(N)` for vectors.

        Address space, vector length and size are its values 7 to 9, counted from 0.
        """
        space, length, size = (*value.args[7:10], None, None, None)[:3]
        details = (
            [str(size)] if type(size) is int and size.bit_length() < _MAX_BITS and size >= 0 else []
        )
        details += [self._space(space)] if self._space(space) not in ("", "global") else []
        details += ["image"] if type(value) is ImageDType else []
        vector = f".vec({length})" if type(length) is int and 1 < length < 10**6 else ""
        return f"{name}.ptr({', '.join(details)}){vector}"

    def _space(self, value: object) -> str:
        number = (
            value.args[0]
            if isinstance(value, Record) and type(value) is AddrSpace and value.args
            else None
        )
        if type(number) is str:
            return {"REG": "register"}.get(number, number.lower())
        return _SPACES.get(number, "") if type(number) is int else ""

    def _text(self, value: object, depth: int) -> str:
        if value is None:
            return "" if depth == 0 else "None"
        if type(value) is str:
            # Twice the limit leaves room for the codes of colours, which `plain` removes.
            text = plain(value[: MAX_TEXT * 2])
            return text if depth == 0 else repr(text)
        if type(value) is bytes:
            return plural(len(value), "byte")
        if type(value) is int and value.bit_length() > _MAX_BITS:
            return f"an integer of {value.bit_length()} bits"
        if type(value) in (int, float, bool):
            return repr(value)
        return self._compound(value, depth) if depth < _MAX_DEPTH else "…"

    def _compound(self, value: object, depth: int) -> str:
        if type(value) is tuple:
            inner = self._join_texts(value, depth)
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        if type(value) is list:
            return f"[{self._join_texts(value, depth)}]"
        if isinstance(value, Record):
            return self._record(value, depth)
        fields = (
            state_of(value) if isinstance(value, Event) else value if type(value) is dict else {}
        )
        return f"{{{self._fields(fields, depth)}}}"

    def _record(self, value: Record, depth: int) -> str:
        kind = type(value)
        first = value.args[0] if value.args else None
        if kind in (DType, PtrDType, ImageDType):
            return self.dtype(value)
        if kind is Ops or kind is UOp:
            name = self._version.operation(value if kind is Ops else first)
            return name if kind is Ops else f"node {name}"
        if kind is ConstFloat:
            return self._text(first, depth + 1)
        if kind is AddrSpace and self._space(value):
            return self._space(value)
        return "Invalid" if kind is InvalidType else self._plain_record(value, depth)

    def _plain_record(self, value: Record, depth: int) -> str:
        """Format a record as its class name and, in parentheses, arguments and fields that are not
        empty: `Name(1, axis=2)`.

        A record with a single argument and no fields, such as a member of an enumeration, is `Name
        1`.
        """
        own = {
            name: field
            for name, field in value.fields.items()
            if not _is_empty(field) and field != ()
        }
        if type(value) is Kernel:
            own.pop("ast", None)
        if value.args and not own:
            shown = [argument for argument in value.args if not _is_empty(argument)]
            inner = self._join_texts(shown, depth)
            return (
                f"{type(value).__name__} {inner}"
                if len(value.args) == 1
                else f"{type(value).__name__}({inner})"
            )
        inside = [
            part for part in (self._join_texts(value.args, depth), self._fields(own, depth)) if part
        ]
        return f"{type(value).__name__}({', '.join(inside)})"

    def _join_texts(self, values: Iterable[object], depth: int) -> str:
        return _join_parts(self._text(value, depth + 1) for value in values)

    def _fields(self, fields: Mapping[object, object] | Mapping[str, object], depth: int) -> str:
        return _join_parts(
            f"{name}={self._text(value, depth + 1)}" for name, value in fields.items()
        )


def _is_empty(value: object) -> bool:
    """Whether a field is `None` or False; a zero is not empty, since it may be an axis."""
    return value is None or value is False


def _join_parts(parts: Iterable[str]) -> str:
    """Join the parts with commas.

    "…" takes the place of the parts after 200 parts or more than 2,000 characters.
    """
    shown: list[str] = []
    room = MAX_TEXT
    for part in parts:
        if room < 0 or len(shown) >= _MAX_ITEMS:
            shown.append("…")
            break
        shown.append(part)
        room -= len(part)
    return ", ".join(shown)
