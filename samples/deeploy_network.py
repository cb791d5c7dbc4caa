"""A made-up network as Deeploy deploys it, in ten steps.

Its tensors are in L3, and each step has tiles of them in L2 and L1.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

HOME, TILED = "L3", ("L2", "L1")
CAPACITY = {"L3": 64_000_000, "L2": 32_000, "L1": 10_000}
"""Bytes of each memory level."""
_BYTES = {"int8": 1, "uint8": 1, "int32": 4, "int64": 8}


@dataclass(frozen=True)
class Tensor:
    """A tensor: name, element type and shape (images: batch, rows, columns, channels)."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Size in bytes."""
        return prod(self.shape) * _BYTES[self.dtype]

    def rows(self, count: int) -> int:
        """Return the bytes of `count` rows, or of all rows if there are fewer."""
        return self.size // self.shape[1] * min(count, self.shape[1])


@dataclass(frozen=True)
class Node:
    """An operator of the network.

    `operands` are the names of inputs, constants and output in the code, empty for an operator
    without code of its own. `tile` is the number of output rows that it computes at a time in L1,
    `window` the size and stride of its window in rows. `columns` is True if a matrix is cut into
    tiles by columns. `buffer` has name and bytes of its working memory.
    """

    name: str
    op_type: str
    inputs: tuple[Tensor, ...]
    constants: tuple[Tensor, ...]
    output: Tensor
    operands: tuple[str, ...]
    operations: int
    tile: int = 1
    window: tuple[int, int] = (1, 1)
    columns: bool = False
    buffer: tuple[str, int] | None = None

    @property
    def attributes(self) -> dict[str, Any]:
        """Attributes of the operator with the names of ONNX."""
        if "Conv" in self.op_type:
            size = self.constants[0].shape[1]
            stride = self.window[1]
            groups = self.output.shape[3] if "DW" in self.op_type else 1
            sides = {
                "kernel_shape": [size, size],
                "strides": [stride, stride],
                "pads": [size // 2] * 4,
            }
            return {**sides, "group": groups}
        return {"transA": 0, "transB": 1} if self.op_type == "Gemm" else {}

    @property
    def tiles(self) -> int:
        """Number of tiles in L1."""
        return -(-self.output.shape[1] // self.tile)

    @property
    def cut(self) -> tuple[str, list[int]] | None:
        """Name and values of the size that differs between tiles, None if there is none."""
        if not self.columns and "Conv" not in self.op_type:
            return None
        name = "O" if self.columns else "dim_im_out_x"
        whole = self.output.shape[1]
        sizes = [min(self.tile, whole - first) for first in range(0, whole, self.tile)]
        return (name, sizes) if len(sizes) > 1 else None

    def tile_bytes(self, tensor: Tensor) -> int:
        """Return the bytes of `tensor` that a tile in L1 needs."""
        if self.columns:
            cut = tensor is not self.inputs[0]
            return tensor.size * self.tile // self.output.shape[1] if cut else tensor.size
        if tensor in self.constants:
            return tensor.size
        if tensor is self.output:
            return tensor.rows(self.tile)
        size, stride = self.window
        return tensor.rows((self.tile - 1) * stride + size)


def _convolution(
    rank: int, operand: Tensor, output: str, shape: tuple[int, int, int], **how: object
) -> Node:
    """Create a convolution with requantisation.

    `shape` is rows, output channels and window side.
    """
    rows, channels, side = shape
    depthwise = bool(how.pop("depthwise", False))
    taps = 1 if depthwise else operand.shape[3]
    stem = f"model{rank}_QL"
    constants = (
        Tensor(f"{stem}_weight_tensor", "int8", (channels, side, side, taps)),
        Tensor(f"{stem}_mul_tensor", "int32", (channels,)),
        Tensor(f"{stem}_add_tensor", "int32", (channels,)),
    )
    result = Tensor(output, "uint8", (1, rows, rows, channels))
    return Node(
        name=f"_MERGE_CONVRQ_PASS_{rank}",
        op_type="RequantizedDWConv" if depthwise else "RequantizedConv",
        inputs=(operand,),
        constants=constants,
        output=result,
        operands=("data_in", "weight", "mul", "add", "data_out"),
        operations=2 * result.size * side * side * taps,
        **how,  # type: ignore[arg-type]
    )


def _network() -> tuple[Node, ...]:
    picture = Tensor("input_0", "uint8", (1, 33, 33, 3))
    first = _convolution(
        0, picture, "input1_tensor", (33, 16, 3), tile=11, window=(3, 1), buffer=("buffer", 432)
    )
    depth = _convolution(
        1, first.output, "input4_tensor", (17, 16, 3), tile=4, window=(3, 2), depthwise=True
    )
    point = _convolution(2, depth.output, "input7_tensor", (17, 30, 1), tile=9)
    deep = _convolution(
        3, point.output, "input10_tensor", (17, 30, 3), tile=6, window=(3, 1), depthwise=True
    )
    back = _convolution(4, deep.output, "input13_tensor", (17, 30, 1), tile=8)
    total = Tensor("onnxAdd_16_tensor", "uint8", (1, 17, 17, 30))
    added = Node(
        "_MERGE_ADDRQ_PASS_0", "RequantizedAdd", (point.output, back.output), (), total,
        ("data_in_1", "data_in_2", "data_out"), total.size, tile=6,
    )  # fmt: skip
    pooled = Tensor("onnxMaxPool_18_tensor", "uint8", (1, 7, 7, 30))
    pool = Node(
        "MaxPool_6",
        "MaxPool",
        (total,),
        (),
        pooled,
        ("data_in", "data_out"),
        9 * pooled.size,
        tile=7,
        window=(3, 2),
    )
    flat = Tensor("onnxReshape_20_tensor", "uint8", (1, pooled.size))
    view = Node("Reshape_7", "Reshape", (pooled,), (), flat, (), 0, tile=flat.shape[1])
    logits = Tensor("onnxGemm_22_tensor", "int32", (1, 10))
    weights = (
        Tensor("fc_weight_tensor", "int8", (10, flat.shape[1])),
        Tensor("fc_bias_tensor", "int32", (10,)),
    )
    gemm = Node(
        "Gemm_8", "Gemm", (flat,), weights, logits, ("A", "B", "C", "data_out"), 2 * weights[0].size, tile=5,
        columns=True,
    )  # fmt: skip
    softmax = Node(
        "iSoftmax_9", "iSoftmax", (logits,), (), Tensor("output_0", "uint8", (1, 10)), ("data_in", "data_out"), 400,
        tile=10, buffer=("lastDimBuffer", 40),
    )  # fmt: skip
    return first, depth, point, deep, back, added, pool, view, gemm, softmax


NETWORK = _network()
VIEWS = {node.output: node.inputs[0] for node in NETWORK if node.op_type == "Reshape"}
"""Reshaped tensor -> the tensor whose bytes it uses."""
INPUT = NETWORK[0].inputs[0]
OUTPUT = NETWORK[-1].output
CONSTANTS = tuple(constant for node in NETWORK for constant in node.constants)
TENSORS = (INPUT, *(node.output for node in NETWORK))
