"""How a verdict looks, the same on every page: its sign, so that a colour is never alone, and its colour."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

SIGNS: Mapping[str, str] = MappingProxyType(
    {"improved": "▲", "regressed": "▼", "changed": "◆", "unchanged": "=", "undecided": "?", "incomparable": "≠"}
)
"""Verdict -> its sign."""
_LOOKS: Mapping[str, str] = MappingProxyType(
    {
        "improved": "good",
        "regressed": "trouble",
        "changed": "caution",
        "undecided": "caution",
        "incomparable": "caution",
    }
)
"""Verdict -> role of its colour; the others are muted."""


def look(verdict: str) -> str:
    """Return the role of a verdict's colour."""
    return _LOOKS.get(verdict, "muted")


def tone(verdict: str) -> str:
    """Return the class of a verdict's colour."""
    return f"ts-{look(verdict)}"


def verdict_words(verdict: str) -> str:
    """Return a verdict with its sign."""
    return f"{SIGNS.get(verdict, '')} {verdict}".strip()
