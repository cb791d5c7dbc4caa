"""Read sections and relocations of compiled kernels' ELF64 files; headers are not trusted."""

from __future__ import annotations

import struct
from functools import cached_property
from typing import NamedTuple

from data_loaders.tinygrad.names import clean

MAX_SECTIONS = 4096
"""Maximum sections that are read; files of kernels have 8 to 16."""
MAX_RELOCATIONS = 100_000
"""Maximum relocations that are read; a kernel has one per constant and call."""
MAX_NAME = 100
"""Longest name of a symbol or section, in bytes."""

X86_64, ARM64, AMD = 62, 183, 224
"""Numbers of machines in ELF headers."""

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_RELOCATION = struct.Struct("<QIIq")
_SYMBOL = struct.Struct("<IBBHQQ")
_MAGIC = b"\x7fELF\x02\x01"
_BARE_MAGIC = b"\x7fELF\x02\x00"
_BARE_FIELDS = (1, 2, 3, 7, 8, 11)
"""Fields of a header that tinygrad's own assembler leaves 0: type, machine, version, flags, and sizes
of the header and of an entry in the table of sections, as `struct` numbers them.
"""
_NO_BITS, _WITH_ADDENDS = 8, 4
"""Kinds of sections: without content in the file (SHT_NOBITS), and relocations with addends
(SHT_RELA).
"""
_OF_SECTION = 3
"""Type of a symbol that denotes a section (STT_SECTION); its name is the section's name."""


class ElfError(ValueError):
    """The file is not a readable ELF64 file; the message is the reason, as a part of a sentence."""


class Section(NamedTuple):
    """A section as its header describes it; offset and size are not validated."""

    name: str
    kind: int
    offset: int
    size: int
    link: int
    info: int


class Relocation(NamedTuple):
    """A position in a section that the linker fills with a symbol's address + `addend`.

    `place` is the symbol's offset in the same section, `None` if the symbol is elsewhere.
    """

    offset: int
    kind: int
    symbol: str
    place: int | None
    addend: int


def elf_machine(data: bytes) -> int | None:
    """Return the machine number in an ELF header, such as 62 for x86-64.

    The result is `None` if the file is not a 64-bit little-endian ELF file.
    """
    # Bytes 18 and 19 of the header are e_machine.
    return (
        struct.unpack_from("<H", data, 18)[0]
        if data.startswith(_MAGIC) and len(data) >= 20
        else None
    )


def is_bare(data: bytes) -> bool:
    """Whether a file has the header of tinygrad's own assembler, which does not name a machine.

    Byte order, type, machine, version and sizes in it are 0.
    """
    if not data.startswith(_BARE_MAGIC) or len(data) < _HEADER.size:
        return False
    header = _HEADER.unpack_from(data)
    return all(header[place] == 0 for place in _BARE_FIELDS)


class Elf:
    """A file whose header and table of sections lie within it. Raises ElfError for any other.

    `bare_machine` is the machine of a file whose header is bare (see `is_bare`); without it such a
    file is refused.
    """

    def __init__(self, data: bytes, bare_machine: int | None = None) -> None:
        as_bare = bare_machine is not None and is_bare(data)
        if not as_bare and (not data.startswith(_MAGIC) or len(data) < _HEADER.size):
            raise ElfError("it has no ELF64 header")
        # e_machine, e_shoff, e_shentsize, e_shnum and e_shstrndx are the fields 2, 6, 11, 12 and
        # 13.
        header = _HEADER.unpack_from(data)
        self._data = data
        self.machine = header[2] if bare_machine is None or not as_bare else bare_machine
        self._table = header[6]
        self._entry = _SECTION.size if as_bare else header[11]
        self._count = min(header[12], MAX_SECTIONS)
        self._names = header[13]
        if self._entry != _SECTION.size or self._table + self._count * _SECTION.size > len(data):
            raise ElfError("its section table is outside of the file")

    @cached_property
    def sections(self) -> list[Section]:
        """Sections of the file, in the order of its table; at most 4,096."""
        offsets = [self._table + rank * _SECTION.size for rank in range(self._count)]
        raw = [_SECTION.unpack_from(self._data, offset) for offset in offsets]
        begin, size = raw[self._names][4:6] if self._names < len(raw) else (0, 0)
        names = self._data[begin : begin + size]
        return [
            Section(_name(names, row[0]), row[1], row[4], row[5], row[6], row[7]) for row in raw
        ]

    def section_index(self, name: str) -> int | None:
        """Return the index of the first section of this name; `None` if there is none."""
        return next(
            (place for place, section in enumerate(self.sections) if section.name == name), None
        )

    def content(self, place: int | None) -> bytes:
        """Return the bytes of the section with index `place` that are within the file.

        Returns b"" if `place` is `None` or there is no such section, or it has no bits.
        """
        if place is None or not 0 <= place < len(self.sections):
            return b""
        return self._bytes(self.sections[place])

    def _bytes(self, section: Section) -> bytes:
        return (
            b""
            if section.kind == _NO_BITS
            else self._data[section.offset : section.offset + section.size]
        )

    def relocations(self, place: int) -> list[Relocation]:
        """Return the relocations of the section with index `place` that are inside of it and have
        an existing symbol.

        Empty if it has none; further relocations are left out from 100,000 on.
        """
        size = len(self.content(place))
        relocations: list[Relocation] = []
        for section in self.sections:
            if (
                section.kind == _WITH_ADDENDS
                and section.info == place
                and len(relocations) < MAX_RELOCATIONS
            ):
                relocations += self._relocations(section, place, size)
        return relocations

    def _relocations(self, section: Section, place: int, size: int) -> list[Relocation]:
        content = self._bytes(section)[: MAX_RELOCATIONS * _RELOCATION.size]
        rows = _RELOCATION.iter_unpack(
            content[: len(content) // _RELOCATION.size * _RELOCATION.size]
        )
        symbols = self.content(section.link)
        names = (
            self.content(self.sections[section.link].link)
            if section.link < len(self.sections)
            else b""
        )
        relocations = []
        for offset, kind, number, addend in rows:
            if offset < size and (number + 1) * _SYMBOL.size <= len(symbols):
                start, info, _, within, value, _ = _SYMBOL.unpack_from(
                    symbols, number * _SYMBOL.size
                )
                name = (
                    self._section_name(within) if info & 15 == _OF_SECTION else _name(names, start)
                )
                relocations.append(
                    Relocation(offset, kind, name, value if within == place else None, addend)
                )
        return relocations

    def _section_name(self, place: int) -> str:
        return self.sections[place].name if place < len(self.sections) else ""


def _name(names: bytes, start: int) -> str:
    """Return the text at offset `start` of a string table, at most 100 bytes, with unprintable
    characters as "?".

    Returns "" if the offset is behind the table.
    """
    text = names[start : start + MAX_NAME].split(b"\0", 1)[0].decode("utf-8", "replace")
    return clean("".join(sign if sign.isprintable() else "?" for sign in text))
