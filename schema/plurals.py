"""Format counts with their nouns."""

from __future__ import annotations


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
