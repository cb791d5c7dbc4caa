"""Decode instructions of AMD GPUs with package tinygrad, and read kernel descriptors."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, NamedTuple

from data_loaders.tinygrad.machine.instruction import (
    BRANCH,
    END,
    JUMP,
    NEXT,
    DecodedInstructions,
    Instruction,
)
from schema.command import FULL
from schema.plurals import plural

NOT_INSTALLED = f"the decoder of AMD code, tinygrad 0.14, is not installed: install {FULL}"
_FAMILIES = (("gfx11", "rdna3"), ("gfx120", "rdna4"), ("gfx94", "cdna"), ("gfx950", "cdna"))
"""Prefix of architectures and name of the decoder's table.

The tables are those of RDNA 3.5, RDNA 4 and CDNA 4.
"""
_MAX_INSTRUCTION_BYTES = 16
"""Longest instruction, in bytes."""
_WORD = 4
"""Size of an instruction word and unit of branch offsets, in bytes."""
_NO_OPERANDS = ("encoding", "op", "opx", "opy", "literal")
"""Fields of an instruction that are not operands."""
_SIGNED = ("GLOBAL", "SCRATCH", "SMEM")
"""Instruction formats with an offset that may be negative."""
_LITERAL = 255
"""Number of a source operand that denotes the literal constant after the instruction."""
_DESCRIPTOR = struct.Struct("<II40xI")
"""LDS bytes, scratch bytes and packed register counts; the fields between them are skipped."""


class Resources(NamedTuple):
    """Resources of a compute unit that a kernel needs.

    A number is `None` if the descriptor does not contain it.
    """

    vector_registers: int | None = None
    scalar_registers: int | None = None
    lds_bytes: int | None = None
    scratch_bytes: int | None = None


UNKNOWN = Resources()


def decoder_family(architecture: str) -> str:
    """Return the decoder's table (rdna3, rdna4 or cdna) for an architecture such as gfx1100.

    "" if there is none.
    """
    return next((family for begin, family in _FAMILIES if architecture.startswith(begin)), "")


def is_amd(architecture: str) -> bool:
    """Whether an architecture begins with `gfx`, as AMD's do, such as gfx1200."""
    return architecture.startswith("gfx")


def decode_program(code: bytes, architecture: str, most: int) -> DecodedInstructions:
    """Decode up to `most` instructions of a `.text` section, without the padding at its end.

    A word that is not an instruction becomes `.long`. Without instructions, and with the reason, if
    the architecture is unknown or the decoder is not installed.
    """
    family = decoder_family(architecture)
    if not family:
        return DecodedInstructions(
            [],
            f"the decoder does not know {architecture or 'the architecture, which the capture lacks'}",
        )
    try:
        # The package is optional, and only this child process imports it, when a capture has such
        # code.
        from tinygrad.renderer.amd import detect_format  # noqa: PLC0415 - the child alone
    except ImportError:
        return DecodedInstructions([], NOT_INSTALLED)
    instructions: list[Instruction] = []
    for instruction in _decode(code, family, detect_format):
        if len(instructions) == most:
            return DecodedInstructions(
                instructions, f"only its first {plural(most, 'instruction')} are decoded"
            )
        instructions.append(instruction)
    return DecodedInstructions(_without_padding(instructions))


def resources(descriptor: bytes, architecture: str) -> Resources:
    """Read a kernel descriptor (the beginning of `.rodata`): registers, LDS and scratch bytes.

    All are `None` if the descriptor is too short or the architecture unknown. Vector registers are
    allocated in steps of eight, so their number is the lower bound of the kernel's use.
    """
    family = decoder_family(architecture)
    if len(descriptor) < _DESCRIPTOR.size or not family:
        return UNKNOWN
    lds, scratch, registers = _DESCRIPTOR.unpack_from(descriptor)
    # RDNA gives every program as many scalar registers as there are
    scalar = ((registers >> 6 & 15) // 2 + 1) * 16 if family == "cdna" else None
    # Bits 0 to 5: steps of eight vector registers, minus one; bits 6 to 9: steps of scalar
    # registers.
    return Resources(((registers & 63) + 1) * 8 - 7, scalar, lds, scratch)


def _without_padding(instructions: list[Instruction]) -> list[Instruction]:
    """Return the instructions up to the last `s_endpgm` if only padding (`s_code_end`) follows it,
    otherwise all.
    """
    ends = [place for place, instruction in enumerate(instructions) if instruction.flow == END]
    last = max(ends, default=len(instructions))
    if all(instruction.padding for instruction in instructions[last + 1 :]):
        return instructions[: last + 1]
    return instructions


def _decode(
    code: bytes, family: str, detect_format: Callable[[bytes, str], Any]
) -> Iterator[Instruction]:
    at = 0
    while at + _WORD <= len(code):
        window = code[at : at + _MAX_INSTRUCTION_BYTES]
        try:
            decoded = detect_format(window, family).from_bytes(window)
            instruction = _instruction(decoded, at)
        # The decoder raises many kinds of exceptions at bytes that are not instructions.
        except Exception:
            instruction = None
        if instruction is None or instruction.end > len(code):
            instruction = Instruction(
                at, _WORD, f".long {int.from_bytes(window[:_WORD], 'little'):#010x}"
            )
        yield instruction
        at = instruction.end


def _instruction(decoded: Any, pc: int) -> Instruction:  # noqa: ANN401 - an instruction of the decoder
    size = decoded.size()
    if hasattr(decoded, "opx"):
        return Instruction(pc, size, " :: ".join(_half(decoded, half) for half in "xy"))
    name = decoded.op.name.lower()
    flow, target = NEXT, None
    if "branch" in name:
        flow = JUMP if name == "s_branch" else BRANCH
        target = pc + size + _sign_extend(decoded.simm16, 16) * _WORD
    elif name.startswith("s_endpgm"):
        flow = END
    elif name.startswith("s_setpc"):
        flow = JUMP
    operands = f"{target:#x}" if target is not None else ", ".join(_operands(decoded))
    return Instruction(
        pc, size, f"{name} {operands}".rstrip(), flow, target, padding=name == "s_code_end"
    )


def _half(decoded: Any, half: str) -> str:  # noqa: ANN401 - an instruction of the decoder
    """Return the text of operation `x` or `y` (`half`) of a dual-issue instruction (VOPD), name and
    operands.
    """
    name = getattr(decoded, f"op{half}").name.lower()
    fields = [f"vdst{half}", f"src{half}0", *([] if "_mov_" in name else [f"vsrc{half}1"])]
    literal = getattr(decoded, "literal", None)
    operands = [_register(getattr(decoded, field), literal) for field in fields]
    # a multiplication by a constant has it in no field of its own
    operands += [f"{literal:#x}"] if "fmaak" in name or "fmamk" in name else []
    return f"{name} {', '.join(operands)}"


def _operands(decoded: Any) -> Iterator[str]:  # noqa: ANN401 - an instruction of the decoder
    """Yield the texts of an instruction's operands, then of its non-default modifiers such as
    `offset:16`.
    """
    literal = getattr(decoded, "literal", None)
    fields = [
        (name, field, getattr(decoded, name))
        for name, field in decoded._fields
        if name not in _NO_OPERANDS
    ]
    registers = [
        value
        for name, _, value in fields
        if hasattr(value, "fmt") and name in (decoded.operands or (name,))
    ]
    yield from (_register(value, literal) for value in registers)
    if literal is not None and all(value.offset != _LITERAL for value in registers):
        yield f"{literal:#x}"
    for name, field, value in fields:
        if name == "simm16":
            yield from [f"{value:#x}"] if value or name in decoded.operands else []
        elif not hasattr(value, "fmt") and value != field.default:
            signed = name.endswith("offset") and type(decoded).__name__.lstrip("V") in _SIGNED
            shown = _sign_extend(value, field.hi - field.lo + 1) if signed else value
            yield f"{name}:{shown.name.lower() if isinstance(shown, Enum) else shown}"


def _register(value: Any, literal: int | None) -> str:  # noqa: ANN401 - an operand of the decoder
    return f"{literal:#x}" if value.offset == _LITERAL and literal is not None else str(value.fmt())


def _sign_extend(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) & 1 else value
