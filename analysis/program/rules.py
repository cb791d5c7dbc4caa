"""Rules of rewriting that differ between releases of tinygrad: operands that are entered, and types
of rebuilt nodes.

Derived from the behaviour of tinygrad 0.12, 0.13 and 0.14 (`UOp.substitute` and the functions that
it calls).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

RELEASE_12, RELEASE_13, RELEASE_14 = "0.12", "0.13", "0.14"
"""Releases of tinygrad with rules of their own."""

MOVEMENT = frozenset(("RESHAPE", "PERMUTE", "EXPAND", "PAD", "SHRINK", "FLIP"))
"""Operations that only change the shape of their first operand."""
UNARY = frozenset(("EXP2", "LOG2", "SIN", "SQRT", "RECIPROCAL", "NEG", "TRUNC"))
"""Arithmetic operations with a single operand."""
COMPARISON = frozenset(("CMPLT", "CMPNE", "CMPEQ"))
BINARY = COMPARISON | {
    *(
        "ADD",
        "SUB",
        "MUL",
        "MAX",
        "CDIV",
        "CMOD",
        "IDIV",
        "MOD",
        "FLOORDIV",
        "FLOORMOD",
        "FDIV",
        "POW",
    ),
    *("XOR", "OR", "AND", "SHL", "SHR", "THREEFRY"),
}
ARITHMETIC = UNARY | BINARY | {"WHERE", "MULACC"}

_OPAQUE_BODIES = frozenset(("SINK", "PROGRAM", "LINEAR", "COPY", "CUSTOM_FUNCTION"))
"""Operations of bodies that CALL does not enter in 0.14."""
_OF_FIRST = (
    MOVEMENT
    | {
        "LOAD",
        "INDEX",
        "UNSHARD",
        "REDUCE",
        "AFTER",
        "RANGE",
        "CONTIGUOUS",
        "CONTIGUOUS_BACKWARD",
        "COPY",
        "STAGE",
    }
    | {"DETACH", "MSTACK", "MSELECT", "ALLREDUCE", "SPECIAL", "SHL", "SHR", "NEG", "TRUNC"}
)
"""Operations of 0.14 with the type of their first operand."""
_OF_FLOATS = UNARY - {"NEG", "TRUNC"}
"""Operations of 0.14 with a floating point result."""
_OF_ALL = (BINARY - COMPARISON - {"SHL", "SHR"}) | {"MULACC", "STACK"}
"""Operations of 0.14 with the common type of all operands."""

_WIDER: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "bool": ("weakint",),
        "weakint": ("signed char", "unsigned char"),
        "signed char": ("short",),
        "short": ("int",),
        "int": ("long",),
        "long": ("weakfloat",),
        "unsigned char": ("short", "unsigned short"),
        "unsigned short": ("int", "unsigned int"),
        "unsigned int": ("long", "unsigned long"),
        "unsigned long": ("weakfloat",),
        "weakfloat": ("float8_e4m3", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"),
        "float8_e4m3": ("half", "__bf16"),
        "float8_e5m2": ("half", "__bf16"),
        "float8_e4m3fnuz": ("half", "__bf16"),
        "float8_e5m2fnuz": ("half", "__bf16"),
        "half": ("float",),
        "__bf16": ("float",),
        "float": ("double",),
        "double": (),
    }
)
"""Type -> the next wider types that hold all of its values."""
_ORDER = (
    *(
        "bool",
        "weakint",
        "signed char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned int",
    ),
    *(
        "long",
        "unsigned long",
        "weakfloat",
        "float8_e4m3",
        "float8_e4m3fnuz",
        "float8_e5m2",
        "float8_e5m2fnuz",
    ),
    *("half", "__bf16", "float", "double"),
)
"""Types from narrowest to widest, in tinygrad's order by priority and bits."""
_DEFAULT_FLOAT = "float"
"""Floating point type of functions of integers."""


def keeps_first_operand(operation: str, first: str, release: str) -> bool:
    """Whether the rewriting of a release leaves the first operand of an operation, the body of a
    call, unchanged; `first` is the operation of that operand. False for operations that are no
    call.
    """
    if release == RELEASE_13:
        return operation in ("CALL", "FUNCTION")
    if release == RELEASE_14:
        return operation == "FUNCTION" or (operation == "CALL" and first in _OPAQUE_BODIES)
    return False


def rebuilt_dtype(operation: str, dtype: str, before: Sequence[str], after: Sequence[str]) -> str:
    """Compute the type of a node in 0.14 when the types of its operands change from `before` to
    `after`; `dtype`, its type so far, if these are equal or the rules give no other.
    """
    if not after or list(before) == list(after):
        return dtype
    if operation in _OF_FIRST:
        return after[0]
    if operation == "WMMA" and len(after) > 2:
        return after[2]
    if operation in _OF_FLOATS:
        return _as_float(after[0]) or dtype
    wanted = after[1:] if operation == "WHERE" else after if operation in _OF_ALL else ()
    return (_common(wanted) or dtype) if wanted else dtype


def _common(dtypes: Sequence[str]) -> str | None:
    """Return the narrowest type that holds the values of all types; `None` if any type is unknown,
    unless all are equal.
    """
    if len(set(dtypes)) == 1:
        return dtypes[0]
    if not set(dtypes) <= _WIDER.keys():
        return None
    holding = set[str](_WIDER).intersection(*map(_all_wider, dtypes))
    return min(holding, key=_ORDER.index)


def _all_wider(dtype: str) -> set[str]:
    wider = {dtype}
    waiting = [dtype]
    while waiting:
        new = set(_WIDER[waiting.pop()]) - wider
        wider |= new
        waiting += new
    return wider


def _as_float(dtype: str) -> str | None:
    """Compute the type of a node when a function of reals is applied to `dtype`: floats stay,
    integers become the default float; `None` if the type is unknown.
    """
    if dtype == "weakint":
        return "weakfloat"
    if dtype not in _WIDER:
        return None
    floats = _all_wider("weakfloat")
    return dtype if dtype in floats else _common((dtype, _DEFAULT_FLOAT))
