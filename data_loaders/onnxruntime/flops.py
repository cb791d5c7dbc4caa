"""Floating-point operations of nodes of ONNX Runtime, by the shapes of their tensors.

A profile has no attributes of nodes, and lacks the shapes of packed weights. So the formulas use
the output where they can; a node whose shapes leave a choice is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from types import MappingProxyType

import numpy as np
import pandas as pd

from data_loaders.flop_counts import (
    Shape,
    UnknownShapeError,
    attention_flops,
    convolution_flops,
    known_count,
)
from data_loaders.onnxruntime.shapes import INPUTS, OUTPUTS, read_shapes
from schema.array_types import Floats

Shapes = Sequence[Shape]


def count_flops(operator: str, inputs: str | None, outputs: str | None) -> int | None:
    """Count the operations of a node by the texts of its shapes; None if they do not tell them."""
    formula = FORMULAS.get(operator)
    sources = read_shapes(inputs)
    results = read_shapes(outputs)
    if formula is None or not sources or not results:
        return None
    return known_count(lambda: formula(sources, results))


def node_flops(nodes: pd.DataFrame) -> Floats:
    """Count the operations of each span of a node; NaN if they are unknown."""
    flops = np.full(len(nodes), np.nan)
    columns = ("op_name", INPUTS, OUTPUTS)
    rows = np.flatnonzero(nodes["op_name"].isin(list(FORMULAS)).to_numpy(bool))
    if not len(rows):
        return flops
    texts = [[*nodes[name].cat.categories, None] for name in columns]
    codes = np.stack([nodes[name].cat.codes.to_numpy(np.int64)[rows] for name in columns])
    distinct, place = np.unique(codes, axis=1, return_inverse=True)
    counts = [
        count_flops(*(own[code] for own, code in zip(texts, key, strict=True)))
        for key in distinct.T.tolist()
    ]
    flops[rows] = np.array(counts, np.float64)[place.reshape(-1)]
    return flops


def _matmul(inputs: Shapes, outputs: Shapes) -> int:
    """Count a product of two factors, of which the second may be packed."""
    if len(inputs) != 2:
        return _first_factor(inputs, outputs)
    first, second = inputs
    inner = second[-2] if len(second) > 1 else second[0]
    if first[-1] != inner:
        raise UnknownShapeError
    return 2 * prod(outputs[0]) * inner


def _first_factor(inputs: Shapes, outputs: Shapes) -> int:
    """Count a product by its first factor, [..., rows, inner], and its output."""
    first = inputs[0]
    if first[-2] != outputs[0][-2]:
        raise UnknownShapeError
    return 2 * prod(outputs[0]) * first[-1]


def _fused_matmul(inputs: Shapes, outputs: Shapes) -> int:
    """Count a product whose factors may be transposed; their shapes have to agree on `inner`."""
    rows, columns = outputs[0][-2:]
    first, second = inputs
    inner = _partners(first, rows) & _partners(second, columns)
    if len(inner) != 1:
        raise UnknownShapeError
    return 2 * prod(outputs[0]) * inner.pop()


def _partners(factor: Shape, size: int) -> set[int]:
    """Return the possible other lengths of a matrix that has `size` rows or columns."""
    one, other = factor[-2:]
    return {pair[1] for pair in ((one, other), (other, one)) if pair[0] == size}


def _gemm(inputs: Shapes, outputs: Shapes) -> int:
    """Count a product whose first factor may be transposed: it has rows x inner elements."""
    first = inputs[0]
    rows, columns = outputs[0]
    if len(first) != 2 or rows not in first:
        raise UnknownShapeError
    return 2 * prod(first) * columns


def _convolution(weight_place: int) -> Callable[[Shapes, Shapes], int]:
    def count(inputs: Shapes, outputs: Shapes) -> int:
        weight = inputs[weight_place]
        source = inputs[0]
        output = outputs[0]
        if not 3 <= len(weight) == len(source) == len(output) or source[0] != output[0]:
            raise UnknownShapeError
        # Channels are the second dimension, of some kernels the last.
        is_first = output[1] == weight[0] and source[1] % weight[1] == 0
        is_last = output[-1] == weight[0] and source[-1] % weight[1] == 0
        if not is_first and not is_last:
            raise UnknownShapeError
        return 2 * prod(output) * prod(weight[1:])

    return count


def _transposed_convolution(inputs: Shapes, outputs: Shapes) -> int:
    source, weight = inputs[:2]
    output = outputs[0]
    if not 3 <= len(weight) == len(source) == len(output) or source[1] != weight[0]:
        raise UnknownShapeError
    if output[1] % weight[1]:
        raise UnknownShapeError
    return convolution_flops(source, weight, output, transposed=True)


def _attention(inputs: Shapes, outputs: Shapes) -> int:
    """Count ONNX's Attention of query, key and value, or ONNX Runtime's with its projections."""
    if len(inputs[1]) < 3:
        return _projected_attention(inputs, outputs)
    # A further input is a mask; two may be the keys and values of before.
    if len(inputs) > 4:
        raise UnknownShapeError
    if len(inputs[0]) == 4:
        return attention_flops(*inputs[:3])
    return _joined_heads(inputs, outputs)


def _joined_heads(inputs: Shapes, outputs: Shapes) -> int:
    """Count attention of [batch, length, heads x width], whose heads may share keys."""
    query, key, value = inputs[:3]
    if not len(query) == len(key) == len(value) == 3 or key[:2] != value[:2]:
        raise UnknownShapeError
    if query[0] != key[0] or outputs[0][:2] != query[:2]:
        raise UnknownShapeError
    return 2 * prod(query[:2]) * key[1] * (query[2] + outputs[0][2])


def _multi_head_attention(inputs: Shapes, outputs: Shapes) -> int:
    # Keys and values of before have four dimensions, and so has one mask.
    if sum(len(shape) > 3 for shape in inputs) > 1:
        raise UnknownShapeError
    return _joined_heads(inputs, outputs)


def _projected_attention(inputs: Shapes, outputs: Shapes) -> int:
    """Count attention of an input [batch, length, width] with its projections to query, key and
    value; their joint width is the last dimension of the weights, which may be packed, and of bias.
    """
    source, projection = inputs[:2]
    batch, length, width = source
    if len(projection) == 2 and projection[0] != width:
        raise UnknownShapeError
    value_width = outputs[0][2]
    key_width, rest = divmod(projection[-1] - value_width, 2)
    if rest or key_width < 1 or list(outputs[0][:2]) != [batch, length]:
        raise UnknownShapeError
    reach = _attended_length(inputs, outputs, length)
    return 2 * batch * length * (width * projection[-1] + reach * (key_width + value_width))


def _attended_length(inputs: Shapes, outputs: Shapes, length: int) -> int:
    """Return the number of keys: that of the second output, [2, batch, heads, length, width]."""
    if len(outputs) > 1 and len(outputs[1]) == 5:
        return outputs[1][3]
    if any(len(shape) == 5 for shape in inputs):
        raise UnknownShapeError
    return length


FORMULAS: Mapping[str, Callable[[Shapes, Shapes], int]] = MappingProxyType(
    {
        "MatMul": _matmul,
        **dict.fromkeys(
            (
                *("MatMulInteger", "MatMulIntegerToFloat", "DynamicQuantizeMatMul"),
                *("QLinearMatMul", "MatMulNBits", "MatMulBnb4", "GemmFastGelu"),
            ),
            _first_factor,
        ),
        **dict.fromkeys(("FusedMatMul", "TransposeMatMul"), _fused_matmul),
        **dict.fromkeys(("Gemm", "FusedGemm", "QGemm"), _gemm),
        **dict.fromkeys(
            ("Conv", "FusedConv", "NhwcConv", "NhwcFusedConv", "ConvInteger"), _convolution(1)
        ),
        "QLinearConv": _convolution(3),
        "ConvTranspose": _transposed_convolution,
        "Attention": _attention,
        "MultiHeadAttention": _multi_head_attention,
    }
)
"""Type of operator -> function of the shapes of its inputs and outputs."""
