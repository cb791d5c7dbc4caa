"""Places of the server are nobody's business: they are taken out of every sentence that leaves it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

HIDDEN = "[server path]"
_LONGEST = 20_000
_URL_OR_PATH = re.compile(r"(?<![\w.+-])[A-Za-z][\w+.-]*://[^\s'\"<>]+|(?<![\w.+)\]-])/[^\s'\"<>]+")
_TRAILING = ".,:;!?)]"


def without_server_paths(sentence: str, roots: Iterable[str] = ()) -> str:
    """Return the sentence without URLs and without paths that begin as some of this machine do.

    `roots` are further texts to take out, such as folders with a space in their names. Addresses of pages stay.
    """
    text = sentence[:_LONGEST]
    for root in sorted((root for root in roots if len(root) > 1), key=len, reverse=True):
        text = re.sub(re.escape(root) + r"[^\s'\"<>]*", HIDDEN, text)
    return _URL_OR_PATH.sub(_hide_path, text)


def _hide_path(found: re.Match[str]) -> str:
    token = found.group().rstrip(_TRAILING)
    rest = found.group()[len(token) :]
    return (HIDDEN if "://" in token or _is_of_this_machine(token) else token) + rest


def _is_of_this_machine(path: str) -> bool:
    first = path.split("/", 2)[1]
    return bool(first) and len(first) < 256 and "\0" not in first and Path("/", first).exists()
