"""Tiling model of Deeploy's convolutions: height, width and output channels are cut.

Layout is channels last; kernel and input channels are never cut. Rules: Deeploy
`ConvTileConstraint` and `DWConvTileConstraint` of PULPOpen. A depthwise convolution cuts its
input's channels with its output's, from L3 in multiples of 4; an integer depthwise convolution has
the input's channels first. If an integer convolution has 8 output channels or more, its last tile
has at least 8.
"""

from __future__ import annotations

from analysis.tiling.cuts import Window
from analysis.tiling.deeploy.assembled import assemble_model
from analysis.tiling.deeploy.model import Dimension, Model
from analysis.tiling.deeploy.operators import Operator

REQUANTIZED = "RequantizedConv"
OPERATORS = (REQUANTIZED, "Conv")
# Minimum size of the last tile in output channels, for integer kernels (see above).
_MIN_REST = 8


def conv_model(operator: Operator) -> Model | None:
    """Build the cost model of a 2D convolution with dimensions H, W and C (of its output); None if
    operands, strides or pads are unknown or do not fit together.
    """
    data, weight, out = (operator.operand(name) for name in ("data_in", "weight", "data_out"))
    shapes = [
        held.shape
        for held in (data, weight, out)
        if held is not None and held.shape and len(held.shape) == 4
    ]
    if len(shapes) < 3 or operator.strides is None or operator.pads is None:
        return None
    if len(operator.strides) != 2 or len(operator.pads) != 4 or not all(operator.strides):
        return None
    (batch, *spatial), (channels, *kernel, taken), (_, height, width, written) = shapes
    integer = operator.op_type == REQUANTIZED
    depthwise = (operator.groups or 1) > 1
    first = integer and depthwise
    rows, columns, read = (spatial[1], spatial[2], spatial[0]) if first else spatial
    if (
        channels != written
        or read != (channels if depthwise else taken)
        or (depthwise and taken != 1)
    ):
        return None
    reads = (rows, columns)
    windows = [
        Window(
            reads[axis],
            kernel[axis],
            operator.strides[axis],
            operator.pads[axis],
            operator.pads[axis + 2],
            integer,
        )
        for axis in (0, 1)
    ]
    dimensions = (
        Dimension("H", height, window=windows[0]),
        Dimension("W", width, window=windows[1]),
        _channels(operator, channels, depthwise, integer),
    )
    inputs: int | str = "C" if depthwise else taken
    cut: dict[str, tuple[int | str, ...]] = {
        "data_in": (batch, inputs, "H", "W") if first else (batch, "H", "W", inputs),
        "weight": ("C", *kernel, taken),
        "data_out": (batch, "H", "W", "C"),
    }
    return assemble_model(
        operator,
        dimensions,
        cut | dict.fromkeys(("mul", "add", "bias"), ("C",)),
        windowed="data_in",
    )


def _channels(operator: Operator, channels: int, depthwise: bool, integer: bool) -> Dimension:
    multiple = 4 if depthwise and operator.level == "L2" and channels % 4 == 0 else 1
    least = _MIN_REST if integer and channels >= _MIN_REST and not depthwise else 1
    return Dimension("C", channels, multiple, least)
