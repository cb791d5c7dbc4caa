"""Tiling model of Deeploy's GEMM and matrix product: out[.., M, O] = A[.., M, N] B[.., N, O] + C.

Rules: Deeploy `GEMMTileConstraint` and `MatMulTileConstraint` of PULPOpen: A is cut along M, B
along O, C and mul of the requantisation along O, the float bias along both; N is never cut. O of an
integer GEMM is cut in multiples of 16.
"""

from __future__ import annotations

from analysis.tiling.deeploy.assembled import assemble_model
from analysis.tiling.deeploy.model import Dimension, Model
from analysis.tiling.deeploy.operators import Operator

REQUANTIZED = "RequantizedGemm"
PRODUCT = "MatMul"
OPERATORS = (REQUANTIZED, "Gemm", PRODUCT)
_MULTIPLE = 16


def gemm_model(operator: Operator) -> Model | None:
    """Build the cost model of a GEMM or matrix product with dimensions M and O; None if operands
    are unknown or do not fit together.
    """
    a, b, out = (operator.operand(name) for name in ("A", "B", "data_out"))
    shapes = [
        held.shape
        for held in (a, b, out)
        if held is not None and held.shape and len(held.shape) >= 2
    ]
    if len(shapes) < 3 or any(not held.element_bytes for held in operator.held if held.access):
        return None
    (*lead, m, o) = shapes[2]
    (a_shape, b_shape) = [list(shape) for shape in shapes[:2]]
    a_rows = -1 if operator.transposed[0] else -2
    b_cols = -2 if operator.transposed[1] else -1
    if a_shape[a_rows] != m or b_shape[b_cols] != o or a_shape[-3 - a_rows] != b_shape[-3 - b_cols]:
        return None
    integer = operator.op_type == REQUANTIZED
    if operator.op_type == PRODUCT:
        a_shape, b_shape = _equally_long(a_shape, b_shape)
    dimensions = (
        Dimension("M", m),
        Dimension("O", o, multiple=_MULTIPLE if integer and o >= _MULTIPLE else 1),
    )
    cut: dict[str, tuple[int | str, ...]] = {
        "A": (*a_shape[:-2], *_name_size(a_shape[-2:], a_rows, "M")),
        "B": (*b_shape[:-2], *_name_size(b_shape[-2:], b_cols, "O")),
        "data_out": (*lead, "M", "O"),
        "mul": ("O",),
    }
    # C is the requantisation's addend of an integer GEMM, else the bias.
    cut["C"] = ("O",) if integer else ("M", "O")
    return assemble_model(operator, dimensions, cut)


def _name_size(sizes: list[int], place: int, name: str) -> tuple[int | str, ...]:
    """Return two sizes with the size at `place` (-1 or -2) replaced by the name of its
    dimension.
    """
    return (name, sizes[1]) if place == -2 else (sizes[0], name)


def _equally_long(first: list[int], second: list[int]) -> tuple[list[int], list[int]]:
    """Return both shapes, the shorter padded with leading dimensions of 1, as Deeploy does for a
    matrix product.
    """
    length = max(len(first), len(second))
    return [1] * (length - len(first)) + first, [1] * (length - len(second)) + second
