"""Layout of the lab: the problem, the results of the strategies, and a picture of before and after."""

from __future__ import annotations

import logging

from dash import dcc, html

from app.context import AppContext
from app.pages.lab.binding import LIVE, TOLD, TURN, lab_version, open_lab
from app.pages.lab.form import form
from app.pages.lab.head import CLOCK, HEAD
from app.pages.opened_page import OpenedPage, first_drawn, page_root, refusal
from app.pages.page import PageRequest
from app.views.lab.registry import LAB, parse
from storage.errors import StorageError

_LOG = logging.getLogger(__name__)
_NONE = "This run has no blocks to place: the lab needs blocks with sizes and lifetimes in steps."
EVERY_MS = 500


def layout(context: AppContext, request: PageRequest) -> html.Div:
    """Lay out and draw the page for a request; if the run has no lab or cannot be read, a sentence
    with the reason.
    """
    try:
        run_id = context.repository.resolve(request.run_id)
        state = parse(request.query)
        open_lab(context, run_id, state)  # solves quick problems, which changes the version
        version = lab_version(context, run_id, state)
        data = open_lab(context, run_id, state)
    except StorageError as error:
        _LOG.info("lab of run %s: %s", request.run_id, error)
        return html.Div(refusal(error))
    except Exception:
        _LOG.exception("lab of run %s with %s", request.run_id, request.query)
        return html.Div(
            refusal("The lab of this run cannot be shown; the server log has the reason.")
        )
    # Runs of other kinds have an address of the lab too, but no view for it.
    if not LAB.available_views(data) or data.stored_map is None:
        return html.Div(refusal(_NONE))
    page = first_drawn(LAB, HEAD, OpenedPage(run_id, data, version, state), request.theme)
    return html.Div(
        [
            *page.stores,
            dcc.Interval(id=CLOCK, interval=EVERY_MS, disabled=not data.busy),
            dcc.Store(id=TOLD),
            dcc.Store(id=TURN),
            dcc.Store(id=LIVE),
            html.Div(
                html.Header(id="lab-header", className="ts-run-header", **page.head["lab-header"]),
                className="ts-run-head",
            ),
            form(data, state, page.head),
            *page.groups,
        ],
        className="ts-run ts-lab",
        **page_root(LAB),
    )
