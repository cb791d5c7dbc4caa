"""Files as people know them, where what is read is a temporary copy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path


def with_display_paths(text: str, files: Iterable[Path], places: Mapping[Path, str]) -> str:
    """Return a sentence with the place of each of the files, as `places` has it, where the sentence has its path.

    A path is found as it was given, made absolute, and with its links followed.
    """
    known: dict[str, str] = {}
    for path in files:
        if path in places and path.name in text:
            known |= dict.fromkeys(map(str, (path, path.absolute(), path.resolve())), places[path])
    # the longest first: a path may be the beginning of another one, or the end of itself made absolute
    for path_text in sorted(known, key=len, reverse=True):
        text = text.replace(path_text, known[path_text])
    return text
