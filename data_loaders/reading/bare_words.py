"""Numbers that are no JSON, such as `inf` and `-nan(ind)`, which C++ prints for what has no value.

Of `inf`, `nan`, `1.#QNAN` and the like, one makes a whole file invalid for every JSON reader.
"""

from __future__ import annotations

import re

_STRING = r'"(?:[^"\\]|\\[\s\S])*+"'
_WORD = (
    r"(?<=[\s:\[,])[-+]?(?:inf(?:inity)?|nan(?:\([a-z0-9_]{0,20}\))?|1\.#[a-z]{2,5})"
    r"(?=[\s,\]}])"
)
_TOKEN = re.compile(f"{_STRING}|({_WORD})", re.IGNORECASE)
"""A text, which may contain such a word, or a word outside of texts."""
_TOKEN_BYTES = re.compile(_TOKEN.pattern.encode(), re.IGNORECASE)
_HINT = re.compile(_WORD, re.IGNORECASE)
_HINT_BYTES = re.compile(_WORD.encode(), re.IGNORECASE)


def null_bare_words(block: bytes) -> bytes:
    """Replace such words outside of texts by `null`; the same object if there are none."""
    if not _HINT_BYTES.search(block):
        return block
    return _TOKEN_BYTES.sub(lambda match: b"null" if match[1] else match[0], block)


def name_bare_words(text: str) -> str:
    """Replace such words outside of texts by `NaN`, which Python's decoder accepts, and spaces.

    Offsets in the text stay as they are.
    """
    if not _HINT.search(text):
        return text
    return _TOKEN.sub(lambda match: "NaN".ljust(len(match[1])) if match[1] else match[0], text)
