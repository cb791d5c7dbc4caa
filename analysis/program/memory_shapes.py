"""Rules for the shapes of buffers, parameters, stages and indexes into them."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.program.dtype_names import pointer_size, vector_count
from analysis.program.inferred_shape import ABSENT, UNKNOWN, Inferred, NoShape
from analysis.program.node_shapes import NodeShapes
from analysis.program.rules import RELEASE_12


def argument_shape(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    numbers = graph.argument(node)
    return numbers[:1] if numbers else UNKNOWN


def source_shape(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    if not sources:
        return () if graph.nodes.operations[node] == "BUFFER" else UNKNOWN
    return graph.numbers(sources[0])


def parameter_shape_13(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    size = pointer_size(graph.nodes.dtypes[node])
    if size is not None:
        return (size,)
    return source_shape(graph, node, sources) if sources else ABSENT


def pointer_shape_12(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    size = pointer_size(graph.nodes.dtypes[node])
    return UNKNOWN if size is None else (size,)


def memory_shape_13(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    size = pointer_size(graph.nodes.dtypes[node])
    count = vector_count(graph.nodes.dtypes[node])
    sizes = () if size is None else (size,)
    return (*sizes, count) if count > 1 else sizes


def stage_shape(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    shape = () if graph.release == RELEASE_12 else graph.first_shape(sources)
    return UNKNOWN if isinstance(shape, NoShape) else (*map(graph.extent, sources[1:]), *shape)


def index_shape_12(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    shape = graph.first_shape(sources)
    if ".ptr(" not in graph.nodes.dtypes[node] or shape is ABSENT:
        return ABSENT
    if isinstance(shape, NoShape):
        return UNKNOWN
    return ABSENT if len(sources) - 1 == len(shape) else shape[len(sources) - 1 :]


def index_shape(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    shapes = graph.shapes(sources)
    if not shapes or any(isinstance(shape, NoShape) for shape in shapes):
        return UNKNOWN
    first, *others = [shape for shape in shapes if not isinstance(shape, NoShape)]
    return tuple(size for shape in others for size in shape) + first[len(others) :]
