"""Convert text to a form that every database stores."""

from __future__ import annotations


def plain_text(value: object) -> str:
    """Convert a value to text without NUL and lone surrogates, which databases reject; "" for None."""
    return str(value or "").replace("\0", "").encode("utf-8", "replace").decode()


def is_plain(text: str) -> bool:
    """Whether every database stores a text unchanged."""
    return plain_text(text) == text
