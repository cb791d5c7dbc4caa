"""The page of a run's programs: contexts, steps, graphs, text, code."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from dash import html

from app.context import AppContext
from app.pages import history
from app.pages.program.head import HEAD
from app.pages.screens import Subject, first_drawn, refused, screen_root
from app.views.program.registry import PROGRAM, parse
from storage.errors import StorageError

_LOG = logging.getLogger(__name__)
_NONE = "This run has no programs: tinygrad profiles have them; graphs need the rewrites.pkl that VIZ=-1 writes."


def layout(context: AppContext, run_id: str, query: Mapping[str, str | Sequence[str]], theme: str) -> html.Div:
    """Lay out the page as the query asks for, drawn."""
    try:
        run_id = context.repository.resolve(run_id)
        state, data = parse(history.query_string(query)), context.compilers.get(run_id)
    except StorageError as error:
        _LOG.info("programs of run %s: %s", run_id, error)
        return html.Div(refused(error))
    except Exception:
        _LOG.exception("programs of run %s with %s", run_id, query)
        return html.Div(refused("The programs of this run cannot be shown; the server's log says why."))
    if not PROGRAM.views_of(data):
        return html.Div(refused(_NONE))
    page = first_drawn(PROGRAM, HEAD, Subject(run_id, data, context.compilers.version(run_id), state), theme)
    return html.Div(
        [
            *page.stores,
            html.Div(
                html.Header(id="program-header", className="ts-run-header", **page.head["program-header"]),
                className="ts-run-head",
            ),
            *page.groups,
        ],
        className="ts-run ts-programs",
        **screen_root(PROGRAM),
    )
