"""Decide whether a pickle may be opened: check every opcode without creating any object.

A pickle is a program for a stack machine (Python's `pickletools` documents its opcodes). Only
opcodes that build plain values and name classes are accepted; `safe_pickle` then decides which
classes a pickle may name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from schema.plurals import plural

PROTOCOLS = (4, 5)
"""Accepted pickle protocols of captures."""
MAX_INTEGER_BYTES = 128
"""Longest integer in bytes.

Real integers have at most 100, the bounds of an index type of 800 bits.
"""

_SHORT = 64
"""Texts of fewer bytes are matched within a run.

They are names and times, of which every event has several.
"""
_TEXTS = b"|".join(b"%b.{%d}" % (re.escape(bytes([length])), length) for length in range(_SHORT))
_RUN = re.compile(
    rb"(?:[()NR\]abestu}\x81\x85\x86\x87\x88\x89\x93\x94]++|h.|\x8c(?:"
    + _TEXTS
    + rb")|[Jj].{4}|K.|M..|G.{8})++",
    re.DOTALL,
)
"""Runs of opcodes of fixed length and short texts.

The quantifiers are possessive, so that the regex engine stores no positions for backtracking.
"""

_PLAIN_RUN = re.compile(
    rb"(?:[()N\]aestu}\x85\x86\x87\x88\x89\x94]++|[hq].|[jrJ].{4}|\x8c(?:"
    + _TEXTS
    + rb")|K.|M..|G.{8})++",
    re.DOTALL,
)
"""Like `_RUN`, without opcodes that name or call anything.

It has the memo opcodes of older protocols in addition.
"""

_FRAME = 0x95
_PROTO = 0x80
_STOP = ord(".")
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
"""Opcodes of text, bytes and long integers -> bytes of the length that follows (little-endian)."""
_PLAIN_CODES = frozenset({0x8C, ord("X"), 0x8D, 0x8A, 0x8B, _FRAME})
"""Opcodes of `_LENGTH_BYTES` that make texts, integers and frames."""
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
"""Names of opcodes for error messages; an opcode without a name is reported by its number."""


class UnsafePickleError(ValueError):
    """The bytes are not an acceptable pickle; the message is a sentence for the user."""


@dataclass(frozen=True)
class _Dialect:
    """Opcodes that a kind of pickle may contain.

    `run` matches accepted opcodes of fixed length, `with_length` has accepted opcodes with a
    length. An opcode of `cut_short` outside of a run means that the file ends inside its operand.
    """

    protocols: tuple[int, ...]
    run: re.Pattern[bytes]
    with_length: frozenset[int]
    cut_short: frozenset[int]


_RECORDS = _Dialect(PROTOCOLS, _RUN, frozenset(_LENGTH_BYTES), frozenset(b"KhMJjG"))
_PLAIN = _Dialect((2, 3, 4, 5), _PLAIN_RUN, _PLAIN_CODES, frozenset(b"KhMJjGqr"))


def scan(data: bytes) -> None:
    """Raise UnsafePickleError unless `data` is a single whole pickle of plain values and objects of
    named classes (protocol 4 or 5).

    Takes about 1 s per 100 MB and no memory. Every length is compared with the bytes that follow
    it, lengths of integers with MAX_INTEGER_BYTES (128).
    """
    _scan(data, _RECORDS)


def scan_plain(data: bytes) -> None:
    """Raise UnsafePickleError unless `data` is a single whole pickle of plain values (protocol 2 to
    5).

    Plain values are dicts, lists, tuples, texts, numbers and `None`. Such a pickle names no class
    and no function, so it cannot call anything. Takes as long as `scan`.
    """
    _scan(data, _PLAIN)


def _scan(data: bytes, dialect: _Dialect) -> None:
    position = _opcodes_start(data, dialect.protocols)
    while True:
        run = dialect.run.match(data, position)
        position = run.end() if run else position
        code = data[position] if position < len(data) else None
        if code == _STOP:
            break
        position = _opcode_end(data, position, code, dialect)
    if position + 1 != len(data):
        raise UnsafePickleError(
            f"{plural(len(data) - position - 1, 'byte')} after the end of the pickle"
        )


def _opcodes_start(data: bytes, protocols: tuple[int, ...]) -> int:
    """Check the protocol and return the offset of the first opcode, 2.

    Raises UnsafePickleError if the data are empty, not a pickle or of another protocol.
    """
    if not data:
        raise UnsafePickleError("the file is empty")
    expected = f"protocol {' or '.join(map(str, protocols))}"
    if data[0] != _PROTO or len(data) < 2:
        raise UnsafePickleError(f"it is not a pickle of {expected}")
    if data[1] not in protocols:
        raise UnsafePickleError(
            f"it is a pickle of protocol {data[1]}, but captures use {expected}"
        )
    return 2


def _opcode_end(data: bytes, position: int, code: int | None, dialect: _Dialect) -> int:
    """Check the opcode `code` with a length at `position`, and return the offset behind its content
    (behind the length for a frame).

    Raises UnsafePickleError if the opcode is not accepted, or data end before its content does.
    """
    if code is None or position + 1 + (width := _LENGTH_BYTES.get(code, 0)) > len(data):
        raise UnsafePickleError(f"the pickle is cut off at byte {len(data)}")
    if code in dialect.cut_short:
        raise UnsafePickleError(f"the pickle is cut off at byte {len(data)}")
    if code not in dialect.with_length:
        name = _REFUSED.get(code, f"0x{code:02x}")
        raise UnsafePickleError(f"opcode {name} at byte {position} is not allowed in a capture")
    begin = position + 1 + width
    length = int.from_bytes(data[position + 1 : begin], "little")
    if length > len(data) - begin:
        raise UnsafePickleError(
            f"at byte {position} it declares {plural(length, 'byte')}, but only {len(data) - begin} are left"
        )
    if code in _INTEGERS and length > MAX_INTEGER_BYTES:
        raise UnsafePickleError(
            f"an integer of {plural(length, 'byte')} at byte {position}: the limit is {MAX_INTEGER_BYTES} bytes"
        )
    return begin if code == _FRAME else begin + length
