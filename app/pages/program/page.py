"""Layout of the program page: contexts, steps, graphs, text, code."""

from __future__ import annotations

import logging

from dash import html

from app.context import AppContext
from app.pages.opened_page import OpenedPage, first_drawn, page_root, refusal
from app.pages.page import PageRequest
from app.pages.program.head import HEAD
from app.views.program.registry import PROGRAM, parse
from storage.errors import StorageError

_LOG = logging.getLogger(__name__)
_NONE = "This run has no programs: only tinygrad profiles have programs, and graphs need the rewrites.pkl that VIZ=-1 writes."


def layout(context: AppContext, request: PageRequest) -> html.Div:
    """Lay out and draw the page for a request; if the run has no programs or cannot be read, a
    sentence with the reason.
    """
    try:
        run_id = context.repository.resolve(request.run_id)
        state = parse(request.query)
        # Read before the data: a change in between makes the page draw again.
        version = context.compilers.version(run_id)
        data = context.compilers.get(run_id)
    except StorageError as error:
        _LOG.info("programs of run %s: %s", request.run_id, error)
        return html.Div(refusal(error))
    except Exception:
        _LOG.exception("programs of run %s with %s", request.run_id, request.query)
        return html.Div(
            refusal("The programs of this run cannot be shown; the server log has the reason.")
        )
    if not PROGRAM.available_views(data):
        return html.Div(refusal(_NONE))
    page = first_drawn(PROGRAM, HEAD, OpenedPage(run_id, data, version, state), request.theme)
    return html.Div(
        [
            *page.stores,
            html.Div(
                html.Header(
                    id="program-header", className="ts-run-header", **page.head["program-header"]
                ),
                className="ts-run-head",
            ),
            *page.groups,
        ],
        className="ts-run ts-programs",
        **page_root(PROGRAM),
    )
