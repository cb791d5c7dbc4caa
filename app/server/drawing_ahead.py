"""Store the pieces that a page requests once it is displayed when its layout is rendered.

The request for them then needs no render process, for which it would wait in the queue a second
time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from app.context import AppContext
from app.pages.page import ContentRequest, Page, PageContent
from app.request.pieces_ahead import ask_ahead, find_ahead
from app.server.cached_response import CachedResponse, is_drawn_whole
from app.server.response_folder import ResponseKey
from app.server.state_drawings import DrawingRequest, StateDrawings
from app.views.state_drawing import StateDrawing
from storage.errors import StorageError


@dataclass(frozen=True)
class DrawingAhead:
    """Layouts in the folder of drawings, rendered together with the pieces that follow them."""

    context: AppContext
    drawings: StateDrawings

    def get_layout(
        self,
        page: Page,
        content: ContentRequest,
        key: ResponseKey,
        make: Callable[[], CachedResponse],
    ) -> CachedResponse:
        """Return the layout for a key from the folder, else make and store it, and with it the
        pieces that are drawn ahead.
        """
        drawn: list[PageContent] = []

        def make_with_pieces() -> CachedResponse:
            # Read before the pieces are drawn: newer pieces under an older key are never found, but
            # older pieces under a newer key would be shown.
            shown = self._read_content(page, content)
            if shown is not None:
                drawn.append(shown)
                ask_ahead()
            return make()

        layout = self.drawings.folder.get(key, make_with_pieces)
        # Not while the layout is made: two keys may share a lock.
        if drawn and layout.is_cacheable:
            self._store(page, drawn[0])
        return layout

    def _read_content(self, page: Page, content: ContentRequest) -> PageContent | None:
        """Return the content that the drawing after a layout shows; None if the page has no views,
        drawings are not stored, or the content cannot be read.
        """
        if page.views is None or page.content is None or self.drawings.folder.path is None:
            return None
        try:
            return page.content(self.context, replace(content, is_layout=False))
        except (StorageError, ValueError):
            return None

    def _store(self, page: Page, content: PageContent) -> None:
        ahead = find_ahead()
        if ahead is not None and is_drawn_whole(ahead.text.encode()):
            asked = DrawingRequest(page, ahead.query, ahead.theme, None)
            self.drawings.add(asked.find_parts(content), StateDrawing.from_text(ahead.text))
