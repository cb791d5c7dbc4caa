"""Read the words of a trace buffer from hexadecimal lines or bytes, and split them into packets.

Every eighth word of a segment is a packet header. It names the unit that wrote the seven words
behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from data_loaders.aie.numpy_header import is_numpy, parse_header
from data_loaders.aie.segments import (
    PACKET_WORDS,
    PAD,
    STARTS,
    UNWRITTEN,
    Words,
    find_data,
    is_header,
)
from data_loaders.protocol import LoadError
from data_loaders.reading.files import open_content

MAX_WORDS = 1 << 23
"""Highest number of words in a file; a trace buffer has at most 8 MiB."""
KINDS = ("core", "mem", "shim", "memtile")
"""Kinds of units, indexed by two bits of a header."""

_CHUNK = 1 << 20
_LINES = re.compile(rb"(?:(?:[0-9A-Fa-f]{8})?[ \t\r]*\n)*")
_WORD = re.compile(rb"[0-9A-Fa-f]{8}")
_PART = re.compile(rb"[0-9A-Fa-f]{1,7}")


@dataclass(frozen=True)
class Buffer:
    """Words of a trace buffer; `cut` is true if the last word is incomplete."""

    words: Words
    cut: bool


@dataclass(frozen=True)
class Stream:
    """Bytes that the unit of this kind at this row and column wrote, in order."""

    kind: str
    row: int
    col: int
    content: bytes


@dataclass(frozen=True)
class Packets:
    """Streams of all units, sorted by kind, then by first packet.

    `bad` counts packets with an invalid header, which are assigned to the unit before. `lost`
    counts words before the first valid header. `full` is true if data reach the last word of the
    buffer.
    """

    streams: list[Stream]
    bad: int
    lost: int
    full: bool


def is_text(head: bytes) -> bool:
    """Whether the bytes begin, behind white space, with a line of exactly eight hexadecimal digits."""
    return re.match(rb"\s{0,99}[0-9A-Fa-f]{8}[ \t\r]*(?:\n|\Z)", head) is not None


def is_binary(head: bytes) -> bool:
    """Whether the first word is a valid packet header and the second word starts a unit's trace,
    both little-endian.
    """
    if len(head) < 8:
        return False
    first, second = np.frombuffer(head[:8], "<u4").tolist()
    return bool(is_header(np.array([first], np.uint32))[0]) and second >> 24 in STARTS


def read_words(path: Path) -> Buffer:
    """Read the words of a file as text of hexadecimal words, little-endian bytes, or an array of
    numpy.

    Raises LoadError if a line is not a word, an array has another type, or there are more than
    MAX_WORDS (8,388,608) words.
    """
    with open_content(path) as stream:
        head = stream.read(_CHUNK)
        if is_text(head):
            return _text_words(stream, head, path)
        if is_numpy(head):
            return _array_words(stream, head, path)
        content = head + stream.read(4 * MAX_WORDS + 1 - min(len(head), 4 * MAX_WORDS))
    if len(content) > 4 * MAX_WORDS:
        raise _too_many(path)
    return Buffer(
        np.frombuffer(content[: len(content) // 4 * 4], "<u4").astype(np.uint32),
        len(content) % 4 != 0,
    )


def _array_words(stream: BinaryIO, head: bytes, path: Path) -> Buffer:
    """Read the words of an array of numpy, whose file begins with `head`.

    `cut` is true if the file ends before the array does. Raises LoadError if the header is invalid
    or there are more than MAX_WORDS words.
    """
    header = parse_header(head)
    if isinstance(header, str):
        raise LoadError(f"{path}: {header}")
    if header.data > 4 * MAX_WORDS:
        raise _too_many(path)
    missing = max(0, header.length + header.data - len(head))
    content = (head + stream.read(missing))[header.length : header.length + header.data]
    words = np.frombuffer(content[: len(content) // 4 * 4], "<u4").astype(np.uint32)
    return Buffer(words, len(content) < header.data or header.data % 4 != 0)


def _text_words(stream: BinaryIO, head: bytes, path: Path) -> Buffer:
    parts: list[Words] = []
    rest, line, count = b"", 1, 0
    for chunk in _chunks(stream, head):
        text = rest + chunk
        end = text.rfind(b"\n") + 1
        whole = text[:end]
        rest = text[end:]
        _check_lines(whole, line, path)
        line += whole.count(b"\n")
        parts.append(_parse(whole))
        count += len(parts[-1])
        if count > MAX_WORDS:
            raise _too_many(path)
    rest = rest.strip()
    cut = bool(rest) and _WORD.fullmatch(rest) is None
    if cut and not _PART.fullmatch(rest):
        raise _no_word(path, line, rest)
    if rest and not cut:
        parts.append(_parse(rest))
    return Buffer(np.concatenate(parts) if parts else np.empty(0, np.uint32), cut)


def _chunks(stream: BinaryIO, head: bytes) -> Iterator[bytes]:
    chunk = head
    while chunk:
        yield chunk
        chunk = stream.read(_CHUNK)


def _check_lines(text: bytes, first: int, path: Path) -> None:
    """Raise LoadError, with its number, for the first line that is neither blank nor eight
    hexadecimal digits.

    `first` is the number of the first line of `text`.
    """
    matched = _LINES.match(text)
    end = matched.end() if matched else 0
    if end < len(text):
        raise _no_word(
            path, first + text.count(b"\n", 0, end), text[end : end + 99].split(b"\n", 1)[0]
        )


def _no_word(path: Path, line: int, line_start: bytes) -> LoadError:
    quoted = line_start[:20].decode("ascii", "replace")
    return LoadError(
        f"{path}, line {line}: {quoted!r} is not a trace word of eight hexadecimal digits"
    )


def _too_many(path: Path) -> LoadError:
    return LoadError(f"{path}: has more than {MAX_WORDS} words, the limit of a trace buffer")


def _parse(text: bytes) -> Words:
    digits = text.translate(None, b" \t\r\n").decode("ascii")
    return np.frombuffer(bytes.fromhex(digits), ">u4").astype(np.uint32)


def split_packets(words: Words) -> Packets:
    """Split the words into the bytes that each unit wrote, without headers and unused memory.

    Unwritten words inside a segment become padding. Without packets the record is empty.
    """
    is_data, place, full = find_data(words)
    data = words[is_data]
    heads = place[is_data] % PACKET_WORDS == 0
    valid = heads & is_header(data)
    owner = (
        np.maximum.accumulate(np.where(valid, np.arange(len(data)), -1))
        if len(data)
        else np.empty(0, int)
    )
    bad = int((heads & ~valid & (data != PAD)).sum())
    payload = ~heads & (owner >= 0)
    # Unwritten words inside a segment are padding: decoded as commands they would be events.
    content = np.where(data == UNWRITTEN, np.uint32(PAD), data)[payload]
    unit = (data[owner[payload]] & np.uint32(0x0FFF3000)) if len(data) else data
    return Packets(_streams(unit, content), bad, int((~heads & (owner < 0)).sum()), full)


def _streams(unit: Words, content: Words) -> list[Stream]:
    """Group the payload words by unit into streams of bytes, sorted by kind, then by first word.

    `unit` has the header bits of kind, row and column per word.
    """
    codes, first, code = np.unique(unit, return_index=True, return_inverse=True)
    order = np.argsort(code, kind="stable")
    edges = np.cumsum(np.bincount(code, minlength=len(codes)))
    streams = []
    for rank, (header, begin) in enumerate(zip(codes.tolist(), first.tolist(), strict=True)):
        rows = order[edges[rank - 1] if rank else 0 : edges[rank]]
        kind = KINDS[header >> 12 & 3]
        row = header >> 16 & 31
        col = header >> 21 & 127
        streams.append(
            (
                KINDS.index(kind),
                begin,
                Stream(kind, row, col, content[rows].astype(">u4").tobytes()),
            )
        )
    return [stream for _, _, stream in sorted(streams, key=lambda entry: entry[:2])]
