"""Positions in a query's text, and suggestions for unknown names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_NEAR = 3
"""Maximum number of suggestions."""
_ALIKE = 0.55
"""Minimum similarity (0 to 1) of a suggestion, by `difflib`."""


def place_of(text: str, offset: int) -> str:
    """Return a text such as `line 2, column 5`, both counted from 1 and columns in characters, for
    an offset in bytes of the text's UTF-8.
    """
    before = text.encode()[: max(0, offset)].decode("utf-8", "ignore")
    begin = before.rfind("\n") + 1
    return f"line {before.count(chr(10)) + 1}, column {len(before) - begin + 1}"


def near_names(name: str, known_names: Iterable[str]) -> str:
    """Return at most _NEAR (3) similar names as `; near it are kernels and tracks`; "" if no known
    name is similar to `name`. Case is ignored.
    """
    name_by_lower = {known.lower(): known for known in known_names}
    matches = difflib.get_close_matches(name.lower(), name_by_lower, _NEAR, _ALIKE)
    near = [name_by_lower[match] for match in matches]
    if not near:
        return ""
    *most, last = near
    return f"; near it {'are' if most else 'is'} {' and '.join([', '.join(most), last] if most else [last])}"


def one_line(text: str) -> str:
    """Replace control characters and line breaks by spaces, collapse runs of spaces, and strip the
    ends.
    """
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
