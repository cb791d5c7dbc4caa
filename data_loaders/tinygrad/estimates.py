"""Estimate the operations and bytes of a kernel from its list of operations, as tinygrad does.

Since 0.13 captures contain the three numbers. Up to 0.12 the list is walked as in tinygrad 0.12
(`Estimates.from_uops` without indexing): arithmetic in address computations and conditions is not
counted, a multiply-accumulate counts twice, and a loop multiplies the counts of its body.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

from data_loaders.reading.safe_pickle import Record
from data_loaders.tinygrad.dtypes import has_bit_sizes, item_bytes
from data_loaders.tinygrad.expressions import Values, evaluate
from data_loaders.tinygrad.records import (
    AddrSpace,
    Estimates,
    PtrDType,
    UOp,
    list_items,
    record_fields,
)
from data_loaders.tinygrad.versions import Version

MAX_OPERATIONS = 500_000
"""Maximum operations of a kernel that are walked."""
_REGISTERS = ((3,), ("REG",))
"""Arguments of the AddrSpace of registers: its number or its name."""
_UNARY = ("EXP2", "LOG2", "SIN", "SQRT", "RECIPROCAL", "NEG", "TRUNC")
_BINARY = (
    "ADD",
    "MUL",
    "IDIV",
    "MAX",
    "MOD",
    "CMPLT",
    "CMPNE",
    "CMPEQ",
    "XOR",
    "SHL",
    "SHR",
    "OR",
    "THREEFRY",
    "AND",
)
_ARITHMETIC = frozenset((*_UNARY, *_BINARY, "SUB", "FDIV", "POW", "WHERE", "MULACC"))


class Estimate(NamedTuple):
    """Operations, bytes of memory (each buffer once), and bytes loaded and stored by all
    threads.
    """

    operations: int
    memory_bytes: int
    moved_bytes: int


def pickled_estimate(estimates: object, values: Values, version: Version) -> Estimate | None:
    """Evaluate a pickled Estimates for these values of variables.

    `None` if it is of another type or a number is unknown.
    """
    fields = record_fields(estimates, Estimates)
    if fields is None:
        return None
    numbers = [evaluate(fields.get(name), values, version) for name in ("ops", "mem", "lds")]
    operations, memory, moved = numbers
    if operations is None or memory is None or moved is None:
        return None
    return Estimate(operations, memory, moved)


def walked_estimate(
    operations: Iterable[object], values: Values, version: Version
) -> Estimate | None:
    """Estimate a list of operations for these values of variables.

    `None` if the list is empty or has more than 500,000 operations, their names are unknown, or the
    length of a loop is unknown.
    """
    nodes = [
        node
        for node in operations
        if isinstance(node, Record) and type(node) is UOp and len(node.args) >= 4
    ]
    if not nodes or len(nodes) > MAX_OPERATIONS or not version.has_operations:
        return None
    walk = _Walk(version, _not_counted(nodes, version), _sizes_in_bits(nodes))
    for node in nodes:
        if not walk.take(node, values):
            return None
    return Estimate(walk.arithmetic, sum(walk.touched.values()), walk.moved)


@dataclass
class _Walk:
    """Sums up to the current operation.

    `times` is the product of the lengths of the enclosing loops.
    """

    version: Version
    not_counted: set[int]
    bits: bool
    times: int = 1
    outside: list[int] = field(default_factory=list)
    arithmetic: int = 0
    moved: int = 0
    touched: dict[tuple[int, str], int] = field(default_factory=dict)

    def take(self, node: Record, values: Values) -> bool:
        """Add an operation to the sums.

        False if the length of a loop is unknown or too large, or a loop ends that did not begin.
        """
        operation = self.version.operation(node.args[0])
        sources = list_items(node.args[2])
        if operation in ("RANGE", "SPECIAL"):
            return self._repeat(operation, sources, values)
        if operation == "END":
            if not self.outside:
                return False
            self.times = self.outside.pop()
        elif operation in ("LOAD", "STORE"):
            self._move(operation, node, sources)
        elif operation in _ARITHMETIC and id(node) not in self.not_counted:
            self.arithmetic += (
                self.times * (2 if operation == "MULACC" else 1) * _lanes(node.args[1])
            )
        elif operation == "WMMA" and id(node) not in self.not_counted:
            self.arithmetic += self.times * _matrix_operations(node.args[3])
        return True

    def _repeat(self, operation: str, sources: Sequence[object], values: Values) -> bool:
        """Enter a loop, or a dimension of the hardware's grid, which has no end: multiply `times`
        by its length.

        False if the length is unknown or the product has more than 200 bits.
        """
        length = evaluate(sources[0], values, self.version) if sources else None
        # The lengths of nested loops multiply; the limit keeps hostile products short.
        if length is None or (self.times * length).bit_length() > 200:
            return False
        if operation == "RANGE":
            self.outside.append(self.times)
        self.times *= length
        return True

    def _move(self, operation: str, node: Record, sources: Sequence[object]) -> None:
        if not sources:
            return
        buffer = _first_source(node)
        if self.version.operation(buffer.args[0]) == "DEFINE_GLOBAL":
            self.touched[id(buffer), operation] = self._buffer_bytes(buffer.args[1])
        moved: object = node
        if operation == "STORE":
            moved = sources[1] if len(sources) > 1 else None
        if not _in_registers(sources[0]) and isinstance(moved, Record) and len(moved.args) > 1:
            self.moved += self.times * self._item_bytes(moved.args[1])

    def _buffer_bytes(self, dtype: object) -> int:
        # Values of a pointer type: 4 lanes, 7 address space, 9 number of elements.
        elements = dtype.args[9] if isinstance(dtype, Record) and len(dtype.args) > 9 else 0
        return (
            elements * self._item_bytes(dtype)
            if type(elements) is int and 0 < elements < 2**50
            else 0
        )

    def _item_bytes(self, dtype: object) -> int:
        return (item_bytes(dtype, self.bits) or 0) if isinstance(dtype, Record) else 0


def _first_source(node: Record) -> Record:
    """Follow the first sources of a node to their origin and return it: the buffer of a load or
    store.

    The node itself if it has no sources.
    """
    for _ in range(MAX_OPERATIONS):
        sources = list_items(node.args[2])
        first = sources[0] if sources else None
        if not isinstance(first, Record) or type(first) is not UOp or len(first.args) < 4:
            return node
        node = first
    return node


def _in_registers(node: object) -> bool:
    dtype = node.args[1] if isinstance(node, Record) and len(node.args) > 1 else None
    if not isinstance(dtype, Record) or type(dtype) is not PtrDType or len(dtype.args) < 8:
        return False
    space = dtype.args[7]
    return isinstance(space, Record) and type(space) is AddrSpace and space.args in _REGISTERS


def _lanes(dtype: object) -> int:
    """Return the number of elements of a vector type, 1 for a scalar type.

    Also 1 if it is unknown.
    """
    count = dtype.args[4] if isinstance(dtype, Record) and len(dtype.args) > 4 else 1
    return count if type(count) is int and 0 < count < 2**16 else 1


def _matrix_operations(argument: object) -> int:
    """Compute a matrix instruction's operations per thread; 0 if the argument is malformed.

    The argument is (name, (n, m, k), types ..., threads ...).
    """
    values = list_items(argument)
    if len(values) < 6:
        return 0
    sides = [side for side in list_items(values[1]) if type(side) is int and 0 < side < 2**16]
    threads = values[5]
    if type(threads) is not int or threads <= 0 or not 0 < len(sides) < 6:
        return 0
    return 2 * prod(sides) // threads


def _not_counted(nodes: Sequence[Record], version: Version) -> set[int]:
    """Return the Python ids of the nodes that compute addresses (up to the next loop) and
    conditions.
    """
    addresses: list[object] = []
    conditions: list[object] = []
    for node in nodes:
        operation = version.operation(node.args[0])
        sources = list_items(node.args[2])
        if operation in ("LOAD", "STORE") and sources:
            addresses += _address(sources[0], version)
            conditions += sources[2:3]
        elif operation == "IF":
            conditions += sources[:1]
    return _reached_nodes(addresses, version, "RANGE") | _reached_nodes(conditions, version, "")


def _address(node: object, version: Version) -> Sequence[object]:
    if (
        isinstance(node, Record)
        and len(node.args) >= 4
        and version.operation(node.args[0]) == "INDEX"
    ):
        return list_items(node.args[2])[1:]
    return (node,)


def _reached_nodes(roots: Iterable[object], version: Version, stop: str) -> set[int]:
    """Return the Python ids of the roots and all nodes below.

    The search stops before operations named `stop`.
    """
    seen: set[int] = set()
    todo = list(roots)
    while todo:
        node = todo.pop()
        if (
            id(node) in seen
            or not isinstance(node, Record)
            or type(node) is not UOp
            or len(node.args) < 4
        ):
            continue
        if version.operation(node.args[0]) != stop:
            seen.add(id(node))
            todo.extend(list_items(node.args[2]))
    return seen


def _sizes_in_bits(nodes: Sequence[Record]) -> bool:
    return has_bit_sizes(dtype for node in nodes if isinstance(dtype := node.args[1], Record))
