"""The names in tinygrad's captures: text for the frames, and the colours that say which kind of axis a number is."""

from __future__ import annotations

import re

MOST_CHARACTERS = 10_000
_COLOUR = re.compile(r"\x1b\[([0-9;]*)m")
_COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


def plain(name: str) -> str:
    """Return the name without colours, as text that can be written anywhere, cut at MOST_CHARACTERS.

    Other control characters and markup stay: a view escapes what it shows.
    """
    return clean(_COLOUR.sub("", name))


def clean(text: str) -> str:
    """Return the text as it can be written anywhere, cut at MOST_CHARACTERS."""
    if len(text) > MOST_CHARACTERS:
        text = text[: MOST_CHARACTERS - 1] + "…"
    return writable(text)


def writable(text: str) -> str:
    """Return the text with halves of characters (lone surrogates), which no file takes, as question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def colours(name: str) -> str:
    """Return the coloured spans of the plain name as `0-1:BLACK 2-4:blue`; upper case is the bright colour.

    In a kernel's name blue is a global axis, cyan local, white and BLUE loop and thread, yellow upcast, red and RED
    reduce and group reduce, magenta unroll; the underscores are BLACK. What is cut off the plain name has no colours.
    """
    spans, colour, at, length = [], "", 0, 0
    for match in _COLOUR.finditer(name):
        if length + match.start() - at > MOST_CHARACTERS:
            break
        begin, length = length, length + match.start() - at
        if colour and length > begin:
            spans.append(f"{begin}-{length}:{colour}")
        colour, at = _named(match.group(1)), match.end()
    end = min(length + len(name) - at, MOST_CHARACTERS)
    return " ".join([*spans, f"{length}-{end}:{colour}"] if colour and end > length else spans)


def _named(codes: str) -> str:
    """Return tinygrad's name of a colour, empty for the reset and for what it does not use."""
    code = int(codes) if codes.isascii() and codes.isdigit() and len(codes) < 4 else 0
    if 30 <= code <= 37:
        return _COLOURS[code - 30]
    return _COLOURS[code - 90].upper() if 90 <= code <= 97 else ""


def function_name(name: str) -> str:
    """Return the name of the function that a kernel is compiled to: what is no letter or digit as hexadecimal."""
    return re.sub(r"[^A-Za-z0-9_]", lambda match: f"{ord(match.group()):02X}", plain(name))
