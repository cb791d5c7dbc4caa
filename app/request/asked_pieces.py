"""Whether the current request asks for the pieces of a drawing, which the server puts together."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

from flask import request

_KEY = "tilescope.asked_pieces"
"""Key of the WSGI environment, which render processes get and clients cannot set."""


def ask_pieces(known: Iterable[tuple[str, str]]) -> None:
    """Let the drawing of the current request be pieces, without those in `known`: names and forms
    (see `app.views.drawn_pieces`).
    """
    # A text, because render processes get plain values only.
    request.environ[_KEY] = json.dumps([*known])


def find_known() -> Collection[tuple[str, str]] | None:
    """Return the pieces that need not be drawn; None if the request asks for a whole drawing."""
    asked = request.environ.get(_KEY)
    return None if asked is None else {(name, form) for name, form in json.loads(asked)}
