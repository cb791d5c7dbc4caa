"""Infers the shapes of nodes from their operands by the rules of each release of tinygrad.

Derived from the behaviour of tinygrad 0.12, 0.13 and 0.14 (`UOp._shape`). Sizes that depend on a
variable are unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from analysis.program import memory_shapes, movement_shapes, value_shapes
from analysis.program.inferred_shape import ABSENT, UNKNOWN, Inferred, NoShape, alike, broadcast
from analysis.program.node_shapes import NodeShapes
from analysis.program.rules import RELEASE_12, RELEASE_13, RELEASE_14
from analysis.program.shape_operations import (
    ABSENT_OPERATIONS,
    ALIKE_12,
    BROADCAST_OPERATIONS,
    COUNTED_13,
    OF_FIRST,
    SCALAR_OPERATIONS,
)

MAX_DIMENSIONS = 64
"""Maximum number of dimensions; a shape with more is unknown."""

Rule = Callable[[NodeShapes, int, Sequence[int]], Inferred]
"""Function that computes a shape from a node and its operands."""
_RULES: Mapping[tuple[str, str], Rule] = MappingProxyType(
    {
        ("", "RESHAPE"): movement_shapes.given_shape,
        ("", "EXPAND"): movement_shapes.given_shape,
        (RELEASE_14, "EXPAND"): movement_shapes.expand_shape_14,
        ("", "PERMUTE"): movement_shapes.permute_shape,
        ("", "PAD"): movement_shapes.pad_shape,
        ("", "SHRINK"): movement_shapes.shrink_shape,
        (RELEASE_14, "PAD"): movement_shapes.resize_shape_14,
        (RELEASE_14, "SHRINK"): movement_shapes.resize_shape_14,
        ("", "REDUCE_AXIS"): movement_shapes.axes_shape,
        (RELEASE_13, "REDUCE"): movement_shapes.reduce_shape_13,
        (RELEASE_14, "REDUCE"): movement_shapes.reduce_shape_14,
        **{
            (RELEASE_12, operation): value_shapes.constant_shape_12
            for operation in ("CONST", "DEFINE_VAR", "BIND")
        },
        **{(RELEASE_13, operation): value_shapes.vector_shape for operation in COUNTED_13},
        ("", "BUFFER"): memory_shapes.argument_shape,
        (RELEASE_14, "BUFFER"): memory_shapes.source_shape,
        ("", "BUFFER_VIEW"): memory_shapes.argument_shape,
        ("", "BUFFERIZE"): memory_shapes.stage_shape,
        ("", "STAGE"): memory_shapes.stage_shape,
        **{
            (RELEASE_12, f"DEFINE_{place}"): memory_shapes.pointer_shape_12
            for place in ("GLOBAL", "LOCAL", "REG")
        },
        **{
            (RELEASE_13, f"DEFINE_{place}"): memory_shapes.memory_shape_13
            for place in ("LOCAL", "REG")
        },
        (RELEASE_13, "PARAM"): memory_shapes.parameter_shape_13,
        (RELEASE_14, "PARAM"): memory_shapes.source_shape,
        (RELEASE_12, "INDEX"): memory_shapes.index_shape_12,
        ("", "INDEX"): memory_shapes.index_shape,
        ("", "STACK"): value_shapes.stack_shape,
        (RELEASE_13, "GEP"): value_shapes.lanes_shape_13,
        (RELEASE_13, "CAST"): value_shapes.cast_shape_13,
        ("", "BITCAST"): value_shapes.bitcast_shape,
        ("", "WMMA"): value_shapes.matrix_shape,
        (RELEASE_13, "NOOP"): value_shapes.operand_shape,
        (RELEASE_14, "NOOP"): value_shapes.operand_shape,
        (RELEASE_14, "CALL"): value_shapes.value_shape_14,
        (RELEASE_14, "INS"): value_shapes.value_shape_14,
        (RELEASE_14, "CUSTOM"): value_shapes.custom_shape_14,
        (RELEASE_14, "CUSTOMI"): value_shapes.custom_shape_14,
        ("", "GETTUPLE"): value_shapes.element_shape,
    }
)
"""(Release, operation) -> rule for the shape; "" as release applies to all releases."""


class Shapes(NodeShapes):
    """Infers the shapes of the nodes of a graph by the rules of a release."""

    def infer(self, order: Sequence[int]) -> None:
        """Infer and store the shapes of the nodes in `order`, which lists operands before their
        users; shapes that are stored already stay.
        """
        for node in order:
            if node not in self.stored:
                shape = self._shape(node)
                too_many = not isinstance(shape, NoShape) and len(shape) > MAX_DIMENSIONS
                self.stored[node] = UNKNOWN if too_many else shape

    def text(self, node: int) -> str:
        """Write the shape of a node as `shape (2, 64)`, with `?` for an unknown size; "" if the
        shape is absent, unknown or has no dimensions.
        """
        shape = self.stored.get(node, UNKNOWN)
        if isinstance(shape, NoShape) or not shape:
            return ""
        return f"shape ({', '.join('?' if size is None else str(size) for size in shape)})"

    def _shape(self, node: int) -> Inferred:
        operation = self.nodes.operations[node]
        release = self.release
        sources = self.nodes.sources[node]
        if operation in ABSENT_OPERATIONS[release]:
            return ABSENT
        if operation in SCALAR_OPERATIONS[release]:
            return ()
        if operation in OF_FIRST[release]:
            return self.first_shape(sources)
        own = _RULES.get((release, operation)) or _RULES.get(("", operation))
        if own is not None:
            return own(self, node, sources)
        if release == RELEASE_12:
            # The third operand of an assignment is the view that it writes.
            joined = sources[:2] if operation == "ASSIGN" else sources
            return alike(self.shapes(joined)) if operation in ALIKE_12 else UNKNOWN
        return (
            broadcast(self.shapes(sources))
            if operation in BROADCAST_OPERATIONS[release]
            else UNKNOWN
        )
