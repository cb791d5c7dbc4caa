"""Sign and colour of a verdict, the same on every page. Verdicts differ by sign, so that they can
be told apart without colours.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

SIGNS: Mapping[str, str] = MappingProxyType(
    {
        "improved": "▲",
        "regressed": "▼",
        "changed": "◆",
        "unchanged": "=",
        "undecided": "?",
        "incomparable": "≠",
    }
)
"""Verdict -> sign in front of it."""
_LOOKS: Mapping[str, str] = MappingProxyType(
    {
        "improved": "good",
        "regressed": "trouble",
        "changed": "caution",
        "undecided": "caution",
        "incomparable": "caution",
    }
)
"""Verdict -> role of its colour (a field of `Palette`); verdicts that are missing here are `muted`.
"""


def look(verdict: str) -> str:
    """Return the role of a verdict's colour, a field of `Palette`.

    An unknown verdict is `muted`.
    """
    return _LOOKS.get(verdict, "muted")


def tone(verdict: str) -> str:
    """Return the CSS class of a verdict's colour, such as `ts-good`; `ts-muted` for an unknown
    verdict.
    """
    return f"ts-{look(verdict)}"


def verdict_words(verdict: str) -> str:
    """Format a verdict with its sign: `▲ improved`; an unknown verdict has no sign."""
    return f"{SIGNS.get(verdict, '')} {verdict}".strip()
