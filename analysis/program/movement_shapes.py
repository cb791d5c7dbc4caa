"""Rules for the shapes of nodes that move or reduce dimensions: reshape, pad, permute, reduce."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.program.inferred_shape import UNKNOWN, Inferred, NoShape
from analysis.program.node_shapes import NodeShapes
from analysis.program.value_shapes import vector_shape


def given_shape(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    return graph.numbers(sources[1]) if len(sources) > 1 else UNKNOWN


def expand_shape_14(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    added = given_shape(graph, node, sources)
    shape = graph.first_shape(sources)
    return UNKNOWN if isinstance(added, NoShape) or isinstance(shape, NoShape) else added + shape


def permute_shape(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    order = graph.argument(node)
    shape = graph.first_shape(sources)
    if order is None or isinstance(shape, NoShape) or sorted(order) != list(range(len(shape))):
        return UNKNOWN
    return tuple(shape[axis] for axis in order)


def pad_shape(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    pairs = graph.pairs(sources)
    shape = graph.first_shape(sources)
    if pairs is None or isinstance(shape, NoShape) or len(shape) != len(pairs[0]):
        return UNKNOWN
    return tuple(
        None if None in sizes else sum(filter(None, sizes))
        for sizes in zip(shape, *pairs, strict=True)
    )


def shrink_shape(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    pairs = graph.pairs(sources)
    if pairs is None:
        return UNKNOWN
    ends = zip(*pairs, strict=True)
    return tuple(None if begin is None or end is None else end - begin for begin, end in ends)


def resize_shape_14(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    pairs = graph.pairs(sources)
    return UNKNOWN if pairs is None else pairs[1]


def axes_shape(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    axes = graph.axes(node)
    shape = graph.first_shape(sources)
    if axes is None or isinstance(shape, NoShape) or any(axis >= len(shape) for axis in axes):
        return UNKNOWN
    return tuple(1 if axis in axes else size for axis, size in enumerate(shape))


def reduce_shape_13(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    is_lowered = graph.axes(node) == ()
    return vector_shape(graph, node, sources) if is_lowered else axes_shape(graph, node, sources)


def reduce_shape_14(graph: NodeShapes, node: int, sources: Sequence[int]) -> Inferred:
    axes = graph.axes(node)
    shape = graph.first_shape(sources)
    if axes is None or len(axes) != 1 or isinstance(shape, NoShape) or axes[0] > len(shape):
        return UNKNOWN
    return shape[axes[0] :]
