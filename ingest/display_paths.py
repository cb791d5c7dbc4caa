"""Replace paths of temporary copies in messages by the paths that the user knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path


def with_display_paths(text: str, files: Iterable[Path], places: Mapping[Path, str]) -> str:
    """Replace the path of each file in a text by its place in `places`.

    A path is found as given, as an absolute path, and with its links resolved. The path of a file
    that is not in `places` stays, and so do paths of other files.
    """
    replacements: dict[str, str] = {}
    for path in files:
        if path in places and path.name in text:
            replacements |= dict.fromkeys(
                map(str, (path, path.absolute(), path.resolve())), places[path]
            )
    # Longest first: a path may be a prefix of another path, or the end of its own absolute path.
    for path_text in sorted(replacements, key=len, reverse=True):
        text = text.replace(path_text, replacements[path_text])
    return text
