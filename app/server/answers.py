"""Answers of pages of views that are made once: equal requests about the same content get the same bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable
from typing import Any
from urllib.parse import unquote

from dash import Dash
from flask import Response, request

from app.access import current_user
from app.context import AppContext
from app.pages.compare.question import question, resolved
from app.pages.shell import theme_of
from app.server.answer import Answer, made, response
from app.server.answer_folder import AnswerFolder
from app.views.comparison.registry import COMPARE, parse
from app.views.registry import RUN
from storage.annotations import Annotations
from storage.byte_cache import ByteCache
from storage.errors import StorageError
from storage.kept_answers import KeptAnswers

_CALLBACKS = "/_dash-update-component"
_LAYOUT, _DEPENDENCIES = "/_dash-layout", "/_dash-dependencies"
"""What is the same for every page as long as the server runs; the frame of the pages names who is signed in."""
_PAGE = "_pages_content.children"
_PATH = "_pages_location.pathname"
_SEARCH = "_pages_location.search"
_RUN_PAGE, _COMPARE_PAGE = "/run/", "/compare"

View = Callable[..., Response]


def keep_answers(app: Dash, context: AppContext) -> None:
    """Send again what was made before, to callbacks that show a run and to what Dash asks for at every start."""
    limit = context.settings.answers_mb * 2**20
    folder = AnswerFolder.of(context.settings)
    cache = ByteCache[Answer](limit, lambda answer: answer.cost)
    views = app.server.view_functions
    make = views[_CALLBACKS]

    def callback() -> Response:
        key = _key(context, request.get_json())
        if key is None:
            return make()  # type: ignore[no-any-return] # Flask does not know what its views return
        return response(cache.get(key, lambda: folder.get(key, lambda: made(make))))

    views[_CALLBACKS] = callback
    views[_DEPENDENCIES] = _fixed(cache, views[_DEPENDENCIES], lambda: _DEPENDENCIES)
    views[_LAYOUT] = _fixed(cache, views[_LAYOUT], lambda: (_LAYOUT, current_user()))


def _fixed(cache: ByteCache[Answer], make: View, key: Callable[[], Hashable]) -> View:
    def answer() -> Response:
        same = response(cache.get(key(), lambda: made(make)))
        same.add_etag()
        same.cache_control.no_cache = True
        same.cache_control.private = True
        return same.make_conditional(request)  # type: ignore[return-value]

    return answer


def _key(context: AppContext, body: dict[str, Any]) -> str | None:
    """Return what names the answer: request, theme, role, and the runs as stored; None for what is made each time.

    What leads to another view state is quick to make, and its requests hardly ever repeat.
    """
    given = {
        f"{part['id']}.{part['property']}": part.get("value")
        for part in [*body.get("inputs", []), *body.get("state", [])]
        if isinstance(part, dict) and isinstance(part["id"], str)
    }
    if any(f"{screen.view}.data" in body["output"] for screen in (RUN, COMPARE)):
        return None
    try:
        content = _content(context, given, page=_PAGE in body["output"])
    except (StorageError, ValueError):
        return None
    if content is None:
        return None
    asked = [body["output"], body.get("inputs"), body.get("state")]
    known = [*asked, theme_of(request), current_user().role.label, content]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()


def _content(context: AppContext, given: dict[str, Any], *, page: bool) -> str | None:
    """Return the runs that a request is about, as they are stored; None where it is about none.

    Views of a run show the answers that are kept with it too, and its page what people added to the run.
    """
    if page and given.get(_PATH) == _COMPARE_PAGE:
        return _compared(context, str(given.get(_SEARCH) or ""))
    if not page and f"{COMPARE.view}.data" in given:
        return _compared(context, str(given[f"{COMPARE.view}.data"] or ""))
    run_id = _page_of(given) if page else given.get(f"{RUN.subject}.data")
    if not isinstance(run_id, str):
        return None
    stored, catalogue = context.repository.stored(run_id), context.repository.catalogue
    shown = [stored, KeptAnswers(catalogue).heads(run_id)]
    return repr([*shown, Annotations(catalogue).one(stored)] if page else shown)


def _compared(context: AppContext, query: str) -> str:
    """Return the runs of a comparison as they are stored, and what is to be known of its baseline."""
    asked, notes = question(context.repository, resolved(context.repository, parse(query)))
    return repr([notes, *(context.repository.stored(run) for run in (*asked.base, *asked.new))])


def _page_of(given: dict[str, Any]) -> str | None:
    """Return the id of the run whose page is asked for; the beginning of one may name another run tomorrow."""
    path = given.get(_PATH)
    return unquote(path.removeprefix(_RUN_PAGE)) if isinstance(path, str) and path.startswith(_RUN_PAGE) else None
