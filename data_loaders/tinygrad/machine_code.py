"""Machine code of a tinygrad capture's programs: binaries with their format and architecture."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence

import pandas as pd

from data_loaders.tinygrad.capture import Capture
from data_loaders.tinygrad.columns import texts
from data_loaders.tinygrad.hardware import HOST, device_architecture
from data_loaders.tinygrad.machine.amd import is_amd
from data_loaders.tinygrad.machine.elf import ARM64, X86_64, elf_machine, is_bare
from data_loaders.tinygrad.programs import Program
from schema.diagnostics import Diagnostic, occurrences
from schema.frames import complete

MAX_BINARY_BYTES = 16 * 2**20
"""Largest binary that is stored, in bytes; kernels take some KiB."""
MAX_BYTES = 64 * 2**20
"""Maximum bytes of all binaries: a pickle may refer to the same binary a million times."""
_PTX = re.compile(rb"^\.version\s", re.MULTILINE)
_PTX_TARGET = re.compile(rb"^\.target\s+(\w{1,20})", re.MULTILINE)
_HEAD = 4096
_PICKLE = b"\x80\x04\x95"
"""First bytes of a pickle of protocol 4: PROTO, FRAME."""
_FRAME = len(_PICKLE) + 8
_SPELLED = {"x86_64": "x86-64", "amd64": "x86-64", "aarch64": "arm64"}
_TARGET = re.compile(r"[a-z0-9_-]{1,40}")
_MACHINES = {X86_64: "x86-64", ARM64: "arm64"}


def machine_code_frame(
    programs: Sequence[Program], capture: Capture
) -> tuple[pd.DataFrame, list[Diagnostic]]:
    """Build frame `machine_code`, a row per program with a binary: program (rank), kind,
    architecture, contents (base64).

    The columns of the disassembly are null. A finding counts binaries that are left out: over 16
    MiB, or over 64 MiB together.
    """
    room = MAX_BYTES
    left_out = 0
    rows: list[tuple[int, str, str, str]] = []
    for place, program in enumerate(programs):
        code = program.binary
        if not code:
            continue
        if len(code) > min(MAX_BINARY_BYTES, room):
            left_out += 1
            continue
        room -= len(code)
        kind = _kind(code, program, capture)
        rows.append(
            (
                place,
                kind,
                _architecture(program, code, kind, capture),
                base64.b64encode(code).decode("ascii"),
            )
        )
    names = ("program", "kind", "architecture", "contents")
    columns = (
        dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(names, ())
    )
    frame = complete("machine_code", columns | {"contents": texts(columns["contents"])})
    text = f"of machine code not stored: larger than {MAX_BINARY_BYTES >> 20} MiB, or above {MAX_BYTES >> 20} MiB in total"
    return frame, occurrences("warning", "machine_code_left_out", left_out, "binary", text)


def _kind(code: bytes, program: Program, capture: Capture) -> str:
    """Return the form of a binary: elf, operations, ptx, raw (an image for the CPU) or other."""
    # A file of tinygrad's own assembler does not name its machine: its device has to.
    if elf_machine(code) is not None or (is_bare(code) and is_amd(_target(program, capture))):
        return "elf"
    if _is_pickle(code):
        return "operations"
    if code[:_HEAD].isascii() and _PTX.search(code[:_HEAD]):
        return "ptx"
    # Up to 0.13 a binary for the CPU is an image without a header.
    return "raw" if program.device.partition(":")[0] in HOST else "other"


def _is_pickle(code: bytes) -> bool:
    """Whether the code is a pickle: for device PYTHON, tinygrad stores a list of operations.

    The length in the first frame must fit the code, which excludes machine code that begins with
    the same bytes.
    """
    length = int.from_bytes(code[len(_PICKLE) : _FRAME], "little")
    return code.startswith(_PICKLE) and code.endswith(b".") and 0 < length <= len(code) - _FRAME


def _architecture(program: Program, code: bytes, kind: str, capture: Capture) -> str:
    """Return the architecture in the binary's header, else the target, else the device, such as
    `x86-64`; "" if unknown.
    """
    machine = _MACHINES.get(elf_machine(code) or 0)
    if machine:
        return machine
    if kind == "ptx":
        named = _PTX_TARGET.search(code[:_HEAD])
        return named[1].decode("ascii") if named else ""
    if kind == "operations":
        return ""
    if kind == "elf":
        return _target(program, capture)
    return _named_target(program)


def _named_target(program: Program) -> str:
    """Return the target for which the compiler made the program, such as `gfx1100`.

    "" if none is named.
    """
    target = program.target.partition(",")[0]
    return _SPELLED.get(target, target) if _TARGET.fullmatch(target) else ""


def _target(program: Program, capture: Capture) -> str:
    """Return the compiler's target, else the architecture of the program's device.

    "" if both are unknown.
    """
    return _named_target(program) or device_architecture(program.device, capture)
