"""Escape text that a spreadsheet would run as a formula, and quote every line break, for each cell
of a CSV file.
"""

from __future__ import annotations

import io
import re
from typing import TextIO

_BLANK = (
    "\x00-\x20\x7f-\xa0\xad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\ufffb"
    "\U000e0001-\U000e007f"
)
"""Whitespace, control and format characters of Unicode; spreadsheets skip several of them before a
formula.
"""
_SIGNS = "=+@\u2212\u207a\u207c\u208a\u208c\u2a75\u2a76\ufb29\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20\\-"
"""Signs that begin a formula: = + - @, the minus sign, and their compatibility forms in Unicode."""
FORMULA = f"^(?:[{_BLANK}]*[{_SIGNS}]|[\t\r\n])"
"""Pattern of the beginning of a dangerous cell, for Python's `re` and for RE2, which pandas uses.
"""
_FORMULA = re.compile(FORMULA)
_NUMBER = re.compile(r"\A[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")


def guarded_cell(text: str) -> str:
    """Return a cell's text with an apostrophe before it if a spreadsheet would run it as a formula:
    it begins with = + - or @, perhaps after blanks, or with a tab or line break. Other text, and
    numbers such as -5, are returned unchanged.
    """
    # A minus sign begins a formula, but negative numbers must stay numbers.
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.match(text) else text


ROW_END = "\r\n"
"""End of a row for the writers of a `RowStream`."""


class RowStream(io.TextIOBase):
    """Stream for a CSV writer with the line terminator ROW_END; the rows in `text` end with a line
    feed.
    """

    # Until Python 3.12, a writer only quotes the line breaks that are in its terminator. Without
    # quotes, the text after a carriage return would begin a row, and its first cell is not guarded.

    def __init__(self, text: TextIO) -> None:
        self._text = text

    def writable(self) -> bool:
        return True

    def write(self, row: str) -> int:
        """Write one row, which ends with ROW_END."""
        return self._text.write(row.removesuffix(ROW_END) + "\n")
