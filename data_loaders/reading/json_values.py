"""Parse JSON values from text that may be damaged, at a bounded cost for any damage."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

MAX_VALUE_CHARS = 1 << 20
"""Longest JSON value in characters; a longer value counts as damage."""
_WINDOWS = (1 << 12, 1 << 16)
"""Characters that the decoder sees at first, and then if the value does not end within them."""
_CUT_TOKEN = 16
"""Characters at a window's end within which an error may come from a token that the window cuts."""
_RECURSION_COST = 1 << 17
"""Cost, in characters, of a value that exceeds the recursion limit."""
DECODER = json.JSONDecoder()


@dataclass
class DamagedValueError(Exception):
    """The text at a place is not a JSON value; `open` if further text might complete it.

    `scanned` is the number of characters that surely belong to the damage. `cost` is the work of
    the attempt, in characters read.
    """

    open: bool
    scanned: int
    cost: int


def read_value(text: str, at: int, decoder: json.JSONDecoder = DECODER) -> tuple[object, int]:
    """Parse the value at offset `at`; returns it with the offset behind it.

    Raises DamagedValueError if no value begins there, or it is damaged, unfinished or longer than 1
    MiB. The text is parsed in windows of growing size because on every error the decoder counts the
    lines before it, which takes time in proportion to the text.
    """
    for size in _WINDOWS:
        try:
            value, length = _value(text[at : at + size], decoder)
            return value, at + length
        except DamagedValueError as error:
            if not error.open or at + size >= len(text):
                raise
    value, length = _value(text[at : at + MAX_VALUE_CHARS], decoder)
    return value, at + length


def _value(window: str, decoder: json.JSONDecoder) -> tuple[object, int]:
    """Parse the value at the start of the window; returns it with its length in characters.

    Raises DamagedValueError if it is not a whole value; a number at the window's end counts as
    unfinished.
    """
    try:
        value, length = decoder.raw_decode(window)
    except RecursionError:
        # A level takes at least one character, and the decoder always reaches half of the limit.
        raise DamagedValueError(False, sys.getrecursionlimit() // 2, _RECURSION_COST) from None
    except json.JSONDecodeError as error:
        cut = error.msg.startswith("Unterminated string") or error.pos > len(window) - _CUT_TOKEN
        scanned = len(window) if cut else error.pos
        raise DamagedValueError(cut, scanned, scanned) from None
    except ValueError:  # a number with thousands of digits
        raise DamagedValueError(False, 1, len(window)) from None
    if length == len(window) and not isinstance(value, dict | list | str):
        raise DamagedValueError(True, length, length)
    return value, length
