"""Split a TPU-MLIR log into blocks of whole lines, and find the fields of a block.

A line is a sequence of fields `; key = value` without escaping. Text before the first field (a
progress bar) and between lines is irrelevant, so fields are found by their semicolons, over a whole
block at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import BinaryIO

import numpy as np

from schema.array_types import Bools, Ints

BLOCK_BYTES = 2 * 2**20
MAX_LINE_BYTES = 4 * 2**20
"""Longest line, in bytes, that is read in one piece, so that a file without newlines needs no more
memory than another file.
"""

_WORD = 8


@dataclass(frozen=True)
class LogBlock:
    """Some lines of a file: bytes, offset in the file (bytes) and number of the first line, from 1.

    `cut` is True if the last line is longer than `MAX_LINE_BYTES` and continues in the next block.
    """

    text: bytes
    offset: int
    first_line: int
    cut: bool

    @cached_property
    def newlines(self) -> Ints:
        """Byte offsets of the newlines in the block's text, in order."""
        return np.flatnonzero(np.frombuffer(self.text, np.uint8) == ord("\n"))

    @cached_property
    def fields(self) -> Fields:
        """Fields of the block's text, found by their semicolons."""
        return Fields(self.text)

    def line_numbers(self, at: Ints) -> Ints:
        """Return the numbers in the file, from 1, of the lines at these byte offsets in the block."""
        return self.first_line + np.searchsorted(self.newlines, at)

    def line_ends(self, numbers: Ints) -> Ints:
        """Return the byte offsets in the block at which the lines with these numbers end (their
        newlines).
        """
        return np.append(self.newlines, len(self.text))[numbers - self.first_line]


def line_blocks(stream: BinaryIO) -> Iterator[LogBlock]:
    """Yield the stream in blocks of about 2 MiB that end with a newline.

    The last block ends with the stream. A line of more than 4 MiB is cut. No blocks if the stream
    is empty.
    """
    offset, line = 0, 1
    while text := stream.read(BLOCK_BYTES):
        cut = False
        if not text.endswith(b"\n"):
            rest = stream.readline(MAX_LINE_BYTES)
            cut = len(rest) == MAX_LINE_BYTES and not rest.endswith(b"\n")
            text += rest
        block = LogBlock(text, offset, line, cut)
        yield block
        offset += len(text)
        line += len(block.newlines)


class Fields:
    """Fields of a text; `at` has the positions of their semicolons.

    Keys are compared eight bytes at a time: the text is viewed as overlapping 64-bit words, with a
    word at every byte.
    """

    def __init__(self, text: bytes) -> None:
        count = max(0, len(text) - _WORD + 1)
        self._words = np.ndarray(
            (count,), np.dtype("<u8"), text if count else bytes(_WORD), 0, (1,)
        )
        self.at: Ints = np.flatnonzero(np.frombuffer(text, np.uint8) == ord(";"))
        # The first word of every field, so that a single comparison rejects most fields.
        self._first = np.zeros(len(self.at), np.uint64)
        whole = np.searchsorted(self.at, count)
        self._first[:whole] = self._words[self.at[:whole]]

    def starting(self, text: bytes) -> Ints:
        """Return the ranks, in order, of the text's fields that start with `text` (at least eight
        bytes, with the semicolon); empty if there are none.
        """
        ranks = np.flatnonzero(self._first == _word(text, 0))
        return ranks[self.match_prefix(ranks, text)]

    def match_prefix(self, ranks: Ints, text: bytes) -> Bools:
        """Compute a mask of the fields with these ranks that start with `text` (at least eight
        bytes), in the order of `ranks`.
        """
        alike: Bools = self._first[ranks] == _word(text, 0)
        places = self.at[ranks]
        most = len(self._words) - 1
        for begin in [*range(_WORD, len(text) - _WORD, _WORD), len(text) - _WORD]:
            # Indexed, not taken: `take` would copy all the overlapping words first.
            alike &= self._words[np.minimum(places + begin, most)] == _word(text, begin)
        return alike


def _word(text: bytes, begin: int) -> int:
    return int.from_bytes(text[begin : begin + _WORD], "little")
