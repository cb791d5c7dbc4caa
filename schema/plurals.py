"""Format counts with their nouns, and long lists by their first names."""

from __future__ import annotations

from collections.abc import Iterable


def plural_form(noun: str) -> str:
    """Form the English plural of a noun by its ending, such as cores, copies, arrays, matches;
    irregular nouns are not known.
    """
    if noun.endswith(("ch", "sh", "ss", "x")):
        return f"{noun}es"
    return (
        f"{noun[:-1]}ies"
        # A tuple, because the empty text before a single letter is part of any text.
        if noun.endswith("y") and noun[-2:-1] not in tuple("aeiou")
        else f"{noun}s"
    )


def plural(count: int, noun: str) -> str:
    """Format a count and its noun: `1 core`, `0 cores`, `2 cores`.

    The count has no thousands separator.
    """
    return f"{count} {noun if count == 1 else plural_form(noun)}"


def first_names(names: Iterable[str], most: int, separator: str = ", ") -> str:
    """Join the first `most` names; further names are counted, as in `a, b, c and 2 more`. ""
    without names.
    """
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return separator.join(listed[:most]) + more
