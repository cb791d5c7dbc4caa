"""Decode instructions of x86-64 and arm64 with capstone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from data_loaders.tinygrad.machine.elf import Relocation
from data_loaders.tinygrad.machine.instruction import (
    BRANCH,
    END,
    JUMP,
    NEXT,
    DecodedInstructions,
    Instruction,
)
from schema.plurals import plural

ARCHITECTURES = ("x86-64", "arm64")
_CHUNK_INSTRUCTIONS = 64
"""Instructions that are decoded together before the caller decides whether to continue."""
_MAX_INSTRUCTION_BYTES = 16
"""Longest instruction, in bytes (of x86-64)."""
_X86_ENDS = re.compile(r"i?ret\w*|ud[012]\w*|hlt")
_X86_JUMPS = re.compile(r"l?jmp|j\w+|loop\w*")
_ARM_ENDS = re.compile(r"e?ret\w*|udf|brk")
_ARM_BRANCHES = re.compile(r"bc?\.\w+|cbn?z|tbn?z")
_ARM_JUMPS = re.compile(r"b|br\w*")
_PLACE = re.compile(r"(?:^|#)(0x[0-9a-f]+|[0-9]+)$")
"""A jump target at the end of the operands; on arm64 other operands and a number sign precede
it.
"""
_FROM_PC = re.compile(r"\[rip[^][]*\]")
_CALLS = ("call", "bl")
"""Mnemonics with a target after which the program continues."""
_RELATIVE = (2, 4, 9, 41, 42)
"""Kinds of x86-64 relocations that are relative to their own position.

The processor instead counts from the end of the instruction.
"""


def linear(
    code: bytes, architecture: str, relocations: Sequence[Relocation], most: int
) -> DecodedInstructions:
    """Decode up to `most` instructions of a section in sequence.

    A byte that is not an instruction becomes `.byte`. Addresses at relocations become symbols. Has
    a reason if instructions are left out.
    """
    places = {relocation.offset: relocation for relocation in relocations}
    instructions: list[Instruction] = []
    for instruction in _decode(code, architecture, 0, skip=True, count=most):
        instructions.append(
            _resolve_relocation(instruction, places, architecture) if places else instruction
        )
    complete = not instructions or instructions[-1].end >= len(code)
    why = "" if complete else f"decoded only its first {plural(len(instructions), 'instruction')}"
    return DecodedInstructions(instructions, why)


def _resolve_relocation(
    instruction: Instruction, places: Mapping[int, Relocation], architecture: str
) -> Instruction:
    """Return the instruction with the zero at a relocation replaced by its symbol and offset.

    Unchanged if no relocation is within it. `places` maps offsets to relocations.
    """
    at = next((at for at in range(instruction.pc, instruction.end) if at in places), None)
    if at is None:
        return instruction
    relocation = places[at]
    # A relative addend counts from the position of the relocation, the processor counts from the
    # end of the instruction.
    beyond = (
        instruction.end - at if architecture == "x86-64" and relocation.kind in _RELATIVE else 0
    )
    offset = relocation.addend + beyond
    text = instruction.text
    symbol = f"{relocation.symbol}{offset:+#x}" if offset else relocation.symbol
    if instruction.target is not None:
        target = None if relocation.place is None else relocation.place + offset
        return instruction._replace(
            text=f"{text.rpartition(' ')[0]} {symbol}", target=target, symbol=symbol
        )
    named = _FROM_PC.sub(lambda _: f"[rip + {symbol}]", text)
    return instruction._replace(
        text=named if named != text else f"{text}  # {symbol}", symbol=symbol
    )


def follow_program(code: bytes, architecture: str, most: int) -> DecodedInstructions:
    """Decode up to `most` instructions of an image that are reachable from byte 0, sorted by pc.

    Constants may be between and after instructions. If two paths read the same bytes differently,
    the first path takes precedence.
    """
    return _Paths(code, architecture, most).decode_paths()


def detect_machine(code: bytes, most: int) -> tuple[str, DecodedInstructions]:
    """Detect the machine of an image that does not name it, x86-64 or arm64.

    Returns it with its instructions; if neither fits, "" and no instructions, with the reason. If
    both fit, the machine with fewer jumps out of the image is selected.
    """
    paths = {architecture: _Paths(code, architecture, most) for architecture in ARCHITECTURES}
    fitting = [
        architecture for architecture, path in paths.items() if path.found and not path.astray
    ]
    if not fitting:
        return "", DecodedInstructions(
            [], "it does not name its machine, and it is neither x86-64 nor arm64 code"
        )
    best = min(fitting, key=lambda architecture: paths[architecture].outside)
    return best, paths[best].decode_paths()


class _Paths:
    """Instructions of an image that are reachable from byte 0 through jumps and calls.

    `astray` counts paths that reach bytes which are not instructions; `outside` counts jumps that
    leave the image.
    """

    def __init__(self, code: bytes, architecture: str, most: int) -> None:
        self._code = code
        self._architecture = architecture
        self._most = most
        self._owned = bytearray(len(code))
        self.found: dict[int, Instruction] = {}
        self.astray = self.outside = 0
        self._follow()

    def decode_paths(self) -> DecodedInstructions:
        """Return the reachable instructions of the image, sorted by pc, with a reason if they are
        not all.
        """
        instructions = sorted(self.found.values())
        if len(instructions) >= self._most:
            return DecodedInstructions(
                instructions, f"only {self._most} of its instructions are decoded"
            )
        return DecodedInstructions(
            instructions, "it contains bytes that are not instructions" if self.astray else ""
        )

    def _follow(self) -> None:
        waiting = [0]
        while waiting and len(self.found) < self._most:
            begin = waiting.pop()
            if begin not in self.found:
                waiting += self._run(begin)

    def _run(self, begin: int) -> list[int]:
        """Decode from pc `begin` until control flow leaves the sequence.

        Returns the targets of jumps and calls within the image.
        """
        targets: list[int] = []
        for instruction in self._from(begin):
            if instruction.pc in self.found or len(self.found) >= self._most:
                return targets
            if any(self._owned[instruction.pc : instruction.end]):
                break
            self._owned[instruction.pc : instruction.end] = b"\1" * instruction.size
            self.found[instruction.pc] = instruction
            if instruction.target is not None:
                within = 0 <= instruction.target < len(self._code)
                targets += [instruction.target] if within else []
                self.outside += not within and instruction.flow != NEXT
            if instruction.flow in (JUMP, END):
                return targets
        self.astray += 1
        return targets

    def _from(self, begin: int) -> Iterator[Instruction]:
        """Yield instructions from pc `begin` to the end of the image or the first byte that is not
        an instruction.

        Decodes a few at a time because most paths end soon.
        """
        at = begin
        while at < len(self._code):
            few = self._code[at : at + _CHUNK_INSTRUCTIONS * _MAX_INSTRUCTION_BYTES]
            count = 0
            for instruction in _decode(few, self._architecture, at, count=_CHUNK_INSTRUCTIONS):
                yield instruction
                at = instruction.end
                count += 1
            if not count:
                return


@cache
def _capstone(architecture: str, skip: bool) -> Any:  # noqa: ANN401 - capstone has no types
    from capstone import CS_ARCH_ARM64, CS_ARCH_X86, CS_MODE_64, CS_MODE_ARM, Cs  # noqa: PLC0415 - the child alone

    decoder = (
        Cs(CS_ARCH_X86, CS_MODE_64) if architecture == "x86-64" else Cs(CS_ARCH_ARM64, CS_MODE_ARM)
    )
    # With `skipdata`, capstone returns `.byte` instead of stopping when bytes are not an
    # instruction.
    decoder.skipdata = skip
    return decoder


def _decode(
    code: bytes, architecture: str, begin: int, *, skip: bool = False, count: int = 0
) -> Iterator[Instruction]:
    """Yield the instructions of bytes that begin at pc `begin`, up to the first byte that is not an
    instruction.

    With `skip`, such bytes become `.byte`. `count` limits the number of instructions, 0 means all.
    """
    flow_of = _x86_flow if architecture == "x86-64" else _arm_flow
    for pc, size, mnemonic, operands in _capstone(architecture, skip).disasm_lite(
        code, begin, count
    ):
        flow = flow_of(mnemonic)
        target = None
        if flow in (JUMP, BRANCH) or mnemonic in _CALLS:
            place = _PLACE.search(operands)
            target = int(place[1], 0) if place else None
        yield Instruction(pc, size, f"{mnemonic} {operands}".rstrip(), flow, target)


def _x86_flow(mnemonic: str) -> str:
    name = mnemonic.rpartition(" ")[2]  # `notrack jmp`, `repz ret`
    if _X86_JUMPS.fullmatch(name):
        return JUMP if name.endswith("jmp") else BRANCH
    return END if _X86_ENDS.fullmatch(name) else NEXT


def _arm_flow(mnemonic: str) -> str:
    if _ARM_ENDS.fullmatch(mnemonic):
        return END
    if _ARM_BRANCHES.fullmatch(mnemonic):
        return BRANCH
    return JUMP if _ARM_JUMPS.fullmatch(mnemonic) else NEXT
