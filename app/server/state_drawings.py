"""Put the drawings of pages together from cached pieces.

The drawing of a view state is cached once, and does not depend on the view state that a page showed
before: a change from A to B and a change from C to B send different pieces of the same drawing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import Response, request

from app.pages.page import Page, PageContent
from app.pages.shell import read_theme
from app.request.asked_pieces import ask_pieces
from app.server.cached_response import (
    QUICK_LEVEL,
    CachedResponse,
    is_cacheable,
    pack_body,
    read_body,
)
from app.server.response_folder import ResponseFolder, ResponseKey
from app.views.drawn_pieces import DrawnPiece, find_changes
from app.views.shown import Shown
from app.views.state_drawing import StateDrawing

_NO_CHANGES = "{}"
"""Properties of a piece in the form KEPT: it changes no component of the page."""


@dataclass(frozen=True)
class DrawingPart:
    """A part of a drawing that is stored under a key of its own, and its pieces."""

    key: ResponseKey
    has_piece: Callable[[DrawnPiece[str]], bool]


@dataclass(frozen=True)
class DrawingRequest:
    """A request for the drawing of a page: query string of the view state, theme, and the state of
    the displayed page, each as the browser sent it.
    """

    page: Page
    query: str
    theme: str | None
    shown: object

    @property
    def state_text(self) -> str:
        """Text that identifies the drawing: page, view state and theme."""
        return json.dumps([self.page.name, self.query, self._before("").theme])

    def find_parts(self, content: PageContent) -> list[DrawingPart]:
        """Return the parts of the drawing with keys of their own: if some pieces show other runs,
        these pieces, because an ingest changes the other runs but hardly ever the page's run.
        """

        def part(has_piece: Callable[[DrawnPiece[str]], bool], *more: str) -> DrawingPart:
            parts = [self.state_text, read_theme(request), content.text, *more]
            digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
            return DrawingPart(ResponseKey.of(digest, content.prefixes), has_piece)

        if not content.other_runs:
            return [part(lambda _: True)]
        return [
            part(lambda piece: piece.other_runs is None, "own"),
            part(lambda piece: piece.other_runs is not None, "other runs", content.other_runs),
        ]

    def respond(self, drawing: StateDrawing) -> tuple[CachedResponse, bool]:
        """Return the response with the pieces that the page lacks, without an output if there are
        none, and whether the drawing has all of them.
        """
        if self.page.views is None:
            raise ValueError(f"page {self.page.name} has no views")
        before = self._before(drawing.version)
        state = self.page.views.parse(self.query)
        properties, after, is_whole = find_changes(drawing.pieces, state, before)
        shown = after.to_store()
        changed = [text[1:-1] for text in properties if text != _NO_CHANGES]
        outputs = ""
        if changed or shown != self.shown:
            # Not by way of objects: the pieces are JSON already.
            data = f'{{"changes":{{{",".join(changed)}}},"shown":{_dump(shown)}}}'
            outputs = f'{_dump(self.page.changes)}:{{"data":{data}}}'
        text = f'{{"multi":true,"response":{{{outputs}}}}}'
        return CachedResponse(pack_body(text.encode()), 200), is_whole

    def _before(self, version: str) -> Shown:
        return Shown.of(self.shown, version, self.theme)


@dataclass(frozen=True)
class StateDrawings:
    """The drawings of view states in the folder that the processes of a server share."""

    folder: ResponseFolder

    def respond(
        self, asked: DrawingRequest, parts: Sequence[DrawingPart], make: Callable[[], Response]
    ) -> CachedResponse:
        """Return the response to a request from the stored parts of its drawing.

        `make` draws the pieces that they lack, which are stored. If it does not return pieces, as
        for a refused request, its response is returned.
        """
        response = _find_response(asked, self._read(parts))
        if response is not None:
            return response
        with self.folder.making(parts[0].key):
            # Another process may have drawn the pieces meanwhile.
            stored = self._read(parts)
            response = _find_response(asked, stored)
            if response is None:
                response = self._draw(asked, parts, make, stored)
        return response

    def add(self, parts: Sequence[DrawingPart], drawn: StateDrawing) -> None:
        """Store pieces that were drawn without a request for them, next to the stored pieces.

        If another thread or process draws the same state now, or the page data have another version
        than those of the stored pieces, nothing is stored.
        """
        with self.folder.making(parts[0].key, max_wait_s=0) as is_alone:
            if not is_alone:
                return
            stored = self._read(parts)
            older = [drawing or StateDrawing(drawn.version) for drawing in stored]
            if all(drawing.version == drawn.version for drawing in older):
                self._write(parts, stored, _merge(parts, older, drawn), may_be_stored=True)

    def _read(self, parts: Sequence[DrawingPart]) -> list[StateDrawing | None]:
        responses = [self.folder.read(part.key) for part in parts]
        return [
            None if response is None else StateDrawing.from_text(read_body(response).decode())
            for response in responses
        ]

    def _draw(
        self,
        asked: DrawingRequest,
        parts: Sequence[DrawingPart],
        make: Callable[[], Response],
        stored: Sequence[StateDrawing | None],
    ) -> CachedResponse:
        """Draw the pieces that the stored parts lack and store them."""
        older = [drawing or StateDrawing() for drawing in stored]
        ask_pieces(known for drawing in older for known in drawing.known_forms)
        rendered = make()
        text = _read_pieces(asked.page, rendered)
        may_be_stored = is_cacheable(rendered)
        if text is None:
            body = pack_body(rendered.get_data())
            return CachedResponse(body, rendered.status_code, may_be_stored)
        drawn = StateDrawing.from_text(text)
        if any(drawing.known_forms and drawing.version != drawn.version for drawing in older):
            # The run was read again meanwhile. The stored pieces, which were not drawn again, show
            # its old content.
            return self._draw(asked, parts, make, [None] * len(parts))
        updated = _merge(parts, older, drawn)
        self._write(parts, stored, updated, may_be_stored=may_be_stored)
        response, _ = asked.respond(_join(updated))
        return replace(response, is_cacheable=may_be_stored)

    def _write(
        self,
        parts: Sequence[DrawingPart],
        stored: Sequence[StateDrawing | None],
        updated: Sequence[StateDrawing],
        *,
        may_be_stored: bool,
    ) -> None:
        for part, before, after in zip(parts, stored, updated, strict=True):
            if after != before:
                body = pack_body(after.to_text().encode(), QUICK_LEVEL)
                self.folder.write(part.key, CachedResponse(body, 200, may_be_stored))


def _find_response(
    asked: DrawingRequest, stored: Sequence[StateDrawing | None]
) -> CachedResponse | None:
    """Return the response if the stored parts have all of its pieces, else None."""
    drawings = [drawing for drawing in stored if drawing is not None]
    if len(drawings) < len(stored) or len({drawing.version for drawing in drawings}) > 1:
        return None
    response, is_whole = asked.respond(_join(drawings))
    return response if is_whole else None


def _merge(
    parts: Sequence[DrawingPart], older: Sequence[StateDrawing], drawn: StateDrawing
) -> list[StateDrawing]:
    """Return the older drawing of each part with the pieces of `drawn` that it has."""
    return [
        drawing.merge(drawn.only(part.has_piece))
        for drawing, part in zip(older, parts, strict=True)
    ]


def _join(drawings: Sequence[StateDrawing]) -> StateDrawing:
    pieces = tuple(piece for drawing in drawings for piece in drawing.pieces)
    return StateDrawing(drawings[0].version, pieces)


def _read_pieces(page: Page, rendered: Response) -> str | None:
    """Return the text of the pieces in a response; None if it has none."""
    if rendered.status_code != 200:
        return None
    body: dict[str, Any] = json.loads(rendered.get_data())
    pieces = body["response"].get(page.changes, {}).get("data")
    return pieces if isinstance(pieces, str) else None


def _dump(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
