"""Layout of a run's page: the answer, linked views, tables, and last notes, settings and findings.

Errors, notes and changed settings are at the top, because the numbers cannot be read without them.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import dash_bootstrap_components as dbc
import pandas as pd
from dash import html
from dash.development.base_component import Component

from app.context import AppContext
from app.pages.opened_page import FirstDrawn, OpenedPage, first_drawn, page_root, refusal
from app.pages.page import PageRequest
from app.pages.run.binding import content_version
from app.pages.run.group_clock import group_clock
from app.pages.run.head import HEAD
from app.pages.run.header import header, setting_inputs, settings_form
from app.pages.run.notes import has_notes, notes_panel
from app.pages.run.table_piece import FOOT
from app.request.user_parts import placeholder
from app.views.drawing import Properties
from app.views.registry import RUN, parse
from app.views.state import RunState
from app.views.tables import shown_table, table_names
from app.views.view_links import CardLink, card_links, view_links
from components.aie.captions import health_caption
from components.aria import aria
from components.comparison.verdict_strip import verdict_strip
from components.health import has_errors
from components.results.commit_links import commit_links
from schema.run_settings import SettingError
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.same_commit import related_runs
from services.status.run_standing import run_standings
from storage.errors import StorageError

_NOTES_FIRST = "notes-first"
_NOTES_LAST = "notes-last"
_LOG = logging.getLogger(__name__)


def layout(context: AppContext, request: PageRequest) -> html.Div:
    """Lay out and draw the page for a request; the table is loaded by the first callback. If the
    run cannot be shown, a sentence with the reason.
    """
    try:
        run_id = context.repository.resolve(request.run_id)
        run = context.repository.run(run_id).iloc[0]
        state = parse(request.query)
        # Read before the data: a change in between makes the page draw again.
        version = content_version(context.data, run_id, state)
        standings = run_standings(context.repository, run_id)
        data = context.data.with_saved(run_id, state.method, state.overrides)
    except (StorageError, SettingError) as error:
        # The request is wrong, not the server, so this is not logged as an error.
        _LOG.info("page of run %s: %s", request.run_id, error)
        return html.Div(refusal(error))
    except Exception:
        _LOG.exception("page of run %s with %s", request.run_id, request.query)
        return html.Div(refusal("This run cannot be shown; the server log has the reason."))
    opened = OpenedPage(run_id, data, version, state)
    page = first_drawn(RUN, HEAD, opened, request.theme, FOOT)
    related = related_runs(context.repository.catalogue, run.to_dict())
    links = commit_links(related, str(run["commit"]))
    return _content(context, run, opened, page, [*verdict_strip(standings), *links])


def _content(
    context: AppContext,
    run: pd.Series,
    opened: OpenedPage[RunData, RunState],
    page: FirstDrawn,
    lines: Sequence[Component],
) -> html.Div:
    """Lay out a drawn page; errors, notes and changed settings come first, else last.

    `lines` are below the header: the verdict about the run, and the runs of its commit.
    """
    data = opened.data
    state = opened.state
    top = header(
        run,
        opened.id,
        state,
        page.head,
        methods=data.can(Capability.REFERENCE),
        perfetto=bool(context.settings.perfetto_url),
    )
    settings = _settings(run, data, state)
    health = _health(page.head)
    health_first = has_errors(data.diagnostics)
    return html.Div(
        [
            *page.stores,
            group_clock(data),
            html.Div(
                [
                    top,
                    *lines,
                    *(settings if state.overrides else []),
                    html.Div(
                        id="run-selection", className="ts-selection", **page.head["run-selection"]
                    ),
                ],
                className="ts-run-head",
            ),
            *_result(page.head),
            placeholder(_NOTES_FIRST),
            *([health] if health_first else []),
            view_links(_links(data, page)),
            *page.groups,
            _tables(data, state),
            html.Div(
                [
                    *([] if health_first else [health]),
                    placeholder(_NOTES_LAST),
                    *([] if state.overrides else map(_settings_panel, settings)),
                ],
                className="ts-last",
            ),
        ],
        className="ts-run",
        **page_root(RUN),
    )


def user_parts(context: AppContext, run_id: str) -> dict[str, Component | None]:
    """Lay out the panel of notes, which editors may change: first if there is a note, else last.

    Raises RunNotFound.
    """
    run_id = context.repository.resolve(run_id)
    panel = notes_panel(context, run_id)
    is_first = has_notes(context, run_id)
    return {_NOTES_FIRST: panel if is_first else None, _NOTES_LAST: None if is_first else panel}


def _result(head: Properties) -> list[Component]:
    """Lay out the headline with its sentences, and the strip of numbers."""
    return [
        html.Div(
            [
                html.Strong(id="run-headline", className="ts-run-number", **head["run-headline"]),
                html.P(id="run-sentence", className="ts-headline", **head["run-sentence"]),
                html.P(id="run-peak", className="ts-headline", **head["run-peak"]),
            ],
            className="ts-run-answer",
        ),
        html.P(id="run-sentence-rest", className="ts-run-rest", **head["run-sentence-rest"]),
        html.Div(id="run-strip", **head["run-strip"]),
    ]


def _links(data: RunData, page: FirstDrawn) -> list[CardLink]:
    """List the cards of the page; the link to the findings counts them."""
    titles = {view.id: view.title for view in RUN.available_views(data)}
    found = health_caption(data.diagnostics).rstrip(".")
    return [
        *card_links(page.groups, titles),
        CardLink("tables", "Tables"),
        CardLink("health", f"Health: {found}", hidden=not len(data.diagnostics)),
    ]


def _settings_panel(form: Component) -> html.Section:
    return html.Section(form, className="ts-panel ts-settings-panel", id="settings")


def _health(head: Properties) -> html.Section:
    return html.Section(
        [
            html.H2("Health", className="ts-panel-title"),
            html.P(id="run-health-answer", className="ts-answer", **head["run-health-answer"]),
            html.Div(id="run-health", **head["run-health"]),
        ],
        className="ts-panel ts-health-panel",
        id="health",
        **head["health"],
    )


def _settings(run: pd.Series, data: RunData, state: RunState) -> list[Component]:
    inputs = setting_inputs(data)
    return [settings_form(run, state, inputs)] if inputs else []


def _tables(data: RunData, state: RunState) -> html.Section:
    # Not dbc.Tabs: its tabs refer to panels that it does not create, and all have the same id.
    tabs = dbc.RadioItems(
        options=[{"label": name.replace("_", " "), "value": name} for name in table_names(data)],
        value=shown_table(data, state),
        id="run-table",
        class_name="ts-tabs",
        input_class_name="btn-check",
        label_class_name="ts-tab",
    )
    return html.Section(
        html.Details(
            [
                html.Summary(html.H2("Tables", className="ts-panel-title")),
                html.Div(
                    [
                        html.Div(tabs, role="group", **aria(label="Table shown")),
                        html.Span(className="ts-grow"),
                        html.Span(id="run-table-line", className="ts-panel-hint"),
                        html.Span(id="run-table-export", className="ts-export"),
                    ],
                    className="ts-panel-head",
                ),
                html.Div(id="run-table-body"),
            ],
            open=bool(state.table),
        ),
        className="ts-panel ts-tables",
        id="tables",
    )
