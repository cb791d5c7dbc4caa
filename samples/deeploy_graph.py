"""The graph of the sample network of Deeploy as an ONNX file."""

from __future__ import annotations

from onnx import TensorProto, ValueInfoProto, helper

from samples.deeploy_files import GRAPH, TOOL
from samples.deeploy_network import CONSTANTS, INPUT, NETWORK, OUTPUT, TENSORS, Tensor

_ELEMENTS = {"int8": TensorProto.INT8, "uint8": TensorProto.UINT8, "int32": TensorProto.INT32}
# Fixed, because the defaults of onnx change with its releases, and the sample with them.
_IR_VERSION, _OPSET = 8, 13


def graph() -> bytes:
    """Return the bytes of the file: operators in execution order, weights without values.

    The weights refer to a file that is not written.
    """
    nodes = [
        helper.make_node(
            node.op_type,
            [tensor.name for tensor in (*node.inputs, *node.constants)],
            [node.output.name],
            name=node.name,
            **node.attributes,
        )
        for node in NETWORK
    ]
    inner = [_value_info(tensor) for tensor in TENSORS if tensor not in (INPUT, OUTPUT)]
    weights = [_weight(constant) for constant in CONSTANTS]
    network = helper.make_graph(
        nodes, "gull", [_value_info(INPUT)], [_value_info(OUTPUT)], weights, value_info=inner
    )
    model = helper.make_model(
        network,
        producer_name="samples",
        ir_version=_IR_VERSION,
        opset_imports=[helper.make_opsetid("", _OPSET)],
    )
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def _value_info(tensor: Tensor) -> ValueInfoProto:
    value = helper.make_tensor_value_info(tensor.name, _ELEMENTS[tensor.dtype], tensor.shape)
    kind = f"{tensor.dtype}_t"
    value.doc_string = (
        f"Biased: False, nLevels: 256, {TOOL}: True, Type: {kind}*, Reference Type: {kind}"
    )
    return value


def _weight(tensor: Tensor) -> TensorProto:
    kind = _ELEMENTS[tensor.dtype]
    weight = TensorProto(
        name=tensor.name, data_type=kind, dims=tensor.shape, data_location=TensorProto.EXTERNAL
    )
    weight.external_data.add(key="location", value=f"{GRAPH.name}.data")
    return weight
