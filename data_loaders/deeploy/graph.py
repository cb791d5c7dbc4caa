"""Read the ONNX graph that Deeploy exports with a memory map: steps, tensors, and their uses.

The nodes are in the order of the schedule. A tensor's type is in its `doc_string` (`Type:
int8_t*`), since the export's own element types are those of the float network. Weights in external
files are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import pandas as pd

from data_loaders.protocol import LoadError
from schema.command import FULL
from schema.memory import MAX_BYTES

if TYPE_CHECKING:
    import onnx

MAX_GRAPH_BYTES = 64 * 1024**2
"""Largest ONNX file in bytes that is read."""

_DTYPE = re.compile(r"\bType: (\w{1,40}?)(?:_t)?\*")
_BITS = re.compile(r"[0-9]+")
_VIEWS = {"Reshape", "Flatten", "Squeeze", "Unsqueeze"}
"""Operators that Deeploy implements by passing the input's pointer on."""
_BEGIN = 0x08
"""First byte of an ONNX file: the tag of its field ir_version."""


@dataclass(frozen=True)
class Graph:
    """Facts from the graph of a run, in the order of the schedule.

    `steps`: name, op_type. `tensors`: by name dtype, shape, tensor_bytes, role, constant, op_type
    of its producer. `uses`: step, name, access (r, w or rw). `views`: output of an operator that
    only changes the shape -> its input. `attributes` of the steps: kernel, strides, pads (text,
    null), groups (Int64), transposed_a, transposed_b (boolean).
    """

    steps: pd.DataFrame
    tensors: pd.DataFrame
    uses: pd.DataFrame
    views: Mapping[str, str]
    attributes: pd.DataFrame


def is_graph(head: bytes) -> bool:
    """Whether the bytes begin with the tag of an ONNX file and contain `Deeploy`."""
    return head[:1] == bytes([_BEGIN]) and b"Deeploy" in head


def read_graph(content: bytes, file: str) -> Graph:
    """Parse an ONNX file called `file`.

    Raises LoadError if it is larger than 64 MiB, not readable or has no node, or if onnx is not
    installed.
    """
    try:
        import onnx  # noqa: PLC0415 - slow to import, and captures of other sources have no graph
    except ImportError as error:
        raise LoadError(
            f"{file}: reading a graph needs onnx, which is not installed (install {FULL})"
        ) from error
    if len(content) > MAX_GRAPH_BYTES:
        raise LoadError(f"{file}: the graph is larger than the limit of {MAX_GRAPH_BYTES} bytes")
    try:
        graph = onnx.load_model_from_string(content).graph
    except Exception as error:  # protobuf's own exceptions differ between its implementations
        raise LoadError(f"{file}: not a readable ONNX graph ({type(error).__name__})") from error
    if not graph.node:
        raise LoadError(f"{file}: the ONNX graph has no node")
    if any(
        isinstance(text, bytes) for text in _texts(graph)
    ):  # protobuf leaves text that is not UTF-8 as bytes
        raise LoadError(f"{file}: the ONNX graph has a name or description that is not UTF-8")
    steps = pd.DataFrame(
        {"name": [n.name for n in graph.node], "op_type": [n.op_type for n in graph.node]},
        dtype="str",
    )
    return Graph(steps, _tensors(graph), _uses(graph.node), _views(graph), _attributes(graph.node))


def _texts(graph: onnx.GraphProto) -> Iterator[str | bytes]:
    """Yield all names and descriptions of a graph that are used: bytes if they are not UTF-8."""
    for node in graph.node:
        yield from (node.name, node.op_type, *node.input, *node.output)
        yield from (attribute.name for attribute in node.attribute)
    for described in (graph.input, graph.output, graph.value_info, graph.initializer):
        for value in described:
            yield from (value.name, value.doc_string)


def _tensors(graph: onnx.GraphProto) -> pd.DataFrame:
    """Build columns dtype, shape, tensor_bytes, role, constant and op_type.

    A row per tensor, indexed by name. The first description of a name wins. `role` is input, output
    or null; `op_type` is that of the producer, null without one; a shape is a text such as
    `1x3x32`.
    """
    producer = {name: node.op_type for node in graph.node for name in node.output if name}
    roles = {value.name: "output" for value in graph.output} | {
        value.name: "input" for value in graph.input
    }
    constants = {value.name for value in graph.initializer}
    rows: dict[str, tuple[object, ...]] = {}
    for name, dtype, shape in _described_tensors(graph):
        # ONNX allows constants among the inputs of a graph; they are no inputs of the network.
        role = None if name in constants else roles.get(name)
        size = tensor_bytes(dtype, shape)
        rows.setdefault(
            name, (dtype, shape_text(shape), size, role, name in constants, producer.get(name))
        )
    columns = ["dtype", "shape", "tensor_bytes", "role", "constant", "op_type"]
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    types = {
        "dtype": "str",
        "shape": "str",
        "tensor_bytes": "Int64",
        "role": "str",
        "constant": "bool",
        "op_type": "str",
    }
    return frame.astype(types).rename_axis("name")


def _described_tensors(graph: onnx.GraphProto) -> Iterator[tuple[str, str, list[int]]]:
    """Yield (name, dtype, shape) of every input, output, intermediate and constant that the graph
    describes.

    An unknown dimension is -1, an unknown dtype "".
    """
    for value in [*graph.input, *graph.output, *graph.value_info]:
        tensor = value.type.tensor_type
        shape = [d.dim_value if d.HasField("dim_value") else -1 for d in tensor.shape.dim]
        yield value.name, _dtype(value.doc_string, tensor.elem_type), shape
    for constant in graph.initializer:
        yield constant.name, _dtype(constant.doc_string, constant.data_type), list(constant.dims)


def _dtype(doc: str, element: int) -> str:
    """Return the element type such as `int8` or `float32`, from Deeploy's description `doc` or else
    ONNX's code `element`.

    Returns "" if unknown.
    """
    import onnx  # noqa: PLC0415

    match = _DTYPE.search(doc)
    if match:
        return match.group(1)
    try:
        return str(onnx.helper.tensor_dtype_to_np_dtype(element))
    except (KeyError, ValueError, TypeError):
        return ""


def shape_text(shape: Iterable[int]) -> str:
    """Format a shape as `1x3x32x32`, with `?` for unknown (negative) dimensions; "" for a scalar."""
    return "x".join("?" if size < 0 else str(size) for size in shape)


def tensor_bytes(dtype: str, shape: list[int]) -> int | None:
    """Compute the size of a tensor in bytes, rounded up.

    `None` if a dimension is unknown (negative), the type has no number of bits, or the size is
    2**62 or more.
    """
    bits = _BITS.search(dtype)
    if not bits or any(size < 0 for size in shape):
        return None
    size = (prod(shape) * int(bits.group()) + 7) // 8
    return size if size < MAX_BYTES else None


def _uses(nodes: Iterable[onnx.NodeProto]) -> pd.DataFrame:
    """Build columns step (from 0), name and access (r, w or rw).

    A row per step and tensor, in the order of the steps.
    """
    rows = [
        (step, name, access)
        for step, node in enumerate(nodes)
        for name, access in _accesses(node).items()
    ]
    frame = pd.DataFrame(rows, columns=["step", "name", "access"])
    return frame.astype({"step": "int64", "name": "str", "access": "str"})


def _accesses(node: onnx.NodeProto) -> dict[str, str]:
    """Map each tensor that a node reads, writes or both to `r`, `w` or `rw`.

    Unnamed operands are left out.
    """
    read = dict.fromkeys(node.input, "r")
    written = set(node.output)
    both = {name: "rw" if name in written else access for name, access in read.items()}
    return {
        name: access for name, access in {**dict.fromkeys(node.output, "w"), **both}.items() if name
    }


_LISTED = {"kernel": "kernel_shape", "strides": "strides", "pads": "pads"}
_NUMBERS = {"groups": "group", "transposed_a": "transA", "transposed_b": "transB"}
_MAX_NUMBER = 2**31


def _attributes(nodes: Iterable[onnx.NodeProto]) -> pd.DataFrame:
    """Build columns kernel, strides, pads (`3x3`), groups, transposed_a and transposed_b.

    A row per step. Null if a node lacks the attribute.
    """
    rows = [{attribute.name: attribute for attribute in node.attribute} for node in nodes]
    columns: dict[str, list[object]] = {}
    for column, name in _LISTED.items():
        columns[column] = [_sizes(row.get(name)) for row in rows]
    for column, name in _NUMBERS.items():
        columns[column] = [_number(row.get(name)) for row in rows]
    types = dict.fromkeys(_LISTED, "str") | {
        "groups": "Int64",
        "transposed_a": "boolean",
        "transposed_b": "boolean",
    }
    booleans = {
        column: [None if v is None else bool(v) for v in columns[column]]
        for column in types
        if types[column] == "boolean"
    }
    return pd.DataFrame(columns | booleans).astype(types)


def _sizes(attribute: onnx.AttributeProto | None) -> str | None:
    """Format a list of sizes as `3x3`.

    Returns `None` without the attribute, or if it has more than 8 values, a negative value or one
    of 2**31 or more.
    """
    sizes = list(attribute.ints) if attribute is not None else []
    fits = sizes and len(sizes) <= 8 and all(0 <= size < _MAX_NUMBER for size in sizes)
    return shape_text(sizes) if fits else None


def _number(attribute: onnx.AttributeProto | None) -> int | None:
    """Return an attribute's whole number, which some exporters write as a float.

    Returns `None` without the attribute, or if the number is negative or at least 2**31.
    """
    import onnx  # noqa: PLC0415

    if attribute is None:
        return None
    value = attribute.f if attribute.type == onnx.AttributeProto.FLOAT else attribute.i
    return int(value) if 0 <= value < _MAX_NUMBER else None


def _views(graph: onnx.GraphProto) -> dict[str, str]:
    """Map the output of each node that only changes the shape (Reshape, Flatten, Squeeze,
    Unsqueeze) to its input; constant inputs are left out.
    """
    constants = {value.name for value in graph.initializer}
    nodes = [node for node in graph.node if node.op_type in _VIEWS and node.input and node.output]
    return {node.output[0]: node.input[0] for node in nodes if node.input[0] not in constants}
