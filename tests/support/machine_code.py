"""Machine code for tests: small hand-made programs, and ELF files around them."""

import struct
from typing import NamedTuple

X86_64, ARM64, AMD = 62, 183, 224

RET = b"\xc3"
LOOP = bytes.fromhex("31c0 ffc0 83f80a 75f9 c3")
"""x86-64: eax counts to ten: `xor`, a loop of `inc`, `cmp`, `jne`, then `ret`."""
ARM_LOOP = struct.pack("<4I", 0xD2800000, 0x91000400, 0xB5FFFFE1, 0xD65F03C0)
"""arm64: `mov x0`, a loop of `add`, `cbnz x1`, then `ret`."""
S_NOP, S_ENDPGM, S_CODE_END = 0xBF800000, 0xBFB00000, 0xBF9F0000
S_BRANCH, S_CBRANCH_SCC1 = 0xBFA00000, 0xBFA20000


class Wanted(NamedTuple):
    """A relocation of `.text`: of an external symbol, or of a symbol at `value` in `.text`."""

    offset: int
    kind: int
    symbol: str
    addend: int = 0
    value: int | None = None


def words(*numbers):
    """Pack numbers as little-endian instructions of four bytes each."""
    return struct.pack(f"<{len(numbers)}I", *numbers)


def descriptor(lds=0, scratch=0, registers=0):
    """Pack a kernel descriptor of AMD."""
    return struct.pack("<II40xI12x", lds, scratch, registers)


def elf(machine, text, relocations=(), rodata=b"", name=".text"):
    """Build a relocatable ELF64 file with the code in section `name`, its relocations, and
    `.rodata`.
    """
    strings, symbols, entries = b"\0", struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0), b""
    for place, wanted in enumerate(relocations, start=1):
        section, value = (0, 0) if wanted.value is None else (1, wanted.value)
        symbols += struct.pack("<IBBHQQ", len(strings), 0x10, 0, section, value, 0)
        strings += wanted.symbol.encode() + b"\0"
        entries += struct.pack("<QIIq", wanted.offset, wanted.kind, place, wanted.addend)
    # number, kind, content, link, info of each section behind the empty one
    sections = [
        (name, 1, text, 0, 0),
        (".rela.text", 4, entries, 3, 1),
        (".symtab", 2, symbols, 4, 1),
    ]
    sections += [(".strtab", 3, strings, 0, 0), (".rodata", 1, rodata, 0, 0)]
    return _file(machine, sections)


_ROW_BYTES = {2: 24, 4: 24}
"""Type of a section -> size of its rows: symbols, relocations."""


def _file(machine, sections):
    names, body, headers = b"\0", b"", struct.pack("<IIQQQQIIQQ", *[0] * 10)
    for name, kind, content, link, info in [*sections, (".shstrtab", 3, None, 0, 0)]:
        start, names = len(names), names + name.encode() + b"\0"
        held = names if content is None else content
        row_bytes = _ROW_BYTES.get(kind, 0)
        headers += struct.pack(
            "<IIQQQQIIQQ", start, kind, 0, 0, 64 + len(body), len(held), link, info, 1, row_bytes
        )
        body += held
    count = len(sections) + 2
    ident = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    head = struct.pack(
        "<16sHHIQQQIHHHHHH",
        ident,
        1,
        machine,
        1,
        0,
        0,
        64 + len(body),
        0,
        64,
        0,
        0,
        64,
        count,
        count - 1,
    )
    return head + body + headers


def bare(content):
    """Return an ELF file with the header of tinygrad's own assembler, whose machine, flags and
    similar fields are 0.
    """
    made = bytearray(content)
    for begin, end in ((5, 6), (16, 24), (48, 54), (58, 60)):
        made[begin:end] = bytes(end - begin)
    return bytes(made)
