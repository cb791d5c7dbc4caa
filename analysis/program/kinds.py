"""Kinds of operations, by which the nodes of a graph are coloured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from analysis.program.rules import ARITHMETIC, MOVEMENT

OTHER = "other"
"""Kind of an unknown operation."""
_BY_KIND: Mapping[str, Iterable[str]] = MappingProxyType(
    {
        "memory": (
            "LOAD",
            "STORE",
            "INDEX",
            "GEP",
            "STAGE",
            "BUFFERIZE",
            "CONTIGUOUS",
            "CONTIGUOUS_BACKWARD",
        ),
        "constant": (
            "CONST",
            "VCONST",
            "DEVICE",
            "UNIQUE",
            "LUNIQUE",
            "PYLITERAL",
            "DEFINE_VAR",
            "BIND",
        ),
        "arithmetic": (*ARITHMETIC, "CAST", "BITCAST", "WMMA", "SHAPED_WMMA"),
        "movement": (
            *MOVEMENT,
            *(
                "VECTORIZE",
                "STACK",
                "UNROLL",
                "CONTRACT",
                "CAT",
                "PTRCAT",
                "VCAT",
                "MULTI",
                "UNSHARD",
            ),
        ),
        "loop": ("RANGE", "SPECIAL", "REDUCE", "REDUCE_AXIS", "ALLREDUCE"),
        "buffer": (
            *(
                "BUFFER",
                "BUFFER_VIEW",
                "DEFINE_GLOBAL",
                "DEFINE_LOCAL",
                "DEFINE_REG",
                "PARAM",
                "GETADDR",
            ),
            *("MSELECT", "MSTACK"),
        ),
        "call": (
            *(
                "KERNEL",
                "CALL",
                "FUNCTION",
                "CUSTOM",
                "CUSTOMI",
                "CUSTOM_KERNEL",
                "CUSTOM_FUNCTION",
                "PROGRAM",
            ),
            *("INS", "ENCDEC"),
        ),
        "copy": ("COPY", "ASSIGN"),
        "control": (
            *(
                "SINK",
                "AFTER",
                "GROUP",
                "END",
                "IF",
                "ENDIF",
                "BARRIER",
                "WAIT",
                "LINEAR",
                "SOURCE",
                "BINARY",
            ),
            *("TUPLE", "GETTUPLE", "NOOP", "DETACH"),
        ),
        "error": ("REWRITE_ERROR",),
    }
)
"""Kind -> its operations."""
_OF: Mapping[str, str] = MappingProxyType(
    {name: kind for kind, names in _BY_KIND.items() for name in names}
)
"""Operation -> its kind."""


def find_kind(operation: str) -> str:
    """Look up the kind of an operation, such as `memory`; OTHER ("other") if the operation is
    unknown.
    """
    return _OF.get(operation, OTHER)
