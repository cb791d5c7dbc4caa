"""The names in tinygrad's captures: text for the frames, and the colours that say which kind of
axis a number is.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

MOST_CHARACTERS = 5000
"""Longest text of a name; a table has it in every row that it names."""
MOST_COLOURS = 2000
"""Longest text of a name's colours."""
_HASH = 12
_COLOUR = re.compile(r"\x1b\[([0-9;]*)m")
_DISK = re.compile(r"DISK:((?:(?! -> | <- |\x1b).)*)", re.DOTALL)
_COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


def plain(name: str) -> str:
    """Return the name without colours, as text that can be written anywhere, cut at MOST_CHARACTERS.

    Other control characters and markup stay: a view escapes what it shows.
    """
    return clean(_COLOUR.sub("", name))


def clean(text: str, most: int = MOST_CHARACTERS) -> str:
    """Return the text as it can be written anywhere, cut at `most` characters.

    A cut text ends in an ellipsis and the beginning of a hash of the whole, so that two that differ stay two.
    """
    if len(text) > most:
        whole = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        text = f"{text[: _kept_length(most)]}…{whole[:_HASH]}"
    return writable(text)


def _kept_length(most: int) -> int:
    return most - 1 - _HASH


def writable(text: str) -> str:
    """Return the text with halves of characters (lone surrogates), which no file takes, as question
    marks.
    """
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def colours(name: str) -> str:
    """Return the coloured spans of the plain name as `0-1:BLACK 2-4:blue`; upper case is the bright colour.

    In a kernel's name blue is a global axis, cyan local, white and BLUE loop and thread, yellow upcast, red and RED
    reduce and group reduce, magenta unroll; the underscores are BLACK. What is cut off the plain name has no colours;
    spans that do not fit into MOST_COLOURS characters are left out.
    """
    most = MOST_CHARACTERS if len(_COLOUR.sub("", name)) <= MOST_CHARACTERS else _kept_length(MOST_CHARACTERS)
    spans, room = [], MOST_COLOURS
    for begin, end, colour in _spans(name):
        span = f"{begin}-{min(end, most)}:{colour}"
        room -= len(span) + 1
        if begin >= most or room < 0:
            break
        spans.append(span)
    return " ".join(spans)


def _spans(name: str) -> Iterator[tuple[int, int, str]]:
    """Yield where each colour begins and ends in the plain name, and which it is."""
    colour, at, length = "", 0, 0
    for match in _COLOUR.finditer(name):
        begin, length = length, length + match.start() - at
        if colour and length > begin:
            yield begin, length, colour
        colour, at = _colour_name(match.group(1)), match.end()
    if colour and at < len(name):
        yield length, length + len(name) - at, colour


def _colour_name(codes: str) -> str:
    """Return tinygrad's name of a colour, empty for the reset and for what it does not use."""
    code = int(codes) if codes.isascii() and codes.isdigit() and len(codes) < 4 else 0
    if 30 <= code <= 37:
        return _COLOURS[code - 30]
    return _COLOURS[code - 90].upper() if 90 <= code <= 97 else ""


def without_folders(name: str) -> str:
    """Return the name without the folders of files: `DISK:w.bin -> CPU` of `DISK:/home/x/w.bin ->
    CPU`.
    """
    return _DISK.sub(lambda match: f"DISK:{PurePosixPath(match.group(1)).name}", name)


def function_name(name: str) -> str:
    """Return the name of the function that a kernel is compiled to: what is no letter or digit as
    hexadecimal.
    """
    return re.sub(r"[^A-Za-z0-9_]", lambda match: f"{ord(match.group()):02X}", plain(name))
