"""Infers the shapes of nodes from their operands by the rules of each release of tinygrad.

Derived from the behaviour of tinygrad 0.12, 0.13 and 0.14 (`UOp._shape`). Sizes that depend on a
variable are unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from analysis.program.dtype_names import item_bytes, pointer_size, vector_count
from analysis.program.inferred_shape import (
    ABSENT,
    UNKNOWN,
    Inferred,
    NoShape,
    Shape,
    alike,
    broadcast,
)
from analysis.program.nodes import WorkingNodes
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


class Shapes:
    """Shapes of the nodes of a graph by the rules of a release.

    Inferred shapes are stored with the nodes, which never change.
    """

    def __init__(self, nodes: WorkingNodes, release: str) -> None:
        self._nodes = nodes
        self._release = release if release in ABSENT_OPERATIONS else RELEASE_14
        self._found: dict[int, Inferred] = nodes.shapes

    def infer(self, order: Sequence[int]) -> None:
        """Infer and store the shapes of the nodes in `order`, which lists operands before their
        users; shapes that are stored already stay.
        """
        for node in order:
            if node not in self._found:
                shape = self._shape(node)
                too_many = not isinstance(shape, NoShape) and len(shape) > MAX_DIMENSIONS
                self._found[node] = UNKNOWN if too_many else shape

    def text(self, node: int) -> str:
        """Write the shape of a node as `shape (2, 64)`, with `?` for an unknown size; "" if the
        shape is absent, unknown or has no dimensions.
        """
        shape = self._found.get(node, UNKNOWN)
        if isinstance(shape, NoShape) or not shape:
            return ""
        return f"shape ({', '.join('?' if size is None else str(size) for size in shape)})"

    def _shape(self, node: int) -> Inferred:
        operation = self._nodes.operations[node]
        release = self._release
        sources = self._nodes.sources[node]
        if operation in ABSENT_OPERATIONS[release]:
            return ABSENT
        if operation in SCALAR_OPERATIONS[release]:
            return ()
        if operation in OF_FIRST[release]:
            return self._first_shape(sources)
        own = _RULES.get((release, operation)) or _RULES.get(("", operation))
        if own is not None:
            return own(self, node, sources)
        if release == RELEASE_12:
            # The third operand of an assignment is the view that it writes.
            joined = sources[:2] if operation == "ASSIGN" else sources
            return alike(self._shapes(joined)) if operation in ALIKE_12 else UNKNOWN
        return (
            broadcast(self._shapes(sources))
            if operation in BROADCAST_OPERATIONS[release]
            else UNKNOWN
        )

    def _first_shape(self, sources: Sequence[int]) -> Inferred:
        return self._found.get(sources[0], UNKNOWN) if sources else UNKNOWN

    def _shapes(self, sources: Iterable[int]) -> list[Inferred]:
        return [self._found.get(source, UNKNOWN) for source in sources]

    def _numbers(self, node: int) -> Shape:
        """Read the numbers of a node that specifies a shape, an element per dimension, `None` for
        each that is not a constant.
        """
        operation = self._nodes.operations[node]
        sources = self._nodes.sources[node]
        if operation in ("CONST", "VCONST"):
            numbers = self._argument(node)
            count = vector_count(self._nodes.dtypes[node])
            return (
                (None,) * count
                if numbers is None
                else numbers * count
                if len(numbers) == 1
                else numbers
            )
        if operation in ("STACK", "VECTORIZE"):
            return tuple(self._number(source) for source in sources)
        return (self._number(node),)

    def _number(self, node: int) -> int | None:
        """Read the number of a constant node, through casts; `None` if it is an expression or not a
        whole number.
        """
        nodes = self._nodes
        while nodes.operations[node] == "CAST" and nodes.sources[node]:
            node = nodes.sources[node][0]
        numbers = self._argument(node) if nodes.operations[node] == "CONST" else None
        return numbers[0] if numbers else None

    def _argument(self, node: int) -> tuple[int, ...] | None:
        """Parse the whole numbers of a node's argument such as `(0, 2, 1)`; `None` if any part is
        not a whole number.
        """
        return _whole(
            part.strip()
            for part in self._nodes.argument_text(node).strip("()").split(",")
            if part.strip()
        )

    def _given_shape(self, node: int, sources: Sequence[int]) -> Inferred:
        return self._numbers(sources[1]) if len(sources) > 1 else UNKNOWN

    def _expand_shape_14(self, node: int, sources: Sequence[int]) -> Inferred:
        added = self._given_shape(node, sources)
        shape = self._first_shape(sources)
        return (
            UNKNOWN if isinstance(added, NoShape) or isinstance(shape, NoShape) else added + shape
        )

    def _permute_shape(self, node: int, sources: Sequence[int]) -> Inferred:
        order = self._argument(node)
        shape = self._first_shape(sources)
        if order is None or isinstance(shape, NoShape) or sorted(order) != list(range(len(shape))):
            return UNKNOWN
        return tuple(shape[axis] for axis in order)

    def _pairs(self, sources: Sequence[int]) -> tuple[Shape, Shape] | None:
        if len(sources) < 3:
            return None
        first, second = (self._numbers(source) for source in sources[1:3])
        return (first, second) if len(first) == len(second) else None

    def _pad_shape(self, node: int, sources: Sequence[int]) -> Inferred:
        pairs = self._pairs(sources)
        shape = self._first_shape(sources)
        if pairs is None or isinstance(shape, NoShape) or len(shape) != len(pairs[0]):
            return UNKNOWN
        return tuple(
            None if None in sizes else sum(filter(None, sizes))
            for sizes in zip(shape, *pairs, strict=True)
        )

    def _shrink_shape(self, node: int, sources: Sequence[int]) -> Inferred:
        pairs = self._pairs(sources)
        if pairs is None:
            return UNKNOWN
        ends = zip(*pairs, strict=True)
        return tuple(None if begin is None or end is None else end - begin for begin, end in ends)

    def _resize_shape_14(self, node: int, sources: Sequence[int]) -> Inferred:
        pairs = self._pairs(sources)
        return UNKNOWN if pairs is None else pairs[1]

    def _axes_shape(self, node: int, sources: Sequence[int]) -> Inferred:
        axes = _axes(self._nodes.argument_text(node))
        shape = self._first_shape(sources)
        if axes is None or isinstance(shape, NoShape) or any(axis >= len(shape) for axis in axes):
            return UNKNOWN
        return tuple(1 if axis in axes else size for axis, size in enumerate(shape))

    def _reduce_shape_13(self, node: int, sources: Sequence[int]) -> Inferred:
        is_lowered = _axes(self._nodes.argument_text(node)) == ()
        return self._vector_shape(node, sources) if is_lowered else self._axes_shape(node, sources)

    def _reduce_shape_14(self, node: int, sources: Sequence[int]) -> Inferred:
        axes = _axes(self._nodes.argument_text(node))
        shape = self._first_shape(sources)
        if axes is None or len(axes) != 1 or isinstance(shape, NoShape) or axes[0] > len(shape):
            return UNKNOWN
        return shape[axes[0] :]

    def _vector_shape(self, node: int, sources: Sequence[int]) -> Inferred:
        count = vector_count(self._nodes.dtypes[node])
        return (count,) if count > 1 else ()

    def _constant_shape_12(self, node: int, sources: Sequence[int]) -> Inferred:
        return (
            () if any(self._nodes.operations[source] == "DEVICE" for source in sources) else ABSENT
        )

    def _argument_shape(self, node: int, sources: Sequence[int]) -> Inferred:
        numbers = self._argument(node)
        return numbers[:1] if numbers else UNKNOWN

    def _source_shape(self, node: int, sources: Sequence[int]) -> Inferred:
        if not sources:
            return () if self._nodes.operations[node] == "BUFFER" else UNKNOWN
        return self._numbers(sources[0])

    def _parameter_shape_13(self, node: int, sources: Sequence[int]) -> Inferred:
        size = pointer_size(self._nodes.dtypes[node])
        if size is not None:
            return (size,)
        return self._source_shape(node, sources) if sources else ABSENT

    def _pointer_shape_12(self, node: int, sources: Sequence[int]) -> Inferred:
        size = pointer_size(self._nodes.dtypes[node])
        return UNKNOWN if size is None else (size,)

    def _memory_shape_13(self, node: int, sources: Sequence[int]) -> Inferred:
        size = pointer_size(self._nodes.dtypes[node])
        count = vector_count(self._nodes.dtypes[node])
        sizes = () if size is None else (size,)
        return (*sizes, count) if count > 1 else sizes

    def _stage_shape(self, node: int, sources: Sequence[int]) -> Inferred:
        shape = () if self._release == RELEASE_12 else self._first_shape(sources)
        return UNKNOWN if isinstance(shape, NoShape) else (*map(self._extent, sources[1:]), *shape)

    def _extent(self, node: int) -> int | None:
        """Compute the size of a RANGE node; for a constant index, the index plus 1; `None` if it is
        an expression.
        """
        sources = self._nodes.sources[node]
        if self._nodes.operations[node] == "RANGE" and sources:
            return self._number(sources[0])
        last = self._number(node)
        return None if last is None else last + 1

    def _index_shape_12(self, node: int, sources: Sequence[int]) -> Inferred:
        shape = self._first_shape(sources)
        if ".ptr(" not in self._nodes.dtypes[node] or shape is ABSENT:
            return ABSENT
        if isinstance(shape, NoShape):
            return UNKNOWN
        return ABSENT if len(sources) - 1 == len(shape) else shape[len(sources) - 1 :]

    def _index_shape(self, node: int, sources: Sequence[int]) -> Inferred:
        shapes = self._shapes(sources)
        if not shapes or any(isinstance(shape, NoShape) for shape in shapes):
            return UNKNOWN
        first, *others = [shape for shape in shapes if not isinstance(shape, NoShape)]
        return tuple(size for shape in others for size in shape) + first[len(others) :]

    def _stack_shape(self, node: int, sources: Sequence[int]) -> Inferred:
        shape = self._first_shape(sources) if sources else ()
        if not sources or (self._release == RELEASE_13 and ".ptr(" in self._nodes.dtypes[node]):
            return shape
        return shape if isinstance(shape, NoShape) else (len(sources), *shape)

    def _lanes_shape_13(self, node: int, sources: Sequence[int]) -> Inferred:
        lanes = self._argument(node)
        return UNKNOWN if lanes is None else (len(lanes),) if len(lanes) > 1 else ()

    def _cast_shape_13(self, node: int, sources: Sequence[int]) -> Inferred:
        count = vector_count(self._nodes.dtypes[node])
        if count > 1:
            return (count,)
        was_pointer = bool(sources) and ".ptr(" in self._nodes.dtypes[sources[0]]
        return (
            ()
            if was_pointer and ".ptr(" not in self._nodes.dtypes[node]
            else self._first_shape(sources)
        )

    def _bitcast_shape(self, node: int, sources: Sequence[int]) -> Inferred:
        shape = self._first_shape(sources)
        if isinstance(shape, NoShape) or not shape:
            return shape
        new = item_bytes(self._nodes.dtypes[node])
        old = item_bytes(self._nodes.dtypes[sources[0]])
        last = shape[-1]
        if not new or not old or last is None or last * old % new:
            return (*shape[:-1], None)
        return (*shape[:-1], last * old // new)

    def _matrix_shape(self, node: int, sources: Sequence[int]) -> Inferred:
        """Compute the shape of a matrix multiply-accumulate, that of the accumulator (third
        operand); in 0.14 its outer dimensions are those of all operands together. UNKNOWN in 0.12,
        or without three operands with a shape.
        """
        if self._release != RELEASE_14:
            return (
                self._shapes(sources)[2]
                if len(sources) > 2 and self._release == RELEASE_13
                else UNKNOWN
            )
        shapes = [
            shape for shape in self._shapes(sources[:3]) if not isinstance(shape, NoShape) and shape
        ]
        if len(shapes) < 3:
            return UNKNOWN
        outer = broadcast([shape[:-1] for shape in shapes])
        return UNKNOWN if isinstance(outer, NoShape) else (*outer, shapes[2][-1])

    def _operand_shape(self, node: int, sources: Sequence[int]) -> Inferred:
        return self._first_shape(sources) if sources else ABSENT

    def _value_shape_14(self, node: int, sources: Sequence[int]) -> Inferred:
        return ABSENT if self._nodes.dtypes[node] == "void" else ()

    def _custom_shape_14(self, node: int, sources: Sequence[int]) -> Inferred:
        shaped = [shape for shape in self._shapes(sources) if shape is not ABSENT]
        return ABSENT if self._nodes.dtypes[node] == "void" or not shaped else broadcast(shaped)

    def _element_shape(self, node: int, sources: Sequence[int]) -> Inferred:
        """Return the shape of the tuple element that a node takes; a function may return the tuple.

        UNKNOWN if there is no such element.
        """
        nodes = self._nodes
        place = self._argument(node)
        holder = sources[0] if sources else node
        if nodes.operations[holder] == "FUNCTION" and nodes.sources[holder]:
            holder = nodes.sources[holder][0]
        if (
            nodes.operations[holder] != "TUPLE"
            or not place
            or place[0] >= len(nodes.sources[holder])
        ):
            return UNKNOWN
        return self._found.get(nodes.sources[holder][place[0]], UNKNOWN)


Rule = Callable[[Shapes, int, Sequence[int]], Inferred]
"""Method that computes a shape from a node and its operands."""
_RULES: Mapping[tuple[str, str], Rule] = MappingProxyType(
    {
        ("", "RESHAPE"): Shapes._given_shape,
        ("", "EXPAND"): Shapes._given_shape,
        (RELEASE_14, "EXPAND"): Shapes._expand_shape_14,
        ("", "PERMUTE"): Shapes._permute_shape,
        ("", "PAD"): Shapes._pad_shape,
        ("", "SHRINK"): Shapes._shrink_shape,
        (RELEASE_14, "PAD"): Shapes._resize_shape_14,
        (RELEASE_14, "SHRINK"): Shapes._resize_shape_14,
        ("", "REDUCE_AXIS"): Shapes._axes_shape,
        (RELEASE_13, "REDUCE"): Shapes._reduce_shape_13,
        (RELEASE_14, "REDUCE"): Shapes._reduce_shape_14,
        **{
            (RELEASE_12, operation): Shapes._constant_shape_12
            for operation in ("CONST", "DEFINE_VAR", "BIND")
        },
        **{(RELEASE_13, operation): Shapes._vector_shape for operation in COUNTED_13},
        ("", "BUFFER"): Shapes._argument_shape,
        (RELEASE_14, "BUFFER"): Shapes._source_shape,
        ("", "BUFFER_VIEW"): Shapes._argument_shape,
        ("", "BUFFERIZE"): Shapes._stage_shape,
        ("", "STAGE"): Shapes._stage_shape,
        **{
            (RELEASE_12, f"DEFINE_{place}"): Shapes._pointer_shape_12
            for place in ("GLOBAL", "LOCAL", "REG")
        },
        **{(RELEASE_13, f"DEFINE_{place}"): Shapes._memory_shape_13 for place in ("LOCAL", "REG")},
        (RELEASE_13, "PARAM"): Shapes._parameter_shape_13,
        (RELEASE_14, "PARAM"): Shapes._source_shape,
        (RELEASE_12, "INDEX"): Shapes._index_shape_12,
        ("", "INDEX"): Shapes._index_shape,
        ("", "STACK"): Shapes._stack_shape,
        (RELEASE_13, "GEP"): Shapes._lanes_shape_13,
        (RELEASE_13, "CAST"): Shapes._cast_shape_13,
        ("", "BITCAST"): Shapes._bitcast_shape,
        ("", "WMMA"): Shapes._matrix_shape,
        (RELEASE_13, "NOOP"): Shapes._operand_shape,
        (RELEASE_14, "NOOP"): Shapes._operand_shape,
        (RELEASE_14, "CALL"): Shapes._value_shape_14,
        (RELEASE_14, "INS"): Shapes._value_shape_14,
        (RELEASE_14, "CUSTOM"): Shapes._custom_shape_14,
        (RELEASE_14, "CUSTOMI"): Shapes._custom_shape_14,
        ("", "GETTUPLE"): Shapes._element_shape,
    }
)
"""(Release, operation) -> rule for the shape; "" as release applies to all releases."""


def _whole(texts: Iterable[str]) -> tuple[int, ...] | None:
    numbers: list[int] = []
    for text in texts:
        if len(text) > 18 or not text.removeprefix("-").isdecimal() or not text.isascii():
            return None
        numbers.append(int(text))
    return tuple(numbers)


def _axes(argument: str) -> tuple[int, ...] | None:
    """Parse the axes of a reduction from its argument: (0, 1) from `(ADD, (0, 1))`; from `(ADD,
    1)`, in 0.14, their number. `None` if these are not whole numbers.
    """
    _, _, axes = argument.partition(",")
    return _whole(part.strip() for part in axes.strip(" ()").split(",") if part.strip())
