"""Rules for the shapes of values: constants, vectors, casts, matrix products, calls, tuples."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.program.dtype_names import item_bytes, vector_count
from analysis.program.inferred_shape import ABSENT, UNKNOWN, Inferred, NoShape, broadcast
from analysis.program.node_shapes import NodeShapes
from analysis.program.rules import RELEASE_13, RELEASE_14


def vector_shape(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    count = vector_count(graph.nodes.dtypes[node])
    return (count,) if count > 1 else ()


def constant_shape_12(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    return () if any(graph.nodes.operations[source] == "DEVICE" for source in sources) else ABSENT


def stack_shape(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    shape = graph.first_shape(sources) if sources else ()
    if not sources or (graph.release == RELEASE_13 and ".ptr(" in graph.nodes.dtypes[node]):
        return shape
    return shape if isinstance(shape, NoShape) else (len(sources), *shape)


def lanes_shape_13(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    lanes = graph.argument(node)
    return UNKNOWN if lanes is None else (len(lanes),) if len(lanes) > 1 else ()


def cast_shape_13(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    count = vector_count(graph.nodes.dtypes[node])
    if count > 1:
        return (count,)
    was_pointer = bool(sources) and ".ptr(" in graph.nodes.dtypes[sources[0]]
    return (
        ()
        if was_pointer and ".ptr(" not in graph.nodes.dtypes[node]
        else graph.first_shape(sources)
    )


def bitcast_shape(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    shape = graph.first_shape(sources)
    if isinstance(shape, NoShape) or not shape:
        return shape
    new = item_bytes(graph.nodes.dtypes[node])
    old = item_bytes(graph.nodes.dtypes[sources[0]])
    last = shape[-1]
    if not new or not old or last is None or last * old % new:
        return (*shape[:-1], None)
    return (*shape[:-1], last * old // new)


def matrix_shape(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    """Compute the shape of a matrix multiply-accumulate, that of the accumulator (third
    operand); in 0.14 its outer dimensions are those of all operands together. UNKNOWN in 0.12,
    or without three operands with a shape.
    """
    if graph.release != RELEASE_14:
        return (
            graph.shapes(sources)[2]
            if len(sources) > 2 and graph.release == RELEASE_13
            else UNKNOWN
        )
    shapes = [
        shape for shape in graph.shapes(sources[:3]) if not isinstance(shape, NoShape) and shape
    ]
    if len(shapes) < 3:
        return UNKNOWN
    outer = broadcast([shape[:-1] for shape in shapes])
    return UNKNOWN if isinstance(outer, NoShape) else (*outer, shapes[2][-1])


def operand_shape(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    return graph.first_shape(sources) if sources else ABSENT


def value_shape_14(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    return ABSENT if graph.nodes.dtypes[node] == "void" else ()


def custom_shape_14(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    shaped = [shape for shape in graph.shapes(sources) if shape is not ABSENT]
    return ABSENT if graph.nodes.dtypes[node] == "void" or not shaped else broadcast(shaped)


def element_shape(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    """Return the shape of the tuple element that a node takes; a function may return the tuple.

    UNKNOWN if there is no such element.
    """
    nodes = graph.nodes
    place = graph.argument(node)
    holder = sources[0] if sources else node
    if nodes.operations[holder] == "FUNCTION" and nodes.sources[holder]:
        holder = nodes.sources[holder][0]
    if nodes.operations[holder] != "TUPLE" or not place or place[0] >= len(nodes.sources[holder]):
        return UNKNOWN
    return graph.stored.get(nodes.sources[holder][place[0]], UNKNOWN)
