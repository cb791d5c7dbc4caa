"""Floating-point operations of the calls of operators, by the texts of their arguments."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from data_loaders.flop_counts import (
    PRODUCTS,
    UnknownShapeError,
    attention_flops,
    convolution_flops,
    known_count,
    linear_flops,
    matmul_flops,
    output_places,
)
from data_loaders.kineto.frames import Trace
from schema.array_types import Floats

_STRIDE_PADDING_DILATION = (3, 4, 5)
_CONVOLUTIONS: Mapping[str, tuple[int, int, int]] = MappingProxyType(
    {
        **{f"aten::conv{dimensions}d": _STRIDE_PADDING_DILATION for dimensions in (1, 2, 3)},
        "aten::convolution": _STRIDE_PADDING_DILATION,
        "aten::_convolution": _STRIDE_PADDING_DILATION,
        "aten::cudnn_convolution": (3, 2, 4),
    }
)
"""Operator -> places of stride, padding and dilation among its arguments."""
_TRANSPOSED = 6
"""Place of the argument `transposed` of `_HAVE_TRANSPOSED`."""
_HAVE_TRANSPOSED = ("aten::convolution", "aten::_convolution")
_ATTENTIONS = frozenset(
    f"aten::{name}"
    for name in (
        "scaled_dot_product_attention",
        "_scaled_dot_product_flash_attention",
        "_scaled_dot_product_flash_attention_for_cpu",
        "_scaled_dot_product_efficient_attention",
        "_scaled_dot_product_cudnn_attention",
    )
)
_LINEAR = "aten::linear"
COUNTED = frozenset({*PRODUCTS, *_CONVOLUTIONS, *_ATTENTIONS, _LINEAR})
"""Operators whose operations the shapes of their inputs tell."""


def count_flops(name: str, dims: str | None, concrete: str | None) -> int | None:
    """Count the operations of a call; None if they are unknown.

    `dims` is the text of `Input Dims`, `concrete` that of `Concrete Inputs`, which only
    convolutions need.
    """
    shapes = _json_list(dims)
    if name not in COUNTED or shapes is None:
        return None
    return known_count(lambda: _count(name, shapes, _json_list(concrete)))


def _count(name: str, shapes: Sequence[object], arguments: Sequence[object] | None) -> int:
    if name in PRODUCTS:
        first, second = PRODUCTS[name]
        return matmul_flops(_shape(shapes[first]), _shape(shapes[second]))
    if name == _LINEAR:
        return linear_flops(_shape(shapes[0]), _shape(shapes[1]))
    if name in _ATTENTIONS:
        return attention_flops(*(_shape(shape) for shape in shapes[:3]))
    return _convolution(name, _shape(shapes[0]), _shape(shapes[1]), arguments)


def _convolution(
    name: str, inputs: list[int], weight: list[int], arguments: Sequence[object] | None
) -> int:
    if arguments is None or len(weight) < 3:
        raise UnknownShapeError
    if len(inputs) == len(weight) - 1:
        inputs = [1, *inputs]
    if len(inputs) != len(weight):
        raise UnknownShapeError
    if name in _HAVE_TRANSPOSED and str(arguments[_TRANSPOSED]) == "True":
        return convolution_flops(inputs, weight, [], transposed=True)
    stride, padding, dilation = (
        _shape(_json_list(str(arguments[place]))) for place in _CONVOLUTIONS[name]
    )
    places = output_places(inputs, weight, stride, padding, dilation)
    output = [inputs[0], weight[0], *places]
    return convolution_flops(inputs, weight, output, transposed=False)


def _shape(value: object) -> list[int]:
    """Return a list of whole numbers from 0 that is not empty."""
    if not isinstance(value, list) or not value:
        raise UnknownShapeError
    if not all(type(number) is int and number >= 0 for number in value):
        raise UnknownShapeError
    return value


def _json_list(text: str | None) -> list[object] | None:
    try:
        value = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None


def span_flops(trace: Trace) -> Floats:
    """Count the operations of each span of the trace; NaN if they are unknown."""
    arguments = trace.operators
    flops = np.full(len(trace.spans.start), np.nan)
    wanted = [code for code, name in enumerate(trace.names) if name in COUNTED]
    rows = np.flatnonzero(np.isin(trace.spans.name[arguments.span], wanted))
    if not len(rows):
        return flops
    columns = (trace.spans.name[arguments.span], arguments.dims, arguments.concrete)
    keys = np.stack([column[rows] for column in columns])
    distinct, place = np.unique(keys, axis=1, return_inverse=True)
    texts = [*trace.texts, None]
    counts = [
        count_flops(trace.names[name], texts[dims], texts[concrete])
        for name, dims, concrete in distinct.T.tolist()
    ]
    flops[arguments.span[rows]] = np.array(counts, np.float64)[place.reshape(-1)]
    return flops
