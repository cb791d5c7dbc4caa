"""Cache of responses to Dash requests: equal requests for unchanged content get the same bytes."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from dash import Dash
from flask import Response, request

from app.context import AppContext
from app.pages.page import ContentRequest, Page, PageContent
from app.pages.shell import read_theme
from app.request.user import current_user, may
from app.request.user_parts import expect_placeholders
from app.server.cached_response import (
    QUICK_LEVEL,
    SENT_LEVEL,
    CachedResponse,
    fill_placeholders,
    render_response,
    response,
)
from app.server.drawing_ahead import DrawingAhead
from app.server.response_folder import ResponseFolder, ResponseKey
from app.server.state_drawings import DrawingRequest, StateDrawings
from storage.byte_cache import ByteCache
from storage.errors import StorageError
from storage.read_once import reading_once

_CALLBACKS = "/_dash-update-component"
_LAYOUT, _DEPENDENCIES = "/_dash-layout", "/_dash-dependencies"
"""Addresses of which the response is the same for every page while the server runs.

The layout also depends on the user: the frame of the pages names the user who is signed in.
"""
_PAGE = "_pages_content.children"
_PATH = "_pages_location.pathname"
_SEARCH = "_pages_location.search"
_MISSING = object()
_LISTED = "list"
"""First part of the cache keys of responses of pages that are lists."""

View = Callable[..., Response]
_ListContent = Callable[[AppContext, str], str]
"""Function that identifies what a page that is a list shows for a query string."""


def cache_responses(app: Dash, context: AppContext, pages: Sequence[Page]) -> None:
    """Replace views of `app` by views that cache the responses of pages that have `content`, and of
    Dash's requests at every start.
    """
    limit = context.settings.answers_mb * 2**20
    folder = ResponseFolder.of(context.settings)
    drawings = StateDrawings(folder)
    ahead = DrawingAhead(context, drawings)
    cache = ByteCache[CachedResponse](limit, lambda response: response.cost)
    views = app.server.view_functions
    make = views[_CALLBACKS]

    def callback() -> Response:
        listed = _find_listed(pages, request.get_json())
        if listed is not None:
            with reading_once():
                return response(_respond_from_list(*listed))
        asked = _find_request(pages, request.get_json())
        # A response that is cached changes nothing, so that each row may be read once for it.
        with reading_once():
            content = None if asked is None else _read_content(context, asked)
            if asked is not None and content is not None:
                return response(_respond(asked, content))
        return make() if asked is None else response(_make(asked, secrets.token_hex()))

    def _respond(asked: _PageRequest, content: PageContent) -> CachedResponse:
        body = request.get_json()
        drawing = _parse_drawing(asked.page, body)
        if drawing is not None:
            return _respond_with_pieces(drawing, content, body)
        return _find_shared(asked, _shared_key(body, content), content.user_text)

    def _respond_from_list(identify: _ListContent, query: str) -> CachedResponse:
        """Return the response of a page that is a list: equal for equal requests of users with a
        role as long as its content is.
        """
        try:
            content = identify(context, query)
        except Exception:
            return render_response(make)  # it fails alike, and says so to the user
        # A digest, because the state of a grid's columns is longer than the response.
        key = _LISTED, _request_digest(request.get_json(), content), current_user().role
        return cache.get(key, lambda: render_response(make))

    def _find_shared(asked: _PageRequest, key: ResponseKey, user_text: str = "") -> CachedResponse:
        own = key.digest, current_user().role, user_text
        return cache.get(own, lambda: _make(asked, key.digest, key))

    def _respond_with_pieces(
        drawing: DrawingRequest, content: PageContent, body: dict[str, Any]
    ) -> CachedResponse:
        """Return the pieces that the page lacks; a process keeps the responses that it sent, the
        folder only the pieces.
        """
        key = _request_digest(body, content.text, content.other_runs), current_user().role
        parts = drawing.find_parts(content)
        return cache.get(key, lambda: drawings.respond(drawing, parts, make))

    def _make(asked: _PageRequest, token: str, key: ResponseKey | None = None) -> CachedResponse:
        """Make a response, or read it from the folder if it has a key, and put in the parts for the
        user.
        """
        expect_placeholders(token)
        user_parts = asked.page.user_parts if asked.content.is_layout else None
        # A response with parts for the user is compressed again once they are in it.
        level = SENT_LEVEL if user_parts is None else QUICK_LEVEL
        made = partial(render_response, make, level)
        if key is None:
            shared = made()
        elif asked.content.is_layout:
            shared = ahead.get_layout(asked.page, asked.content, key, made)
        else:
            shared = folder.get(key, made)
        if user_parts is None:
            return shared
        make_parts = partial(user_parts, context, asked.content.subject)
        return fill_placeholders(shared, token, make_parts)

    views[_CALLBACKS] = callback
    views[_DEPENDENCIES] = _cache_view(cache, views[_DEPENDENCIES], lambda: _DEPENDENCIES)
    views[_LAYOUT] = _cache_view(cache, views[_LAYOUT], lambda: (_LAYOUT, current_user()))


def _cache_view(cache: ByteCache[CachedResponse], make: View, key: Callable[[], Hashable]) -> View:
    """Wrap a view: cache its response by the value of `key()`, and add an ETag that the browser
    revalidates.
    """

    def view() -> Response:
        same = response(cache.get(key(), lambda: render_response(make)))
        same.add_etag()
        same.cache_control.no_cache = True
        same.cache_control.private = True
        return same.make_conditional(request)  # type: ignore[return-value]

    return view


def _find_listed(pages: Sequence[Page], body: dict[str, Any]) -> tuple[_ListContent, str] | None:
    """Return the function that identifies the content of the list that a callback shows, and the
    query string of the list; None for other callbacks.
    """
    output = body["output"].strip(".")
    for page in pages:
        if page.list_content is None:
            continue
        values = _values_by_name(body)
        if output.startswith(_PAGE):
            layout = _parse_layout(page, values)
            if layout is not None:
                return page.list_content, layout.query
        elif output.startswith(page.listed):
            return page.list_content, str(values.get(f"{page.view}.data") or "")
    return None


@dataclass(frozen=True)
class _PageRequest:
    """A page whose responses are cached, and the request for its content."""

    page: Page
    content: ContentRequest


def _find_request(pages: Sequence[Page], body: dict[str, Any]) -> _PageRequest | None:
    """Return the page and the content that a callback requests, None if its response is not cached.

    Callbacks that compute another view state are not cached because they are quick, and their
    requests hardly ever repeat.
    """
    values = _values_by_name(body)
    if any(f"{page.view}.data" in body["output"] for page in pages):
        return None
    parse = _parse_layout if _PAGE in body["output"] else _parse_callback
    for page in pages:
        content = parse(page, values)
        if content is not None:
            # A user without the role of the page gets a sentence, which no other user may get.
            return _PageRequest(page, content) if page.content and may(page.role) else None
    return None


def _values_by_name(body: dict[str, Any]) -> dict[str, Any]:
    """Map `id.property` of each input and state of a callback to its value; ids that are patterns
    are left out.
    """
    return {
        f"{part['id']}.{part['property']}": part.get("value")
        for part in [*body.get("inputs", []), *body.get("state", [])]
        if isinstance(part, dict) and isinstance(part["id"], str)
    }


def _read_content(context: AppContext, asked: _PageRequest) -> PageContent | None:
    """Return the stored content that a request shows, None if it cannot be read."""
    try:
        return asked.page.content(context, asked.content) if asked.page.content else None
    except (StorageError, ValueError):
        return None


def _parse_drawing(page: Page, body: dict[str, Any]) -> DrawingRequest | None:
    """Return the request for a drawing that the body of a callback is, None for other callbacks."""
    output = {"id": page.changes, "property": "data"}
    if page.views is None or body["output"] != f"{page.changes}.data" or body["outputs"] != output:
        return None
    values = _values_by_name(body)
    query = values.get(f"{page.view}.data")
    return DrawingRequest(
        page,
        query if isinstance(query, str) else "",
        values.get("theme.data"),
        values.get(f"{page.shown_store}.data"),
    )


def _shared_key(body: dict[str, Any], content: PageContent) -> ResponseKey:
    """Hash everything that determines the response to a callback except the parts for the user:
    request, theme, and the stored content of the runs.
    """
    digest = _request_digest(body, content.text, content.other_runs)
    return ResponseKey.of(digest, content.prefixes)


def _request_digest(body: dict[str, Any], *content: str) -> str:
    """Hash a callback's request with its theme and the texts that identify its content."""
    # The response names the components in `outputs`: a client may send others.
    own = [body.get(name) for name in ("output", "outputs", "inputs", "state")]
    parts = [*own, read_theme(request), *content]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _parse_layout(page: Page, values: dict[str, Any]) -> ContentRequest | None:
    """Return the request for the content of a page from address and query string; None if the
    address is not of this page.
    """
    run_id = page.match_path(str(values.get(_PATH) or ""))
    if run_id is None:
        return None
    search = str(values.get(_SEARCH) or "").removeprefix("?")
    return ContentRequest(run_id, search, is_layout=True)


def _parse_callback(page: Page, values: dict[str, Any]) -> ContentRequest | None:
    """Return the request for the content of a callback, from the stores of the page's data and view
    state.

    None if the callback does not have both stores.
    """
    view = values.get(f"{page.view}.data", _MISSING)
    page_data = values.get(f"{page.subject}.data", _MISSING)
    if _MISSING in (view, page_data):
        return None
    return ContentRequest(str(page_data), str(view or ""), is_layout=False)
