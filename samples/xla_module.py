"""A dump of XLA: buffer assignment, live ranges and text of a small module of two layers."""

from __future__ import annotations

from pathlib import Path

_STEM = "module_0003.jit_two_layers.cpu_after_optimizations"
_INSTRUCTIONS = (
    ("x.1", "f32[32,64]", "parameter"),
    ("w_0_.1", "f32[64,128]", "parameter"),
    ("w_1_.1", "f32[128,16]", "parameter"),
    ("dot.1", "f32[32,128]", "dot"),
    ("maximum_fusion", "f32[32,128]", "fusion"),
    ("transpose.1", "f32[16,128]", "transpose"),
    ("dot.2", "f32[32,16]", "dot"),
    ("tanh_fusion", "f32[32,16]", "fusion"),
    ("tuple.1", "(f32[32,16])", "tuple"),
)
_ALLOCATIONS = (
    ("size 32768, parameter 1, shape |f32[64,128]| at ShapeIndex {}", (("w_0_.1", 32768, 0),)),
    ("size 8192, parameter 0, shape |f32[32,64]| at ShapeIndex {}", (("x.1", 8192, 0),)),
    ("size 8192, parameter 2, shape |f32[128,16]| at ShapeIndex {}", (("w_1_.1", 8192, 0),)),
    ("size 2048, maybe-live-out", (("tanh_fusion", 2048, 0),)),
    ("size 8, output shape is |(f32[32,16])|, maybe-live-out", (("tuple.1{}", 8, 0),)),
    # A value inside a fusion has no live range.
    ("size 4, thread-local", (("add.3", 4, 0),)),
    (
        "size 26624, preallocated-temp",
        (
            ("dot.1", 16384, 0),
            ("maximum_fusion", 16384, 0),
            ("transpose.1", 8192, 16384),
            ("dot.2", 2048, 24576),
        ),
    ),
)
# Both ends are inclusive, and parameters end one step behind the last instruction.
_LIVES = {
    "x.1": (0, 9),
    "w_0_.1": (0, 9),
    "w_1_.1": (0, 9),
    "dot.1": (3, 4),
    "maximum_fusion": (4, 6),
    "transpose.1": (5, 6),
    "dot.2": (6, 7),
    "tanh_fusion": (7, 9),
    "tuple.1": (8, 9),
}
_USES = {
    "x.1": ("dot.1",),
    "w_0_.1": ("dot.1",),
    "dot.1": ("maximum_fusion",),
    "w_1_.1": ("transpose.1",),
    "transpose.1": ("dot.2",),
    "maximum_fusion": ("dot.2",),
    "dot.2": ("tanh_fusion",),
    "tanh_fusion": ("tuple.1",),
}
"""Value -> the instructions that have it as an operand."""
_PEAK = 4
"""Instruction with the most live bytes."""
_LINES = {"dot": 12, "fusion": 13, "transpose": 14}
"""Opcode -> its line in the Python program."""


def write_module(folder: Path) -> Path:
    """Write the dump of the module; return the path of its buffer assignment."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{_STEM}-live-range.txt").write_text(_live_ranges(), "utf-8")
    (folder / f"{_STEM}.txt").write_text(_module(), "utf-8")
    (folder / f"{_STEM}-buffer-assignment-values.txt").write_text(_values(), "utf-8")
    path = folder / f"{_STEM}-buffer-assignment.txt"
    path.write_text(_assignment(), "utf-8")
    return path


def _assignment() -> str:
    shapes = {name: shape for name, shape, _ in _INSTRUCTIONS} | {"add.3": "f32[]"}
    lines = ["BufferAssignment:"]
    number = 10
    for rank, (words, values) in enumerate(_ALLOCATIONS):
        lines.append(f"allocation {rank}: {words}:")
        for name, size, offset in values:
            shape = shapes[name.removesuffix("{}")]
            lines.append(f" value: <{number} {name} @0> (size={size},offset={offset}): {shape}")
            number += 1
    return "\n".join([*lines, ""])


def _values() -> str:
    """Return the list of values: the place of each, and the instructions that use it."""
    operands = {
        user: [value for value, users in _USES.items() if user in users]
        for user in sum(_USES.values(), ())
    }
    total = sum(int(words.split()[1].rstrip(",")) for words, _ in _ALLOCATIONS)
    lines = ["", f"Total bytes used: {total} ({total / 1024:.1f}KiB)", "", "Used values:"]
    named = [name for _, values in _ALLOCATIONS for name, _, _ in values]
    for number, name in enumerate(named, start=10):
        instruction = name.removesuffix("{}")
        lines += [f"<{number} {name} @0>", " positions:", f"  {instruction}", " uses:"]
        users = [f"  {user}, operand {operands[user].index(name)}" for user in _USES.get(name, ())]
        lines += [*(users or ["  (none)"]), f" from instruction: %{instruction}"]
    return "\n".join([*lines, ""])


def _live_ranges() -> str:
    sizes = {
        name.removesuffix("{}"): size for _, values in _ALLOCATIONS for name, size, _ in values
    }
    lines = [f"HloLiveRange (max {len(_INSTRUCTIONS)}):", "  InstructionSequence:"]
    lines += [f"    {rank}:{name}" for rank, (name, _, _) in enumerate(_INSTRUCTIONS)]
    lines += [
        "  BufferLiveRange:",
        *(f"    {name}{{}}:{first}-{last}" for name, (first, last) in _LIVES.items()),
    ]
    lines.append(f"  Live ranges at {_PEAK} (peak):")
    total = 0
    for name, (first, last) in _LIVES.items():
        if first <= _PEAK <= last:
            total += sizes[name]
            lines.append(f"    {name}{{}}: {sizes[name]} bytes (cumulative: {total} bytes)")
    return "\n".join([*lines, ""])


def _module() -> str:
    """Return the text of the module.

    Instructions refer to their line of the Python program by a number of its stack frames.
    """
    numbers = {opcode: rank for rank, opcode in enumerate(_LINES, start=1)}
    lines = ["HloModule jit_two_layers, is_scheduled=true", ""]
    lines += [
        "FileNames",
        '1 "/home/user/two_layers.py"',
        "",
        "FunctionNames",
        '1 "two_layers"',
        "",
        "FileLocations",
    ]
    for opcode, line in _LINES.items():
        place = (
            f"file_name_id=1 function_name_id=1 line={line} end_line={line} column=8 end_column=30"
        )
        lines.append(f"{numbers[opcode]} {{{place}}}")
    lines += ["", "StackFrames"]
    lines += [
        f"{rank} {{file_location_id={rank} parent_frame_id={rank}}}" for rank in numbers.values()
    ]
    lines += ["", "ENTRY %main () -> (f32[32,16]) {"]
    for name, shape, opcode in _INSTRUCTIONS:
        frame = f" stack_frame_id={numbers[opcode]}" if opcode in numbers else ""
        lines.append(
            f'  %{name} = {shape} {opcode}(...), metadata={{op_name="jit(two_layers)/{opcode}"{frame}}}'
        )
    return "\n".join([*lines, "}", ""])
