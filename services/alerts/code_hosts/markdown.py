"""Names from files in Markdown of GitHub and GitLab, where they must not act as markup."""

from __future__ import annotations

import unicodedata

MAX_NAME_CHARACTERS = 120
"""Maximum characters of a name in a comment or an issue."""
MAX_TITLE_CHARACTERS = 200
"""Maximum characters of a title: GitLab accepts 255, GitHub 256."""
_TITLE_MARKS = " ._-+,()="
"""Characters of a title besides letters and digits. No mention, reference, emoji, address, quick
action or markup can be written with them."""
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Categories of characters that break lines, reverse text or cannot be encoded."""
_URL_MARKS = str.maketrans({mark: f"%{ord(mark):02X}" for mark in ' ()<>[]|\\"`*'})
"""Characters that end a link or a cell, and their percent-encoded forms."""


def code(name: object) -> str:
    """Format a name as a code span; "-" for an empty name.

    Both servers look for mentions, references, addresses and closing keywords after they have
    removed the backslashes of Markdown, so that an escaped `@team` still notifies the team. They
    ignore code spans.
    """
    words = _single_line(name)
    # A backtick would end the span. A pipe ends a table's cell even in a code span, and after a
    # backslash the servers disagree about it.
    words = words.replace("`", "'").replace("|", "\N{BROKEN BAR}")
    return f"`{_cut(words, MAX_NAME_CHARACTERS)}`" if words else "-"


def title(words: str) -> str:
    """Reduce words to a title: letters, digits and _TITLE_MARKS, other characters become spaces.

    GitLab reads mentions in titles, where code spans do not exist.
    """
    kept = "".join(char if char.isalnum() or char in _TITLE_MARKS else " " for char in words)
    return _cut(" ".join(kept.split()), MAX_TITLE_CHARACTERS)


def link(words: str, url: str | None) -> str:
    """Format a link with words of this program; "" if there is no address."""
    return f"[{words}]({url.translate(_URL_MARKS)})" if url else ""


def _single_line(name: object) -> str:
    text = "" if name is None else str(name)
    shown = "".join(" " if unicodedata.category(char) in _HIDDEN else char for char in text)
    return " ".join(shown.split())


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else f"{words[: most - 1].rstrip()}\N{HORIZONTAL ELLIPSIS}"
