"""Layout of the comparison page: header, selection, linked views."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from app.context import AppContext
from app.pages.compare.binding import content_version
from app.pages.compare.head import HEAD
from app.pages.compare.question import open_comparison, resolve_state
from app.pages.opened_page import OpenedPage, first_drawn, page_root, refusal
from app.pages.page import PageRequest
from app.views.comparison.registry import COMPARE, parse
from components.numbers import tame
from services.baselines.members import BaselineError
from services.comparison.compare import CompareError
from storage.errors import StorageError

_LOG = logging.getLogger(__name__)


def layout(context: AppContext, request: PageRequest) -> html.Div:
    """Lay out and draw the page for a request; if the runs cannot be compared, a sentence with the
    reason.
    """
    try:
        state = resolve_state(context.repository, parse(request.query))
        # Read before the data: a change in between makes the page draw again.
        version = content_version(context, state)
        data, notes = open_comparison(context.repository, context.comparisons, state)
    except (StorageError, BaselineError, CompareError, ValueError) as error:
        _LOG.info("comparison %s: %s", request.query, error)
        return html.Div(refusal(error))
    except Exception:
        _LOG.exception("comparison %s", request.query)
        return html.Div(refusal("these runs cannot be compared; the server log has the reason."))
    page = first_drawn(COMPARE, HEAD, OpenedPage("", data, version, state), request.theme)
    return html.Div(
        [
            *page.stores,
            html.Div(
                [
                    html.Header(
                        id="compare-header",
                        className="ts-run-header",
                        **page.head["compare-header"],
                    ),
                    html.Div(
                        id="compare-selection",
                        className="ts-selection",
                        **page.head["compare-selection"],
                    ),
                ],
                className="ts-run-head",
            ),
            *_notes(notes),
            *page.groups,
        ],
        className="ts-run ts-comparison",
        **page_root(COMPARE),
    )


def _notes(notes: Sequence[str]) -> list[Component]:
    return [html.P(tame(note), className="ts-panel ts-compare-note") for note in notes]
