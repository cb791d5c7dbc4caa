"""Small TPU-MLIR compiles, written as its LayerGroup pass writes them: a log and its companion
files.

`buffer(...)` is a block, `attempt(blocks)` the lines from `lmem_spec` to the finish line,
`log(attempts)` a file. `SMALL` is a log of two layer groups: a first attempt that fails, a second
that succeeds, and the final pass.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict, Unpack

BACKSPACE = "\b"
SPECS = {
    "bm1684x": (64, 64, 262144, 16, 16384),
    "bm1688": (16, 32, 131072, 16, 8192),
    "cv184x": (16, 8, 65536, 16, 4096),
}


@dataclass(frozen=True)
class Buffer:
    """A block as the compiler prints it: steps inclusive, `address` None if it failed."""

    name: str
    address: int | None
    size: int
    start: int
    end: int
    kind: str = "ACTIVATION"
    op_type: str = "tpu.Conv2D"
    hold: int = 0


class More(TypedDict, total=False):
    """Further fields of a block."""

    kind: str
    op_type: str
    hold: int


Step = tuple[int, str, str, str, int]
"""Row of a cycle table: step, lane, op_type, name, cycles."""


@dataclass(frozen=True)
class Setting:
    """The settings of an attempt."""

    secs: str = "1,1,1,1,1"
    conflict: int = 0

    @property
    def one_loop(self) -> int:
        return int(self.secs == "1,1,1,1,1")


def buffer(
    name: str,
    address: int | None,
    size: int = 64,
    start: int = 0,
    end: int = 1,
    **more: Unpack[More],
) -> Buffer:
    """Build a block; it is a weight if its name ends with `.weight` or `.bias`."""
    kind: More = (
        {"kind": "WEIGHT", "op_type": "top.Weight"} if name.endswith((".weight", ".bias")) else {}
    )
    return Buffer(name, address, size, start, end, **(kind | more))


def head(action: str = "lmem_assign", location: str = "") -> str:
    """Write the beginning of a line; `location` as with show_function_location."""
    return f"; action = {action}; debug_range = given{location}"


def spec(chip: str = "bm1684x", location: str = "") -> str:
    """Write an lmem_spec line."""
    names = ("eu_bytes", "npu_num", "bytes", "banks", "bank_bytes")
    numbers = "; ".join(
        f"lmem_{name} = {value}" for name, value in zip(names, SPECS[chip], strict=True)
    )
    return f'{head(location=location)}; step = lmem_spec; tag = stamp; remark = "show local memory spec"; {numbers}'


def result(block: Buffer, setting: Setting = Setting(), location: str = "") -> str:
    """Write an iteration_result line."""
    placed = block.address is not None
    remark = (
        "allocate available address for membuf"
        if placed
        else "early return since appear mem buffer can't find"
    )
    address = f"0x{block.address:08x}" if placed else "-1"
    mode = "TIMESTEP_LOAD" if block.kind == "WEIGHT" else "TIMESTEP_LDST_UNKNOWN"
    return (
        f'{head(location=location)}; step = dump_lmem_assign_result; tag = iteration_result; remark = "{remark}"'
        f"; status = {'success' if placed else 'failed'}; lmem_type = LMEM_{block.kind}; op_type = {block.op_type}"
        f"; op_name = {block.name}; addr = {address}; size = {block.size}; timestep_start = {block.start}"
        f"; timestep_end = {block.end}; timestep_mode = {mode}; hold_in_lmem = {block.hold}"
        f"; allow_bank_conflict = {setting.conflict}; one_loop = {setting.one_loop}; shape_secs = {setting.secs}"
    )


def finish(blocks: Sequence[Buffer], location: str = "") -> str:
    """Write the finish line of an attempt."""
    used = max(
        (block.address + block.size for block in blocks if block.address is not None), default=0
    )
    failed = sum(block.address is None for block in blocks)
    begin = f"{head(location=location)}; step = assignLmemAddr_finish; tag = "
    if failed:
        return f'{begin}failed; remark = "not all"; membuf_allocate_failed = {failed}; lmem_already_used = {used}%'
    return f'{begin}success; remark = "all"; total_lmem_used = {used}; utilization = {used / 2621.44:e}%'


def noise(block: Buffer) -> str:
    """Write a line of the kind that makes up most of a log and has no information for the loader."""
    return (
        f'{head()}; step = get_candidate_allocation; tag = intermediate_result; remark = "just intermediate"'
        f"; op_type = LMEM_{block.kind}; op_name = {block.name}; is_first_alloc = 0"
        f"; timestep = {block.start}->{block.end}; area = 896; idx = 3; addr = 0x004000"
        f"; size = {block.size}; banks = 1,2,3"
    )


def attempt(
    blocks: Sequence[Buffer],
    setting: Setting = Setting(),
    chip: str = "bm1684x",
    location: str = "",
    *,
    filtered: bool = True,
) -> list[str]:
    """Write the lines of an attempt; lines of noise are between them unless `filtered`."""
    between = [] if filtered else [noise(block) for block in blocks]
    results = [result(block, setting, location) for block in blocks]
    return [spec(chip, location), *between, *results, finish(blocks, location)]


def log(*attempts: Iterable[str], end: str = "\n") -> str:
    """Write the text of a log; its first line begins with a progress bar."""
    lines = [line for lines in attempts for line in lines]
    return f"[          ] 0%{BACKSPACE * 3}#####] 16%" + end.join(lines) + end


def cycles(table: Iterable[Step], secs: str = "1,1,1,1,1") -> list[str]:
    """Write the lines of a timestep_with_cycle table."""
    lines = [
        f'; step = timestep_with_cycle; tag = result; remark = "{lane} cycle"; action = timestep_with_cycle'
        f"; timestep = {step}; timestep_type = {lane}; op = {op_type}; tensor_name = {name}"
        + (f"; concerning_op = tpu.Conv2D; concerning_op_name = {name}" if lane == "gdma" else "")
        + f"; cycle = {cost}; shape_secs = {secs}"
        for step, lane, op_type, name, cost in table
    ]
    return [head("timestep_with_cycle") + lines[0], *lines[1:]]


def slack(table: Sequence[Step]) -> list[str]:
    """Write the lines of a cycle_slack table and of the slack of its steps."""
    costs = [
        f'{head("cycle_slack")}; step = timestep_cycle; tag = result; remark = "{lane} cycle"; action = timestep_cycle'
        f"; timestep = {step}; timestep_type = {lane}; tensor_name = {name}; cycle = {cost}; buffer_size = 448"
        for step, lane, _, name, cost in table
    ]
    left = {step: 0 for step, *_ in table}
    for step, lane, *_, cost in table:
        left[step] += cost if lane == "layer" else -cost
    told = [
        '; step = timestep_cycle_slack; tag = result; remark = "slack"; action = timestep_cycle_slack'
        f"; timestep = {step}; cycle_slack = {value}"
        for step, value in left.items()
    ]
    return [*costs, head("cycle_slack") + told[0], *told[1:]]


STEM = [
    buffer("conv1.weight", 0, 512, 2, 0),
    buffer("conv1.bias", 512, 8, 2, 0, hold=1),
    buffer("input", 16384, 4096, 2, 0, op_type="top.Input"),
    buffer("conv1", 20480, 12288, 0, 1),
    buffer("pool", 32768, 2048, 1, 2, op_type="tpu.Pool2D"),
]
HEAD = [
    buffer("fc.weight", 0, 1024, 1, 0),
    buffer("pool", 16384, 2048, 1, 0, op_type="tpu.Pool2D"),
    buffer("fc", 32768, 40, 0, 1, op_type="tpu.MatMul"),
    buffer("pool", 32768 + 64, 704, 0, 0, kind="OPERATION", op_type="tpu.MatMul"),
]
SLICED = Setting("2,1,1,4,1")
TRIED = [*STEM[:3], replace(STEM[3], address=None, size=300000), replace(STEM[4], address=None)]
TABLE = [
    (0, "gdma", "tpu.Store", "pool", 300),
    (0, "layer", "tpu.Conv2D", "conv1", 900),
    (1, "gdma", "tpu.Load", "conv1.bias", 40),
    (1, "gdma", "tpu.Load", "input", 500),
    (1, "layer", "tpu.Pool2D", "pool", 200),
    (2, "gdma", "tpu.Load", "conv1.weight", 100),
]
ATTEMPTS = (
    attempt(TRIED),
    [*cycles(TABLE, SLICED.secs), *attempt(STEM, SLICED)],
    attempt(HEAD),
    attempt(STEM, SLICED),
    attempt(HEAD),
)
SMALL = log(*ATTEMPTS)


def group_cache(groups: Iterable[Iterable[str]] = (("conv1", "pool"), ("fc",))) -> str:
    """Write the text of a layer_group_cache.json."""
    layers = [
        {"index": rank, "locs": list(locs), "shape_secs": [1] * 5}
        for rank, locs in enumerate(groups)
    ]
    return json.dumps(
        {"opt": 2, "subfunc_0": {"subfunc idx": 0, "GroupLayer": layers, "GlobalLayer": []}},
        indent=2,
    )


def bmodel(layers: Mapping[int, tuple[str, str]]) -> str:
    """Write the text of a bmodel.json; `layers` maps a line to (opcode, name of the result)."""
    return json.dumps(
        [
            {
                "file-line": line,
                "opcode": opcode,
                "operands": [{}],
                "results": [{"name": name}],
                "buffers": [],
            }
            for line, (opcode, name) in layers.items()
        ]
    )


def cell(layer: str, command: str, start: int, cycles_: int, direction: int | None = None) -> str:
    """Write a command of a compiler profile."""
    more = "" if direction is None else f"|dr:{direction}|sz:4096|bw:15.06"
    return f"{layer}|{command}|s:{start}|b:1|g:3|e:{start + cycles_ - 1}|t:{cycles_}{more}"


def profile(
    rows: Iterable[Iterable[str]],
    engines: Iterable[str] = ("BD", "GDMA"),
    total: int = 9773,
    runtime: float = 0.009773,
    width: int = 60,
) -> str:
    """Write the text of a compiler profile: a row has a cell per engine, empty if the engine is
    idle.
    """
    rule = "-" * 38
    lines = ["".join(f"{text:<{width}}" for text in row) for row in rows]
    header = "".join(f"{'ENGINE_' + name:<{width}}" for name in engines)
    footer = [
        rule,
        f"API_END total_cycle:{total}|b:148|g:20",
        f"flops: 9180648, runtime: {runtime:f}ms, Ability: 0.9T",
    ]
    return "\n".join([rule, "s: start time, b: bd_id", rule, header, *lines, *footer, ""])


PROFILE = profile(
    [
        ["", cell("Load_14", "GDMA_TENSOR", 0, 960, 0)],
        [cell("Conv2D_15", "CONV", 960, 6272), cell("Load_14", "GDMA_TENSOR", 960, 415, 0)],
        [cell("Conv2D_15", "AR", 7232, 2000), ""],
        ["|BD_SEND_MSG|s:9232|b:1|g:0|e:-1|t:0", cell("MatMul_19", "GDMA_MATRIX", 9300, 473, 1)],
    ]
)
"""A profile of the module below: two engines of one core."""
LAYERS = {
    14: ("tpu.Load", "load_conv1.weight"),
    15: ("tpu.Conv2D", "conv1"),
    19: ("tpu.MatMul", "fc"),
}
"""Operators of the module below by line, as its bmodel.json has them."""
MODULE = """#loc = loc(unknown)
#loc1 = loc("input")
module @tiny attributes {module.FLOPs = 9 : i64, module.chip = "bm1684x", module.state = "TPU_ADDRESSED"} {
  module @tiny attributes {module.coeff_addr = 4096 : i64, module.coeff_size = 8192 : i64, \
module.neuron_addr = 1000000 : i64, module.neuron_size = 65536 : i64} {
    func.func @main(%arg0: tensor<1x3x8x8xf32> loc(unknown)) -> tensor<1x10xf32, 9000000 : i64> {
      %0 = "top.Input"(%arg0) {name = "x"} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32, 8000000 : i64> loc(#loc1)
      %1 = call @subfunc_0(%0) : (tensor<1x3x8x8xf32, 8000000 : i64>) -> tensor<1x10xf32, 9000000 : i64> loc(#loc)
      return %1 : tensor<1x10xf32, 9000000 : i64> loc(#loc)
    } loc(#loc)
    func.func @subfunc_0(%arg0: tensor<1x3x8x8xf32, 8000000 : i64> loc("input")) -> tensor<1x10xf32, 9000000 : i64> {
      %0 = "top.None"() : () -> none loc(#loc)
      %1 = "top.Weight"() {path = "w"} : () -> tensor<16x3x3x3xf16, 4096 : i64> loc(#loc2)
      %2:2 = "tpu.Group"(%arg0) ({
        %8 = "tpu.Load"(%1) {id = 0 : i64} : (tensor<16x3x3x3xf16, 4096 : i64>) -> tensor<16x3x3x3xf16> loc(#loc6)
        %9 = "tpu.Conv2D"(%arg0, %8) {do_relu = true} : (tensor<1x3x8x8xf32>) -> tensor<1x16x8x8xf16> loc(#loc3)
        "tpu.Yield"(%9) : (tensor<1x16x8x8xf16>) -> () loc(#loc3)
      }) {nsecs = 1 : i64} : (tensor<1x3x8x8xf32, 8000000 : i64>) -> (tensor<1x16x8x8xf16, 1000000 : i64>, \
tensor<1x16x4x4x!quant.uniform<i8:f32, 0.5>, 1002048 : i64>) loc(#loc9)
      %3 = "tpu.Reshape"(%2#0) {shape = [1, 1024]} : (tensor<1x16x8x8xf16, 1000000 : i64>) -> \
tensor<1x1024xf16, 1000000 : i64> loc(#loc4)
      %4 = "tpu.MatMul"(%3, %2#1) {do_relu = false} : (tensor<1x1024xf16, 1000000 : i64>) -> \
tensor<1x10xf32, 9000000 : i64> loc(#loc5)
      return %4 : tensor<1x10xf32, 9000000 : i64> loc(#loc)
    } loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc2 = loc("conv1.weight")
#loc3 = loc("conv1")
#loc4 = loc("caf\\C3\\A9 \\"flat\\"")
#loc5 = loc("fc")
#loc6 = loc("load_conv1.weight")
#loc7 = loc("pool")
#loc9 = loc(fused[#loc3, #loc7])
"""
"""A module of three steps: two tensors of a group, one reshaped in place; input and output are in
separate memories.
"""
