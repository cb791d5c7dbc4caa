"""What a run of Deeploy leaves in its folder: plot, graph, code and log."""

from __future__ import annotations

from pathlib import Path

from onnx import TensorProto, ValueInfoProto, helper

from samples.deeploy_code import code, header
from samples.deeploy_network import CAPACITY, CONSTANTS, HOME, INPUT, NETWORK, OUTPUT, TENSORS, Tensor
from samples.deeploy_page import page
from samples.deeploy_plan import PlannedBuffer, Strategy, arena, plan
from samples.deeploy_profile import tile_profile

_TOOL = "Deeploy"
_SAYS = f"[{_TOOL}]"
_RULE = f"{_SAYS} {'=' * 80}"
_ELEMENTS = {"int8": TensorProto.INT8, "uint8": TensorProto.UINT8, "int32": TensorProto.INT32}
_IR_VERSION, _OPSET = 8, 13


def write_run(folder: Path, strategy: Strategy = "MiniMalloc") -> Path:
    """Write the run's files into its folder; return the path of the plot, which names it."""
    blocks = plan(strategy)
    states = folder / "deeployStates"
    states.mkdir(parents=True, exist_ok=True)
    for name, text in {
        "Network.c": code(blocks),
        "Network.h": header(blocks),
        "run.log": log(blocks, folder.name, strategy),
    }.items():
        (folder / name).write_text(text, "utf-8", newline="")
    (states / "memory_alloc.html").write_text(page(blocks, _TOOL), "utf-8", newline="")
    (states / "backend_post_parsing.onnx").write_bytes(graph())
    return states / "memory_alloc.html"


def graph() -> bytes:
    """Return backend_post_parsing.onnx: operators in the order of the schedule, weights in a file that is not there."""
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
    made = helper.make_graph(nodes, "gull", [_value_info(INPUT)], [_value_info(OUTPUT)], weights, value_info=inner)
    opsets = [helper.make_opsetid("", _OPSET)]
    model = helper.make_model(made, producer_name="samples", ir_version=_IR_VERSION, opset_imports=opsets)
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def _value_info(tensor: Tensor) -> ValueInfoProto:
    value = helper.make_tensor_value_info(tensor.name, _ELEMENTS[tensor.dtype], tensor.shape)
    kind = f"{tensor.dtype}_t"
    value.doc_string = f"Biased: False, nLevels: 256, {_TOOL}: True, Type: {kind}*, Reference Type: {kind}"
    return value


def _weight(tensor: Tensor) -> TensorProto:
    kind = _ELEMENTS[tensor.dtype]
    weight = TensorProto(name=tensor.name, data_type=kind, dims=tensor.shape, data_location=TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value="backend_post_parsing.onnx.data")
    return weight


def log(blocks: dict[str, list[PlannedBuffer]], run: str, strategy: Strategy) -> str:
    """Return run.log, as the tool prints it with -v."""
    lines = [
        f"python testMVP.py -t Tests/gull -p Siracusa --defaultMemLevel={HOME} --l1={CAPACITY['L1']} -v"
        f" --memAllocStrategy={strategy} --plotMemAlloc",
        *(_RULE, f"{_SAYS} {_TOOL} FrontEnd", _RULE),
        f"{_SAYS}  ✔ Parsed network with {len(NETWORK)} layers after 1 iterations in 8.073 ms",
        *(_RULE, f"{_SAYS} {_TOOL} MidEnd", _RULE),
        f"{_SAYS}  ✔ Memory allocation successful!",
        f"{_SAYS}  > Export Memory Allocation Visualization to out/{run}/deeployStates",
    ]
    for node in NETWORK:
        lines += [f"{_SAYS} Layer '{node.name}'", f"{_SAYS}   Number of Operations        : {node.operations}"]
    lines += [f"{_SAYS} ", f"{_SAYS} Memory Usage Report:"]
    lines += [f"{_SAYS}   Level          Capacity (bytes)      Total (    Static + Dynamic   ) (Usage )"]
    lines += [_usage(level, arena(own)) for level, own in blocks.items()]
    return "\n".join([*lines, *tile_profile(), ""])


def _usage(level: str, dynamic: int) -> str:
    static = sum(constant.size for constant in CONSTANTS) if level == HOME else 0
    total, capacity = static + dynamic, CAPACITY[level]
    parts = f"{total:>10,} ({static:>10,} + {dynamic:>10,}) ({100 * total / capacity:5.1f}%)"
    return f"{_SAYS}   {level:<10}{capacity:>22,} {parts}"
