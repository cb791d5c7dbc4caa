"""Numbers of operations in tinygrad's releases: a pickled operation is only a number.

The names are in the order of their numbers, from 1. A rewrites.pkl does not contain its version. It
is detected by two operations that can be recognised without their number: SINK has a kernel's
description as argument, CONST has a number as argument and a numeric type.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from data_loaders.reading.safe_pickle import Record
from data_loaders.tinygrad.dtypes import dtype_name
from data_loaders.tinygrad.records import DType, KernelInfo, Ops

_OPS_0_12 = """
DEFINE_GLOBAL DEFINE_VAR BIND SPECIAL DEFINE_LOCAL DEFINE_REG NOOP REWRITE_ERROR PROGRAM LINEAR SOURCE BINARY
SINK AFTER GROUP GEP VECTORIZE INDEX LOAD STORE WMMA CAST BITCAST EXP2 LOG2 SIN SQRT RECIPROCAL NEG TRUNC ADD
MUL SHL SHR IDIV MAX MOD CMPLT CMPNE CMPEQ XOR OR AND THREEFRY SUB FDIV POW WHERE MULACC BARRIER RANGE IF END
ENDIF VCONST CONST CUSTOM CUSTOMI UNIQUE DEVICE KERNEL ASSIGN CUSTOM_KERNEL LUNIQUE CONTIGUOUS
CONTIGUOUS_BACKWARD DETACH BUFFERIZE COPY BUFFER BUFFER_VIEW MSELECT MSTACK ENCDEC RESHAPE PERMUTE EXPAND PAD
SHRINK FLIP MULTI REDUCE_AXIS REDUCE ALLREDUCE UNROLL CONTRACT CAT PTRCAT
"""
_OPS_0_13 = """
DEFINE_VAR BIND SPECIAL DEFINE_LOCAL DEFINE_REG NOOP REWRITE_ERROR PARAM FUNCTION CALL PROGRAM LINEAR SOURCE
BINARY SINK AFTER GROUP GEP STACK TUPLE GETTUPLE GETADDR INDEX LOAD STORE WMMA SHAPED_WMMA CAST BITCAST EXP2
LOG2 SIN SQRT RECIPROCAL NEG TRUNC ADD MUL SHL SHR CDIV MAX CMOD CMPLT CMPNE CMPEQ XOR OR AND THREEFRY SUB FDIV
POW FLOORDIV FLOORMOD WHERE MULACC BARRIER RANGE IF END ENDIF WAIT CONST CUSTOM CUSTOMI INS UNIQUE DEVICE
LUNIQUE CONTIGUOUS CONTIGUOUS_BACKWARD DETACH STAGE COPY BUFFER BUFFER_VIEW MSELECT MSTACK CUSTOM_FUNCTION
RESHAPE PERMUTE EXPAND PAD SHRINK FLIP MULTI REDUCE ALLREDUCE UNROLL CONTRACT VCAT PTRCAT
"""
_OPS_0_14 = """
SPECIAL BUFFER NOOP REWRITE_ERROR PARAM FUNCTION CALL PROGRAM LINEAR SOURCE BINARY SINK AFTER GROUP STACK TUPLE
GETTUPLE GETADDR INDEX SHRINK LOAD STORE WMMA CAST BITCAST EXP2 LOG2 SIN SQRT RECIPROCAL NEG TRUNC ADD MUL SHL
SHR CDIV MAX CMOD CMPLT CMPNE CMPEQ XOR OR AND THREEFRY SUB FDIV POW FLOORDIV FLOORMOD WHERE MULACC BARRIER
RANGE IF END ENDIF CONST CUSTOM CUSTOMI INS CONTIGUOUS CONTIGUOUS_BACKWARD DETACH STAGE COPY MSELECT MSTACK
CUSTOM_FUNCTION RESHAPE PERMUTE EXPAND PAD FLIP UNSHARD REDUCE ALLREDUCE PYLITERAL
"""
_BEFORE_0_14 = _OPS_0_14.replace("ENDIF CONST", "ENDIF WAIT CONST")
"""Operations of tinygrad in August 2026, days before 0.14.0."""

RELEASES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "0.12": tuple(_OPS_0_12.split()),
        "0.13": tuple(_OPS_0_13.split()),
        "0.14": tuple(_OPS_0_14.split()),
        "before 0.14": tuple(_BEFORE_0_14.split()),
    }
)


_NO_TYPE = "void"
_NAMES = frozenset(name for operations in RELEASES.values() for name in operations)


@dataclass(frozen=True)
class Version:
    """A release with the names of its operations, by number from 1.

    If `named`, the table is empty, because Python before 3.11.4 pickled the operations by name.
    """

    name: str
    operations: tuple[str, ...]
    named: bool = False

    @property
    def has_operations(self) -> bool:
        """Whether this release's names of operations are known."""
        return self.named or bool(self.operations)

    def operation(self, pickled: object) -> str:
        """Return the name of a pickled operation in this release, such as `ADD`.

        The result is `op#61` if the number is unknown, "" if it is not an operation or an unknown
        name.
        """
        if not isinstance(pickled, Record) or type(pickled) is not Ops or len(pickled.args) != 1:
            return ""
        number = pickled.args[0]
        if type(number) is str:
            return number if number in _NAMES else ""
        if type(number) is int and 1 <= number <= len(self.operations):
            return self.operations[number - 1]
        return f"op#{number}" if type(number) is int else ""


UNKNOWN = Version("", ())
NAMED = Version("", (), named=True)


def detect_version(nodes: Iterable[object]) -> Version:
    """Detect the release from nodes (operation, type, sources, argument ...): the release whose
    numbers of SINK and CONST fit.

    Returns NAMED if operations are pickled by name, and UNKNOWN, which has no names, if no single
    release fits; without constants the first release that fits is taken.
    """
    sinks: set[int] = set()
    constants: set[int] = set()
    for node in nodes:
        number = _operation_number(node[0]) if type(node) is tuple and len(node) >= 4 else None
        if type(number) is str:
            return NAMED
        if type(node) is tuple and type(number) is int:
            sinks |= {number} if type(node[3]) is KernelInfo else set()
            constants |= {number} if _is_constant(node) else set()
    # "0.14" and "before 0.14" differ only after SINK: without a constant, the release is assumed.
    fitting = [
        Version(name, operations)
        for name, operations in RELEASES.items()
        if operations.index("SINK") + 1 in sinks
        and (not constants or operations.index("CONST") + 1 in constants)
    ]
    return fitting[0] if len(fitting) == 1 or (fitting and not constants) else UNKNOWN


def _operation_number(pickled: object) -> object:
    return (
        pickled.args[0]
        if isinstance(pickled, Record) and type(pickled) is Ops and pickled.args
        else None
    )


def _is_constant(node: tuple[object, ...]) -> bool:
    """Whether a node has a number as argument, a numeric type and no sources.

    Counters such as UNIQUE have type void.
    """
    dtype, sources, argument = node[1:4]
    is_number = type(argument) in (int, float, bool)
    return is_number and not sources and type(dtype) is DType and dtype_name(dtype) != _NO_TYPE
