"""Removal of paths and addresses of the server from sentences that leave it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

HIDDEN = "[server path]"
"""Text in place of a removed path."""
_MAX_LENGTH = 20_000
"""Maximum length of a sentence in characters; the rest is cut off."""
_URL_OR_PATH = re.compile(r"(?<![\w.+-])[A-Za-z][\w+.-]*://[^\s'\"<>]+|(?<![\w.+)\]-])/[^\s'\"<>]+")
_TRAILING = ".,:;!?)]"
"""Punctuation after a path, which is not part of it."""


def without_server_paths(sentence: str, roots: Iterable[str] = ()) -> str:
    """Replace URLs, and paths whose first folder exists on this machine, by HIDDEN (`[server
    path]`); cut to 20,000 characters.

    `roots` are further texts to replace, such as folders with a space in their name. Addresses of
    pages stay, since they do not begin with a folder of the machine.
    """
    text = sentence[:_MAX_LENGTH]
    # The longest root comes first, because a root may begin with another root.
    for root in sorted((root for root in roots if len(root) > 1), key=len, reverse=True):
        text = re.sub(re.escape(root) + r"[^\s'\"<>]*", HIDDEN, text)
    return _URL_OR_PATH.sub(_hide_path, text)


def _hide_path(match: re.Match[str]) -> str:
    token = match.group().rstrip(_TRAILING)
    rest = match.group()[len(token) :]
    return (HIDDEN if "://" in token or _is_of_this_machine(token) else token) + rest


def _is_of_this_machine(path: str) -> bool:
    first = path.split("/", 2)[1]
    # File systems refuse longer names with an error.
    return bool(first) and len(first) < 256 and "\0" not in first and Path("/", first).exists()
