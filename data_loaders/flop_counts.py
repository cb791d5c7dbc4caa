"""Floating-point operations of operators by the shapes of their inputs.

A multiplication and an addition are two operations. The formulas are those of
`torch.utils.flop_counter`; bias, scaling, softmax and masks are left out there too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from types import MappingProxyType

import numpy as np

from schema.array_types import Floats, Ints
from schema.impossible_rates import MAX_RATES

Shape = Sequence[int]
MAX_FLOPS = 2**53
"""Largest number of operations of a call that is exact as a float; above it the number is unknown."""


class UnknownShapeError(ValueError):
    """Shapes that do not fit an operator, or are not known."""


def matmul_flops(first: Shape, second: Shape) -> int:
    """Count the operations of a product of matrices, or of equally many batches of them."""
    if len(first) < 2 or len(second) < 2 or first[-1] != second[-2]:
        raise UnknownShapeError
    batch = first[:-2] if len(first) >= len(second) else second[:-2]
    if any(one[:-2] and list(one[:-2]) != list(batch) for one in (first, second)):
        raise UnknownShapeError
    return 2 * prod(batch) * first[-2] * first[-1] * second[-1]


def linear_flops(inputs: Shape, weight: Shape) -> int:
    """Count the operations of `inputs @ weight.T`; `weight` is [outputs, inputs]."""
    if not inputs or len(weight) != 2 or inputs[-1] != weight[1]:
        raise UnknownShapeError
    return 2 * prod(inputs) * weight[0]


def convolution_flops(inputs: Shape, weight: Shape, output: Shape, *, transposed: bool) -> int:
    """Count the operations of a convolution with `weight` [outputs, inputs / groups, ...].

    The first two dimensions of `inputs` and `output` are batch and channels; a transposed
    convolution has [inputs, outputs / groups, ...] and as many products per element of its input.
    """
    places = inputs if transposed else output
    return 2 * inputs[0] * prod(places[2:]) * prod(weight)


def attention_flops(query: Shape, key: Shape, value: Shape) -> int:
    """Count the operations of scaled dot product attention, `query @ key.T @ value`.

    Shapes are [batch, heads, length, width]. Key and value may have fewer heads, which several
    heads of the query share. Masked products count.
    """
    if not len(query) == len(key) == len(value) == 4:
        raise UnknownShapeError
    if query[3] != key[3] or key[2] != value[2] or not query[0] == key[0] == value[0]:
        raise UnknownShapeError
    pairs = query[0] * query[1] * query[2] * key[2]
    return 2 * pairs * (query[3] + value[3])


def output_places(
    inputs: Shape, weight: Shape, stride: Shape, padding: Shape, dilation: Shape
) -> list[int]:
    """Compute the lengths of a convolution's output; the arguments after the shapes have a number
    per dimension, or one for all.
    """
    lengths = []
    for at in range(len(weight) - 2):
        step, margin, spread = (_axis_value(values, at) for values in (stride, padding, dilation))
        reach = spread * (weight[2 + at] - 1) + 1
        length = (inputs[2 + at] + 2 * margin - reach) // step + 1
        if length < 1:
            raise UnknownShapeError
        lengths.append(length)
    return lengths


def _axis_value(values: Shape, at: int) -> int:
    if len(values) not in (1, at + 1) and len(values) <= at:
        raise UnknownShapeError
    number = values[0] if len(values) == 1 else values[at]
    if number < 0:
        raise UnknownShapeError
    return number


def known_count(count: Callable[[], int]) -> int | None:
    """Return the number that `count` computes; None if shapes do not tell it, or it is too large."""
    try:
        flops = count()
    except (ValueError, IndexError, TypeError, ZeroDivisionError):
        # Shapes of other lengths than an operator has do not fit its formula either.
        return None
    return flops if 0 <= flops <= MAX_FLOPS else None


def rate_per_second(flops: Floats, time: Ints) -> Floats:
    """Compute operations per second of operations and times in ns; NaN without a time, and for
    rates that no hardware reaches.
    """
    seconds = np.where(time > 0, time * 1e-9, np.nan)
    rates = np.asarray(flops / seconds)
    return np.where(rates > MAX_RATES["operations"], np.nan, rates)


PRODUCTS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "aten::mm": (0, 1),
        "aten::bmm": (0, 1),
        "aten::matmul": (0, 1),
        "aten::addmm": (1, 2),
        "aten::baddbmm": (1, 2),
    }
)
"""Operators of products of matrices -> places of the two factors among their inputs."""
