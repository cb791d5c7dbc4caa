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

MOST_TEXT = 2000
"""Longest text of an argument, in characters.

The source text of a program is stored with the program.
"""
_MOST_DEPTH = 8
"""Maximum nesting of an argument's text; deeper values become "…"."""
_MOST_ITEMS = 200
"""Maximum items of a list, tuple or record in a text."""
_MOST_BITS = 4096
"""Longest integer that is written as a number, in bits."""
_SPACES: Mapping[object, str] = MappingProxyType({1: "global", 2: "local", 3: "register"})


class Texts:
    """Formats arguments with the operation names of a release."""

    def __init__(self, version: Version) -> None:
        self._version = version

    def text(self, value: object) -> str:
        """Return an argument as Python would write it, cut at MOST_TEXT characters; "" for
        `None`.
        """
        return clean(self._text(value, 0), MOST_TEXT)

    def dtype(self, value: object) -> str:
        """Return a type's pickled name such as `float4`.

        For a pointer with its target, such as `float.ptr(16, local)`.
        """
        if not isinstance(value, Record) or type(value) not in (DType, PtrDType, ImageDType):
            return ""
        name = clean(dtype_name(value), 200)
        return name if type(value) is DType else self._pointer(name, value)

    def _pointer(self, name: str, value: Record) -> str:
        """Return the text of a pointer.

        Address space, vector length and size are its values 7 to 9.
        """
        space, length, size = (*value.args[7:10], None, None, None)[:3]
        inside = [str(size)] if type(size) is int and size.bit_length() < _MOST_BITS and size >= 0 else []
        inside += [self._space(space)] if self._space(space) not in ("", "global") else []
        inside += ["image"] if type(value) is ImageDType else []
        vector = f".vec({length})" if type(length) is int and 1 < length < 10**6 else ""
        return f"{name}.ptr({', '.join(inside)}){vector}"

    def _space(self, value: object) -> str:
        number = value.args[0] if isinstance(value, Record) and type(value) is AddrSpace and value.args else None
        if type(number) is str:
            return {"REG": "register"}.get(number, number.lower())
        return _SPACES.get(number, "") if type(number) is int else ""

    def _text(self, value: object, depth: int) -> str:
        if value is None:
            return "" if depth == 0 else "None"
        if type(value) is str:
            text = plain(value[: MOST_TEXT * 2])
            return text if depth == 0 else repr(text)
        if type(value) is bytes:
            return plural(len(value), "byte")
        if type(value) is int and value.bit_length() > _MOST_BITS:
            return f"an integer of {value.bit_length()} bits"
        if type(value) in (int, float, bool):
            return repr(value)
        return self._compound(value, depth) if depth < _MOST_DEPTH else "…"

    def _compound(self, value: object, depth: int) -> str:
        if type(value) is tuple:
            inner = self._join_texts(value, depth)
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        if type(value) is list:
            return f"[{self._join_texts(value, depth)}]"
        if isinstance(value, Record):
            return self._record(value, depth)
        fields = state_of(value) if isinstance(value, Event) else value if type(value) is dict else {}
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
        """Return class name and fields without empty fields.

        A member of an enumeration is shown with its number.
        """
        own = {name: field for name, field in value.fields.items() if not _is_nothing(field) and field != ()}
        if type(value) is Kernel:
            own.pop("ast", None)
        if value.args and not own:
            said = [argument for argument in value.args if not _is_nothing(argument)]
            inner = self._join_texts(said, depth)
            return f"{type(value).__name__} {inner}" if len(value.args) == 1 else f"{type(value).__name__}({inner})"
        inside = [part for part in (self._join_texts(value.args, depth), self._fields(own, depth)) if part]
        return f"{type(value).__name__}({', '.join(inside)})"

    def _join_texts(self, values: Iterable[object], depth: int) -> str:
        return _within(self._text(value, depth + 1) for value in values)

    def _fields(self, fields: Mapping[object, object] | Mapping[str, object], depth: int) -> str:
        return _within(f"{name}={self._text(value, depth + 1)}" for name, value in fields.items())


def _is_nothing(value: object) -> bool:
    """Whether a field is empty; a zero is not empty, since it may be an axis."""
    return value is None or value is False


def _within(parts: Iterable[str]) -> str:
    """Join the first parts, as many as fit into a text."""
    kept: list[str] = []
    room = MOST_TEXT
    for part in parts:
        if room < 0 or len(kept) >= _MOST_ITEMS:
            kept.append("…")
            break
        kept.append(part)
        room -= len(part)
    return ", ".join(kept)
