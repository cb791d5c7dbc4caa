"""JSON values off a text that may be damaged, at a cost that stays bounded however it is damaged."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

MAX_VALUE_CHARS = 1 << 20
"""A value that is longer is taken for damage."""
_WINDOWS = (1 << 12, 1 << 16)
_CUT_TOKEN = 16
_RECURSION_COST = 1 << 17
DECODER = json.JSONDecoder()


@dataclass
class DamagedValueError(Exception):
    """What stands there is no JSON value; `open` where more text might make it one.

    `scanned` characters belong to it for sure, and looking at it cost as much as reading `cost` characters.
    """

    open: bool
    scanned: int
    cost: int


def read_value(text: str, at: int, decoder: json.JSONDecoder = DECODER) -> tuple[object, int]:
    """Return the value that begins at `at`, and the place behind it; raise DamagedValueError if there is none.

    It is looked for in windows that grow: the decoder counts the lines before every error that it finds.
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
    try:
        value, length = decoder.raw_decode(window)
    except RecursionError:
        # Each level takes a character at least, and the decoder may go down half of the limit in any case.
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
