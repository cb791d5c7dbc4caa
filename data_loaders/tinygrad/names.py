"""Names in tinygrad's captures: plain text, and colours that encode kinds of axes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

MAX_CHARACTERS = 5000
"""Longest name, in characters; a frame stores a name in every row."""
MAX_COLOURS = 2000
"""Longest text of a name's colours, in characters."""
_HASH = 12
_COLOUR = re.compile(r"\x1b\[([0-9;]*)m")
_DISK = re.compile(r"DISK:((?:(?! -> | <- |\x1b).)*)", re.DOTALL)
_COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


def plain(name: str) -> str:
    """Return the name without colour codes.

    The result is valid UTF-8 text of at most 5,000 characters (see `clean`). Other control
    characters and markup stay: views escape names.
    """
    return clean(_COLOUR.sub("", name))


def clean(text: str, most: int = MAX_CHARACTERS) -> str:
    """Shorten a text to at most `most` characters and make it valid UTF-8.

    A cut text ends with an ellipsis and the beginning of a hash of the whole text, so that
    different texts stay different.
    """
    if len(text) > most:
        whole = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        text = f"{text[: _cut_length(most)]}…{whole[:_HASH]}"
    return writable(text)


def _cut_length(most: int) -> int:
    return most - 1 - _HASH


def writable(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode, by question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def colours(name: str) -> str:
    """Return the coloured spans of the plain name as `0-1:BLACK 2-4:blue` (half-open, from 0).

    "" without colours. Upper case denotes bright colours. In a kernel's name, blue is a global
    axis, cyan local, white and BLUE loop and thread, yellow upcast, red and RED reduce and group
    reduce, magenta unroll; underscores are BLACK. Characters that are cut off the plain name have
    no colour. Spans beyond 2,000 characters are left out.
    """
    most = (
        MAX_CHARACTERS
        if len(_COLOUR.sub("", name)) <= MAX_CHARACTERS
        else _cut_length(MAX_CHARACTERS)
    )
    spans = []
    room = MAX_COLOURS
    for begin, end, colour in _spans(name):
        span = f"{begin}-{min(end, most)}:{colour}"
        room -= len(span) + 1
        if begin >= most or room < 0:
            break
        spans.append(span)
    return " ".join(spans)


def _spans(name: str) -> Iterator[tuple[int, int, str]]:
    """Yield (begin, end, colour) of each coloured span, half-open offsets in the plain name."""
    colour, at, length = "", 0, 0
    for match in _COLOUR.finditer(name):
        begin = length
        length += match.start() - at
        if colour and length > begin:
            yield begin, length, colour
        colour = _colour_name(match.group(1))
        at = match.end()
    if colour and at < len(name):
        yield length, length + len(name) - at, colour


def _colour_name(codes: str) -> str:
    """Return tinygrad's name of a colour code 30 to 37 (`red`) or 90 to 97 (`RED`).

    "" for the reset and other codes.
    """
    code = int(codes) if codes.isascii() and codes.isdigit() and len(codes) < 4 else 0
    if 30 <= code <= 37:
        return _COLOURS[code - 30]
    return _COLOURS[code - 90].upper() if 90 <= code <= 97 else ""


def without_folders(name: str) -> str:
    """Remove the folders of files from a name.

    `DISK:/home/x/w.bin -> CPU` becomes `DISK:w.bin -> CPU`; other names stay.
    """
    return _DISK.sub(lambda match: f"DISK:{PurePosixPath(match.group(1)).name}", name)


def function_name(name: str) -> str:
    """Return the compiled function's name.

    Every other character than A-Z, a-z, 0-9 and _ becomes its code in hexadecimal. Colour codes are
    removed first.
    """
    return re.sub(r"[^A-Za-z0-9_]", lambda match: f"{ord(match.group()):02X}", plain(name))
