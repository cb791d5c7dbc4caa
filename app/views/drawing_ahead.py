"""Draw pieces of a page while its layout is drawn, before the browser requests them."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from app.request.pieces_ahead import PiecesAhead
from app.request.time_limit import TimeLimitError, limit_part
from app.views.drawing import Piece
from app.views.drawn_pieces import draw_pieces
from app.views.page_data import Data, State
from app.views.shown import Shown
from app.views.state_drawing import StateDrawing

_LIMIT_S = 0.05
"""Processor seconds for the pieces: the layout waits for them, and a browser may never request
them.
"""
_LOG = logging.getLogger(__name__)


def draw_ahead(
    pieces: Iterable[Piece[Data, State]], data: Data, state: State, shown: Shown
) -> PiecesAhead | None:
    """Draw the pieces that a page lacks which shows `shown`; None if that fails or takes longer
    than 0.05 s (_LIMIT_S), so that the page requests them.
    """
    try:
        with limit_part(_LIMIT_S):
            drawn = draw_pieces(pieces, data, state, shown)
            text = StateDrawing.of(shown.version, drawn).to_text()
    except TimeLimitError:
        return None
    except Exception:
        # The request of the page meets the failure again, and reports it.
        _LOG.debug("pieces of %s were not drawn ahead", data.label, exc_info=True)
        return None
    return PiecesAhead(state.query(), shown.theme, text)
