"""Pieces that a page requests once it is displayed, drawn together with its layout.

The browser requests them with the state that the layout has recorded, so that they are known before
the layout is sent. A render process hands them to the server next to the response.
"""

from __future__ import annotations

from dataclasses import dataclass

from flask import has_request_context, request

_ASKED = "tilescope.asks_ahead"
_DRAWN = "tilescope.pieces_ahead"
"""Keys of the WSGI environment, which clients cannot set. Render processes get the first one."""


@dataclass(frozen=True)
class PiecesAhead:
    """The drawing of a page for the query string of its view state and its theme: its pieces, as
    `StateDrawing.to_text` writes them.
    """

    query: str
    theme: str
    text: str


def ask_ahead() -> None:
    """Let the layout of the current request hand over the pieces that the page requests next."""
    request.environ[_ASKED] = True


def is_asked_ahead() -> bool:
    """Return whether the layout of the current request shall hand over pieces; False outside of a
    request.
    """
    return has_request_context() and bool(request.environ.get(_ASKED))


def hand_over(pieces: PiecesAhead) -> None:
    """Store pieces in the current request, where `find_ahead` finds them."""
    request.environ[_DRAWN] = pieces


def find_ahead() -> PiecesAhead | None:
    """Return the pieces that were handed over in the current request, None if there are none."""
    pieces: PiecesAhead | None = request.environ.get(_DRAWN)
    return pieces
