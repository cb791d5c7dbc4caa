"""The colour and the words of each kind of operation, the same in every picture of a graph."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from components.theme import CATEGORICAL, palette

_PLACES = {"memory": 0, "arithmetic": 5, "movement": 8, "loop": 6, "buffer": 1, "call": 3, "copy": 4, "other": 9}
"""Kind -> its place among the colours; green is what a match made."""
_OF_KIND: Mapping[str, str] = MappingProxyType({kind: CATEGORICAL[place] for kind, place in _PLACES.items()})


def kind_colour(kind: str, theme: str) -> str:
    """Return the colour of a kind: constants are muted, an error has the colour of trouble."""
    colours = palette(theme)
    own = {"constant": colours.muted, "control": colours.reference, "error": colours.trouble}
    return own.get(kind) or _OF_KIND.get(kind, colours.muted)
