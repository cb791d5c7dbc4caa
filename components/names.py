"""Names for a list with little room, shortened so that they still differ."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import takewhile

from components.numbers import shorten, tame

_TAIL = 8
"""Characters at the end of a name's room that do not count when names are compared for a common
beginning.
"""
MIN_TAIL = 12
"""Characters at the end of a name that stay when it is cut, since ends tell most names apart."""
MAX_TAIL = 24
"""Maximum number of such characters: they fit into a narrow column."""
_MIN_SHARED = 8
"""Characters that names share if they are compared for where they differ."""
_WORD_END = re.compile(r"[^0-9A-Za-z](?=[0-9A-Za-z])")


def short_names(names: Sequence[str], limit: int = 24) -> list[str]:
    """Shorten each name to at most `limit` characters, in order.

    Names that fit stay as they are. If long names share a beginning, it is replaced by `…` up to
    the last word boundary that all of them share; of other long names the middle is cut. Control
    and direction characters are removed.
    """
    shown = [tame(name) for name in names]
    alike = defaultdict(set)
    for name in shown:
        alike[_head(name, limit)].add(name)
    return [_short(name, sorted(alike[_head(name, limit)]), limit) for name in shown]


def tail_lengths(names: Sequence[str]) -> list[int]:
    """Compute how many characters at the end of each name must stay when a list cuts its middle.

    They begin where names with the same beginning differ, and are MIN_TAIL (12) to MAX_TAIL (24)
    characters.
    """
    alike = defaultdict(set)
    for name in names:
        alike[name[:_MIN_SHARED]].add(name)
    shared = {head: _shared_prefix(sorted(group)) for head, group in alike.items()}
    own = [len(name) - shared[name[:_MIN_SHARED]] for name in names]
    return [
        min(len(name), max(MIN_TAIL, min(length, MAX_TAIL)))
        for name, length in zip(names, own, strict=True)
    ]


def _head(name: str, limit: int) -> str:
    return name[: max(1, limit - _TAIL)]


def _short(name: str, alike: Sequence[str], limit: int) -> str:
    if len(name) <= limit:
        return name
    return shorten(f"…{name[_shared_prefix(alike) :]}" if len(alike) > 1 else name, limit)


def _shared_prefix(names: Sequence[str]) -> int:
    """Compute the length of the prefix that sorted names share, cut back to the start of a word; 0
    if they share no whole word.
    """
    # The first and the last of sorted names differ earliest, so no other pair has to be compared.
    same = takewhile(lambda pair: pair[0] == pair[1], zip(names[0], names[-1], strict=False))
    prefix = "".join(first for first, _ in same)
    ends = [match.end() for match in _WORD_END.finditer(f"{prefix}0")]
    return ends[-1] if ends else 0
