"""ELF files of kernels, whole and with headers that lie."""

import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from data_loaders.tinygrad.machine import elf as elf_module
from data_loaders.tinygrad.machine.elf import Elf, ElfError, Relocation, elf_machine, is_bare
from tests.support.machine_code import AMD, LOOP, RET, X86_64, Wanted, bare, elf

WANTED = [Wanted(1, 4, "sinf", -4), Wanted(5, 2, "own", -4, value=3)]
WHOLE = elf(X86_64, LOOP, WANTED, b"constants")


def changed(at, layout, value, content=WHOLE):
    """Return the file with another number in it."""
    return content[:at] + struct.pack(layout, value) + content[at + struct.calcsize(layout) :]


def section_header(place, field, value):
    """Return the file with another 64 bit field of a section's header."""
    table = struct.unpack_from("<Q", WHOLE, 40)[0]
    return changed(table + 64 * place + field, "<Q", value)


def test_sections_are_found_by_name():
    found = Elf(WHOLE)
    assert found.machine == X86_64
    assert found.content(found.section_index(".text")) == LOOP
    assert found.content(found.section_index(".rodata")) == b"constants"
    assert found.section_index(".data") is None
    assert found.content(None) == b""


def test_relocations_name_symbols_and_where_they_are():
    assert Elf(WHOLE).relocations(1) == [
        Relocation(1, 4, "sinf", None, -4),
        Relocation(5, 2, "own", 3, -4),
    ]


def test_a_symbol_of_a_section_has_its_name():
    symbol = WHOLE.index(struct.pack("<IBBHQQ", 1, 0x10, 0, 0, 0, 0))
    content = WHOLE[:symbol] + struct.pack("<IBBHQQ", 0, 3, 0, 5, 0, 0) + WHOLE[symbol + 24 :]
    assert Elf(content).relocations(1)[0].symbol == ".rodata"


def test_names_are_cut_and_printable():
    name = "\x1b[31m" + "n" * 500
    (found,) = Elf(elf(X86_64, RET, [Wanted(0, 2, name)])).relocations(1)
    assert found.symbol.isprintable()
    assert len(found.symbol) == elf_module.MAX_NAME


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x7fELF",
        WHOLE[:63],
        b"\x7fELF\x01\x01" + WHOLE[6:],
        changed(40, "<Q", 2**63),
        changed(58, "<H", 40),
    ],
    ids=["empty", "magic", "header cut", "32 bits", "table beyond", "size of entries"],
)
def test_what_has_no_readable_header_is_refused(content):
    with pytest.raises(ElfError):
        Elf(content)


def test_a_table_that_leaves_the_file_is_refused():
    with pytest.raises(ElfError, match="outside of the file"):
        Elf(changed(60, "<H", 4000))


@pytest.mark.parametrize("value", [2**64 - 1, 2**40, len(WHOLE)])
def test_a_section_beyond_the_file_has_no_content(value):
    found = Elf(section_header(1, 24, value))
    assert found.content(1) == b""
    assert found.relocations(1) == []


def test_a_section_is_cut_where_the_file_ends():
    assert len(Elf(section_header(1, 32, 2**64 - 1)).content(1)) == len(WHOLE) - 64


@pytest.mark.parametrize("link", [0, 5, 200, 2**32 - 1])
def test_relocations_without_symbols_are_left_out(link):
    table = struct.unpack_from("<Q", WHOLE, 40)[0]
    found = Elf(changed(table + 64 * 2 + 40, "<I", link)).relocations(1)
    assert all(0 <= relocation.offset < len(LOOP) for relocation in found)


def test_relocations_that_point_nowhere_are_left_out():
    assert Elf(elf(X86_64, RET, [Wanted(2**60, 2, "far")])).relocations(1) == []


def test_many_sections_share_one_limit_of_relocations(monkeypatch):
    monkeypatch.setattr(elf_module, "MAX_RELOCATIONS", 3)
    assert len(Elf(elf(X86_64, LOOP, [Wanted(0, 2, "s")] * 9)).relocations(1)) == 3


def test_the_machine_is_told_from_the_first_bytes():
    assert elf_machine(elf(AMD, b"")) == AMD
    assert elf_machine(RET * 64) is None
    assert elf_machine(WHOLE[:19]) is None


@given(st.binary(max_size=300), st.integers(0, len(WHOLE)))
@example(b"", 0)
def test_any_bytes_are_read_or_refused(noise, at):
    for content in (noise, WHOLE[:at] + noise + WHOLE[at + len(noise) :], WHOLE[:at]):
        try:
            found = Elf(content)
        except ElfError:
            continue
        for place in range(len(found.sections)):
            assert len(found.content(place)) <= len(content)
            assert all(relocation.symbol.isprintable() for relocation in found.relocations(place))


def test_a_bare_header_is_read_if_its_machine_is_known():
    content = bare(elf(AMD, LOOP))
    assert is_bare(content)
    assert elf_machine(content) is None
    found = Elf(content, AMD)
    assert found.machine == AMD
    assert found.content(found.section_index(".text")) == LOOP
    with pytest.raises(ElfError):
        Elf(content)


@pytest.mark.parametrize("at", [16, 18, 20, 48, 52, 58])
def test_a_header_that_says_anything_is_not_bare(at):
    content = bytearray(bare(elf(AMD, LOOP)))
    content[at] = 1
    assert not is_bare(bytes(content))
    with pytest.raises(ElfError):
        Elf(bytes(content), AMD)


@pytest.mark.parametrize("content", [b"", bare(WHOLE)[:63], WHOLE])
def test_other_files_are_not_bare(content):
    assert not is_bare(content)


def test_a_machine_in_the_header_counts_whatever_the_device():
    assert Elf(WHOLE, AMD).machine == X86_64
