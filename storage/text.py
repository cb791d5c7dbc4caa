"""Convert text to a form that every database stores."""

from __future__ import annotations


def plain_text(value: object) -> str:
    """Convert a value to a text that databases accept: NUL is removed, lone surrogates become `?`.

    "" for None and for other false values, such as 0.
    """
    return str(value or "").replace("\0", "").encode("utf-8", "replace").decode()


def is_plain(text: str) -> bool:
    """Whether a text has neither NUL nor lone surrogates, so that every database stores it
    unchanged.
    """
    return plain_text(text) == text
