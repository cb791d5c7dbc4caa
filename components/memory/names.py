"""Names without the prefix that all of them share: what tells one from another is at their end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from components.numbers import tame

_LEAST = 4
"""A shorter prefix costs no room."""
_BORDER = re.compile(r"[^\W_]+\Z")
"""The part of a word or a number at the end of a prefix: `conv1` of `conv10` and `conv11` stays whole."""


def shared_prefix(names: Sequence[str]) -> str:
    """Return the prefix that all names share up to a border of words, "" where it is short or there is one name."""
    known = {name for name in names if name}
    if len(known) < 2:
        return ""
    # What the first and the last in order share all of them share.
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(min(known), max(known), strict=False))
    prefix = _BORDER.sub("", "".join(one for one, _ in pairs))
    return prefix if len(prefix) >= _LEAST and prefix not in known else ""


def tails(names: Sequence[str], limit: int) -> list[str]:
    """Return names of at most `limit` characters: without the shared prefix, an ellipsis in its place."""
    prefix = shared_prefix(names)
    return [_tail(f"…{name[len(prefix) :]}" if prefix and name else name, limit) for name in names]


def _tail(name: str, limit: int) -> str:
    shown = tame(name)
    return shown if len(shown) <= limit else f"…{shown[len(shown) - limit + 1 :]}"
