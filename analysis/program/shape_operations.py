"""Operations of each release of tinygrad whose shape follows from their name, without arguments."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from analysis.program.rules import ARITHMETIC, RELEASE_12, RELEASE_13, RELEASE_14, UNARY

_PASSED = frozenset(("MSTACK", "MSELECT", "DETACH", "CONTIGUOUS", "CONTIGUOUS_BACKWARD", "AFTER"))
"""Operations of all releases with the shape of their first operand."""
_LATE = frozenset(("LINEAR", "PROGRAM", "SOURCE", "IF", "BARRIER"))
"""Operations that have no shape in any release."""
ABSENT_OPERATIONS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        RELEASE_12: _LATE
        | {
            "UNIQUE",
            "LUNIQUE",
            "DEVICE",
            "RANGE",
            "LOAD",
            "CUSTOM",
            "CUSTOMI",
            "VECTORIZE",
            "VCONST",
            "GEP",
        }
        | {"SPECIAL", "UNROLL", "CONTRACT", "CUSTOM_KERNEL", "BINARY"},
        RELEASE_13: _LATE
        | {
            "UNIQUE",
            "LUNIQUE",
            "DEVICE",
            "CUSTOM",
            "CUSTOMI",
            "SINK",
            "END",
            "REWRITE_ERROR",
            "PTRCAT",
            "ENDIF",
        }
        | {"INS", "TUPLE", "CALL", "FUNCTION", "CUSTOM_FUNCTION"},
        RELEASE_14: _LATE
        | {
            "SINK",
            "REWRITE_ERROR",
            "ENDIF",
            "GROUP",
            "TUPLE",
            "FUNCTION",
            "CUSTOM_FUNCTION",
            "PYLITERAL",
        },
    }
)
"""Release -> operations without a shape."""
OF_FIRST: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        RELEASE_12: _PASSED | {"REDUCE", "END", "FLIP"},
        RELEASE_13: _PASSED | UNARY | {"LOAD", "COPY", "ALLREDUCE", "FLIP"},
        RELEASE_14: _PASSED | UNARY | {"LOAD", "COPY", "ALLREDUCE", "FLIP", "STORE", "END", "CAST"},
    }
)
"""Release -> operations with the shape of their first operand."""
SCALAR_OPERATIONS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        RELEASE_12: frozenset(),
        RELEASE_13: frozenset(("GETADDR", "BIND", "RANGE", "SPECIAL")),
        RELEASE_14: frozenset(("GETADDR", "RANGE", "SPECIAL", "CONST")),
    }
)
"""Release -> operations with a shape of no dimensions."""
ALIKE_12 = ARITHMETIC | {"CAST", "COPY", "ASSIGN", "NOOP", "GROUP", "SINK", "ALLREDUCE", "STORE"}
"""Operations of 0.12 with the shape that all operands share."""
COUNTED_13 = frozenset(("CONST", "DEFINE_VAR", "CONTRACT", "UNROLL", "VCAT"))
"""Operations of 0.13 with the vector lanes of their type as shape."""
BROADCAST_OPERATIONS: Mapping[str, frozenset[str]] = MappingProxyType(
    {RELEASE_13: (ARITHMETIC - UNARY) | {"GROUP", "STORE"}, RELEASE_14: ARITHMETIC - UNARY}
)
"""Release -> operations with the broadcast shape of their operands."""
