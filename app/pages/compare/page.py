"""The page of a comparison: header, selection, linked views."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from dash import html
from dash.development.base_component import Component

from app.context import AppContext
from app.pages import history
from app.pages.compare.binding import content_of
from app.pages.compare.head import HEAD
from app.pages.compare.question import opened, resolved
from app.pages.screens import Subject, first_drawn, refused, screen_root
from app.views.comparison.registry import COMPARE, parse
from components.numbers import tame
from services.compare import CompareError
from services.members import BaselineError
from storage.errors import StorageError

_LOG = logging.getLogger(__name__)


def layout(context: AppContext, query: Mapping[str, str | Sequence[str]], theme: str) -> html.Div:
    """Lay out the page as the query asks for, drawn."""
    try:
        state = resolved(context.repository, parse(history.query_string(query)))
        data, notes = opened(context.repository, context.comparisons, state)
    except (StorageError, BaselineError, CompareError, ValueError) as error:
        _LOG.info("comparison %s: %s", query, error)
        return html.Div(refused(error))
    except Exception:
        _LOG.exception("comparison %s", query)
        return html.Div(refused("these runs cannot be compared; the server's log says why."))
    page = first_drawn(COMPARE, HEAD, Subject("", data, content_of(context, state), state), theme)
    return html.Div(
        [
            *page.stores,
            html.Div(
                [
                    html.Header(id="compare-header", className="ts-run-header", **page.head["compare-header"]),
                    html.Div(id="compare-selection", className="ts-selection", **page.head["compare-selection"]),
                ],
                className="ts-run-head",
            ),
            *_notes(notes),
            *page.groups,
        ],
        className="ts-run ts-comparison",
        **screen_root(COMPARE),
    )


def _notes(notes: Sequence[str]) -> list[Component]:
    return [html.P(tame(note), className="ts-panel ts-note") for note in notes]
