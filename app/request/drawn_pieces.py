"""The pieces of a page that the current request draws: all, or a part with a cache entry of its own."""

from __future__ import annotations

from flask import request

OWN, OF_OTHER_RUNS = "own", "of other runs"
"""Pieces that show only the run of the page, and pieces that also show other runs."""
_KEY = "tilescope.drawn_pieces"
"""Key of the WSGI environment, which render processes get and clients cannot set."""


def limit_pieces(part: str) -> None:
    """Let the drawings of the current request have the pieces of a part, OWN or OF_OTHER_RUNS."""
    request.environ[_KEY] = part


def is_limited() -> bool:
    """Whether the current request draws a part of the pieces."""
    return _KEY in request.environ


def is_drawn(*, shows_other_runs: bool) -> bool:
    """Whether the current request draws the pieces that show, or do not show, other runs."""
    part = OF_OTHER_RUNS if shows_other_runs else OWN
    return bool(request.environ.get(_KEY, part) == part)
