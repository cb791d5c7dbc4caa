"""Which pickles may be opened at all: a pass over the opcodes, without making any object.

A pickle is a program for a stack machine (Python's `pickletools` documents its opcodes). Only those are let through
that build plain values and name classes; what is left for the reader to refuse is in `safe_pickle`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

PROTOCOLS = (4, 5)
MOST_INTEGER_BYTES = 128
"""Longest integer; real ones have at most 100 bytes, the bounds of an index type of 800 bits."""

_SHORT = 64
"""Texts below so many bytes are passed within a run: names and times, one or two of which every event has."""
_TEXTS = b"|".join(b"%b.{%d}" % (re.escape(bytes([length])), length) for length in range(_SHORT))
_RUN = re.compile(
    rb"(?:[()NR\]abestu}\x81\x85\x86\x87\x88\x89\x93\x94]++|h.|\x8c(?:" + _TEXTS + rb")|[Jj].{4}|K.|M..|G.{8})++",
    re.DOTALL,
)
"""Runs of opcodes of fixed length and short texts; possessive, so that the engine keeps nothing for going back."""

_PLAIN_RUN = re.compile(
    rb"(?:[()N\]aestu}\x85\x86\x87\x88\x89\x94]++|[hq].|[jrJ].{4}|\x8c(?:" + _TEXTS + rb")|K.|M..|G.{8})++",
    re.DOTALL,
)
"""The same without those that name or call anything, with those by which older protocols keep an object."""

_FRAME, _PROTO, _STOP = 0x95, 0x80, ord(".")
_LENGTH_BYTES: Mapping[int, int] = MappingProxyType(
    {
        0x8C: 1,  # SHORT_BINUNICODE
        ord("X"): 4,  # BINUNICODE
        0x8D: 8,  # BINUNICODE8
        ord("C"): 1,  # SHORT_BINBYTES
        ord("B"): 4,  # BINBYTES
        0x8E: 8,  # BINBYTES8
        0x96: 8,  # BYTEARRAY8
        0x8A: 1,  # LONG1
        0x8B: 4,  # LONG4
        _FRAME: 8,
    }
)
"""Opcodes of text, bytes and long integers -> bytes of the little-endian length in front of them."""
_PLAIN_CODES = frozenset({0x8C, ord("X"), 0x8D, 0x8A, 0x8B, _FRAME})
"""Those among them that make texts, integers and frames."""
_INTEGERS = (0x8A, 0x8B)

_REFUSED: Mapping[int, str] = MappingProxyType(
    {
        ord(code): name
        for code, name in {
            "c": "GLOBAL",
            "i": "INST",
            "o": "OBJ",
            "\x92": "NEWOBJ_EX",
            "p": "PUT",
            "q": "BINPUT",
            "r": "LONG_BINPUT",
            "g": "GET",
            "P": "PERSID",
            "Q": "BINPERSID",
            "\x82": "EXT1",
            "\x83": "EXT2",
            "\x84": "EXT4",
            "\x8f": "EMPTY_SET",
            "\x90": "ADDITEMS",
            "\x91": "FROZENSET",
            "\x97": "NEXT_BUFFER",
            "\x98": "READONLY_BUFFER",
            "0": "POP",
            "1": "POP_MARK",
            "2": "DUP",
            "\x80": "PROTO",
            "R": "REDUCE",
            "b": "BUILD",
            "\x81": "NEWOBJ",
            "\x93": "STACK_GLOBAL",
            "C": "SHORT_BINBYTES",
            "B": "BINBYTES",
            "\x8e": "BINBYTES8",
            "\x96": "BYTEARRAY8",
            "l": "LIST",
            "d": "DICT",
        }.items()
    }
)
"""Opcodes with a name worth saying; every other one is refused by its number."""


class UnsafePickleError(ValueError):
    """The bytes are no pickle that is opened here; the message is one sentence for a person."""


@dataclass(frozen=True)
class _Dialect:
    """What a pickle may consist of; `cut_short` are opcodes that only stop a run where the file ends inside them."""

    protocols: tuple[int, ...]
    run: re.Pattern[bytes]
    with_length: frozenset[int]
    cut_short: frozenset[int]


_RECORDS = _Dialect(PROTOCOLS, _RUN, frozenset(_LENGTH_BYTES), frozenset(b"KhMJjG"))
_PLAIN = _Dialect((2, 3, 4, 5), _PLAIN_RUN, _PLAIN_CODES, frozenset(b"KhMJjGqr"))


def scan(data: bytes) -> None:
    """Raise UnsafePickleError unless `data` is one whole pickle of opcodes that build plain values and name classes.

    Costs about 1 s per 100 MB and no memory. Every length is checked against the bytes that are there, long integers
    against MOST_INTEGER_BYTES.
    """
    _scan(data, _RECORDS)


def scan_plain(data: bytes) -> None:
    """Raise UnsafePickleError unless `data` is one whole pickle of dicts, lists, tuples, texts, numbers and None alone.

    Such a pickle names no class and no function, so that nothing in it can be called. Costs what `scan` does.
    """
    _scan(data, _PLAIN)


def _scan(data: bytes, dialect: _Dialect) -> None:
    position = _header(data, dialect.protocols)
    while True:
        run = dialect.run.match(data, position)
        position = run.end() if run else position
        code = data[position] if position < len(data) else None
        if code == _STOP:
            break
        position = _after(data, position, code, dialect)
    if position + 1 != len(data):
        raise UnsafePickleError(f"{len(data) - position - 1} bytes follow the end of the pickle")


def _header(data: bytes, protocols: tuple[int, ...]) -> int:
    """Return where the opcodes begin, after the protocol."""
    if not data:
        raise UnsafePickleError("the file is empty")
    said = f"protocol {' or '.join(map(str, protocols))}"
    if data[0] != _PROTO or len(data) < 2:
        raise UnsafePickleError(f"it is no pickle of {said}")
    if data[1] not in protocols:
        raise UnsafePickleError(f"a pickle of protocol {data[1]}; captures have {said}")
    return 2


def _after(data: bytes, position: int, code: int | None, dialect: _Dialect) -> int:
    """Return where the opcode at `position`, one with a length, ends."""
    if code is None or position + 1 + (width := _LENGTH_BYTES.get(code, 0)) > len(data):
        raise UnsafePickleError(f"the pickle is cut off at byte {len(data)}")
    if code in dialect.cut_short:
        raise UnsafePickleError(f"the pickle is cut off at byte {len(data)}")
    if code not in dialect.with_length:
        name = _REFUSED.get(code, f"0x{code:02x}")
        raise UnsafePickleError(f"opcode {name} at byte {position} is in no capture")
    begin = position + 1 + width
    length = int.from_bytes(data[position + 1 : begin], "little")
    if length > len(data) - begin:
        raise UnsafePickleError(f"at byte {position} it announces {length} bytes where {len(data) - begin} are left")
    if code in _INTEGERS and length > MOST_INTEGER_BYTES:
        raise UnsafePickleError(f"an integer of {length} bytes at byte {position}; at most {MOST_INTEGER_BYTES} are")
    return begin if code == _FRAME else begin + length
