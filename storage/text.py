"""Text as every database takes it."""

from __future__ import annotations


def plain_text(value: object) -> str:
    """Return a value as text without what no database takes; nothing of a missing one."""
    return str(value or "").replace("\0", "").encode("utf-8", "replace").decode()


def is_plain(text: str) -> bool:
    """Return whether every database takes a text as it is."""
    return plain_text(text) == text
