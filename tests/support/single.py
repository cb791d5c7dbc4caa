"""Inputs of every source with exactly one event, kernel, iteration, step, block and tile."""

import json
import pickle
from collections.abc import Mapping
from pathlib import Path

from samples.tinygrad_capture import START, colour_name
from samples.tinygrad_writer import Maker
from tests.support.deeploy_net import Net, Node, Placed
from tests.support.deeploy_run import write_run
from tests.support.gemm_trace import Core, entries
from tests.support.gemm_trace import settings as gemm
from tests.support.torch_snapshots import alloc, block, segment
from tests.support.torch_steps import step_entries
from tests.support.tpu_log import attempt, buffer, log

NET = Net(
    nodes=(Node("Gemm_0", "Gemm", ("input_0", "w0"), ("output_0",), ("A", "B", "data_out"), 1),),
    tensors={"input_0": ("int8", (1, 1)), "output_0": ("int8", (1, 1))},
    constants={"w0": ("int8", (1, 1))},
    views={},
    inputs=("input_0",),
    outputs=("output_0",),
    levels={
        "L2": Placed(64, (("w0", 1),), (("input_0", 0, 0, 0, 1), ("output_0", 0, 1, 1, 2))),
        "L1": Placed(8, (), (("input_0", 0, 0, 0, 1),)),
    },
    home="L2",
    name="one",
)
"""A network of one operator."""
_XLA = "module_0001.jit_one.cpu_after_optimizations"
_DESIGN = """module {
  aie.device(npu1_1col) {
    %core2 = aie.tile(0, 2)
    %b = aie.buffer(%core2) {address = 1024 : i32, mem_bank = 0 : i32, sym_name = "b"} : memref<1xi32>
    %l = aie.lock(%core2, 0) {init = 1 : i32, sym_name = "l"}
    %core_0_2 = aie.core(%core2) {
      aie.use_lock(%l, AcquireGreaterEqual, 1)
      aie.end
    } {link_with = "kernel.o", stack_size = 1024 : i32}
  }
}
"""


def _xla(folder: Path) -> None:
    texts = {
        "-buffer-assignment.txt": (
            "BufferAssignment:\nallocation 0: size 1, maybe-live-out:\n"
            " value: <10 x.1 @0> (size=1,offset=0): s8[1]\n"
        ),
        "-live-range.txt": (
            "HloLiveRange (max 1):\n  InstructionSequence:\n    0:x.1\n  BufferLiveRange:\n"
            "    x.1{}:0-1\n  Live ranges at 0 (peak):\n    x.1{}: 1 bytes (cumulative: 1 bytes)\n"
        ),
        ".txt": "HloModule jit_one, is_scheduled=true\n\nENTRY %main () -> (s8[1]) {\n"
        "  %x.1 = s8[1] constant(...)\n}\n",
    }
    for suffix, text in texts.items():
        (folder / f"{_XLA}{suffix}").write_text(text)


def _onnx(folder: Path) -> None:
    shared = {"pid": 1, "tid": 1, "ph": "X"}
    node = {
        "op_name": "Relu",
        "provider": "CPUExecutionProvider",
        "node_index": "0",
        "output_size": "1",
        "parameter_size": "0",
        "activation_size": "1",
        "input_type_shape": [{"float": [1]}],
        "output_type_shape": [{"float": [1]}],
    }
    spans = [
        {"cat": "Node", "name": "Relu_0_kernel_time", "ts": 10, "dur": 1, "args": node},
        {"cat": "Session", "name": "SequentialExecutor::Execute", "ts": 9, "dur": 3, "args": {}},
        {"cat": "Session", "name": "model_run", "ts": 8, "dur": 5, "args": {}},
    ]
    (folder / "onnxruntime_profile_one.json").write_text(json.dumps([shared | s for s in spans]))


def _tinygrad(folder: Path) -> None:
    maker = Maker("0.12").device("CPU")
    maker.alloc("CPU", 0, 1, START)
    maker.kernel(colour_name("E_1"), "E_1", {"ops": 1, "lds": 1, "mem": 1}, source="void E_1() {}")
    maker.marker("train @ 0", START + 1)
    maker.launch("CPU", 10, colour_name("E_1"), START + 5, buffers=(0,), roles=((0,), ()))
    maker.range("CPU", "E_1", START + 5, "1.000")
    maker.marker("end", START + 10)
    maker.free("CPU", 0, START + 11)
    (folder / "profile.pkl").write_bytes(maker.profile())
    (folder / "rewrites.pkl").write_bytes(maker.rewrites())


def _capture(folder: Path) -> dict[str, str]:
    core = Core("2,0").iteration(kernels=1, duration=1, gap=1)
    (folder / "trace.json").write_text(json.dumps(entries(core)))
    return gemm(1, kernels=1) | {"warmup": "0", "iterations": "1"}


def _write(folder: Path, name: str, content: str | bytes) -> None:
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def write_single(folder: Path) -> Mapping[str, tuple[Path, dict[str, str]]]:
    """Write an input of each source; map the source to its folder and the settings of its run."""
    made: dict[str, tuple[Path, dict[str, str]]] = {}
    names = ("aie", "aie_design", "tpu_mlir", "deeploy", "minimalloc", "xla", "tinygrad", "kineto")
    for name in (*names, "onnxruntime", "torch_snapshot"):
        made[name] = (folder / name, {})
        (folder / name).mkdir(parents=True)
    made["aie"] = (folder / "aie", _capture(folder / "aie"))
    _write(folder / "aie_design", "aie.mlir", _DESIGN)
    _write(folder / "tpu_mlir", "a.log", log(attempt([buffer("conv", 0, 1, 0, 0)])))
    write_run(folder / "deeploy" / "one", NET)
    _write(folder / "minimalloc", "p.1.csv", "id,lower,upper,size,offset\na,0,1,1,0\n")
    _xla(folder / "xla")
    _tinygrad(folder / "tinygrad")
    trace = {"traceEvents": step_entries([[("gemm", 1.0)]])}
    _write(folder / "kineto", "a.pt.trace.json", json.dumps(trace))
    _onnx(folder / "onnxruntime")
    snapshot = {"segments": [segment(block(1), total=1)], "device_traces": [[alloc(0, 1, 1)]]}
    _write(folder / "torch_snapshot", "snapshot.pickle", pickle.dumps(snapshot, 4))
    return made
