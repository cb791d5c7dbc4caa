"""The application factory: settings in, a Dash application with its pages and routes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps

import dash
import flask
from dash import Dash, html

from app import errors
from app.assets import ASSETS
from app.context import AppContext
from app.pages import history, not_found, shell
from app.pages.audit import callbacks as audit_callbacks
from app.pages.audit import page as audit
from app.pages.compare import callbacks as compare_callbacks
from app.pages.compare import page as compare
from app.pages.jobs import callbacks as jobs_callbacks
from app.pages.jobs import page as jobs
from app.pages.lab import callbacks as lab_callbacks
from app.pages.lab import page as lab
from app.pages.program import callbacks as program_callbacks
from app.pages.program import page as program
from app.pages.run import callbacks as run_callbacks
from app.pages.run import page as run
from app.pages.runs import callbacks as runs_callbacks
from app.pages.runs import page as runs
from app.pages.screens import refused
from app.pages.trends import callbacks as trends_callbacks
from app.pages.trends import page as trends
from app.server import access, api, callbacks, logs, metrics, security
from app.server.answers import keep_answers
from app.server.downloads import Downloads
from app.server.page import PageApp, serve_files
from app.server.routes import comparison, export, graphs, health, prefetch, snapshots, upload
from app.server.routes import lab as lab_route
from app.server.routes import trends as trends_route
from app.server.taking import Taking
from app.settings import Settings
from app.views.comparison.registry import COMPARE
from app.views.lab.registry import LAB
from app.views.program.registry import PROGRAM
from app.views.registry import RUN
from components.numbers import shorten
from storage.errors import StorageError

EXTENSION = "tilescope"
"""Where Flask keeps the context."""


def create_app(settings: Settings) -> Dash:
    """Return the application on the storage that the settings name; several may live in one process."""
    context = AppContext.of(settings)
    app = _dash()
    app.server.extensions[EXTENSION] = context
    errors.register(app)
    logs.register(app.server)
    metrics.register(app.server, context)
    security.secure(app, settings)
    access.install(app.server, context)
    callbacks.guard(app)
    app.layout = partial(shell.layout, settings)
    shell.register(app)
    _register_pages(app, context)
    keep_answers(app, context)
    for route in (prefetch, health):
        route.register(app.server, context)
    downloads, taking = Downloads(settings), Taking(context)
    upload.register(app.server, context, taking)
    api.register(app.server, context, downloads, taking)
    for download in (export, comparison, graphs, lab_route, snapshots, trends_route):
        download.register(app.server, context, downloads)
    return app


def _dash() -> Dash:
    app = PageApp(
        __name__,
        title="Tilescope",
        update_title="",
        assets_folder=str(ASSETS),
        include_assets_files=False,
        use_pages=True,
        pages_folder="",
        include_pages_meta=False,
        serve_locally=True,
        compress=True,
        suppress_callback_exceptions=True,
        enable_mcp=False,
        add_log_handler=False,
        on_error=errors.callback_failed,
    )
    serve_files(app)
    return app


def _register_pages(app: Dash, context: AppContext) -> None:
    """Tell Dash the pages; its registry is the process's, so a layout asks the answering server for the context."""
    dash.register_page("runs", path="/", title="Runs · Tilescope", layout=_runs_page)
    dash.register_page("run", path_template="/run/<run_id>", title=_run_title, layout=_run_page)
    dash.register_page("program", path_template="/run/<run_id>/program", title=_program_title, layout=_program_page)
    dash.register_page("lab", path_template="/run/<run_id>/lab", title=_lab_title, layout=_lab_page)
    dash.register_page("compare", path="/compare", title="Comparison · Tilescope", layout=_compare_page)
    dash.register_page("trends", path="/trends", title="Trends · Tilescope", layout=_trends_page)
    dash.register_page("audit", path="/audit", title="Audit log · Tilescope", layout=_audit_page)
    app.server.add_url_rule("/audit", "audit", app.index)  # a route of its own, as it needs another role
    dash.register_page("jobs", path="/jobs", title="Jobs · Tilescope", layout=_jobs_page)
    dash.register_page("not_found_404", path="/404", title="Not found · Tilescope", layout=_not_found_page)
    runs_callbacks.register(app, context)
    run_callbacks.register(app, context)
    program_callbacks.register(app, context)
    lab_callbacks.register(app, context)
    compare_callbacks.register(app, context)
    trends_callbacks.register(app, context)
    audit_callbacks.register(app, context)
    jobs_callbacks.register(app, context)
    for view in (runs.VIEW, RUN.view, PROGRAM.view, LAB.view, COMPARE.view, trends.VIEW, audit.VIEW):
        history.register(app, view)


def _context() -> AppContext:
    context: AppContext = flask.current_app.extensions[EXTENSION]
    return context


def _saying_failures(layout: Callable[..., html.Div]) -> Callable[..., html.Div]:
    """Lay out why, in place of a page whose storage fails."""

    @wraps(layout)
    def said(**query: str | Sequence[str]) -> html.Div:
        try:
            return layout(**query)
        except StorageError as error:
            errors.log_failure(error)
            return html.Div(refused(errors.public(error)))

    return said


@_saying_failures
def _runs_page(**query: str | Sequence[str]) -> html.Div:
    return runs.layout(_context(), query)


def _run_title(run_id: str = "", **_query: object) -> str:
    """Return the name of the run for the browser's tab."""
    return f"{_name_of(run_id)} · Tilescope"


def _program_title(run_id: str = "", **_query: object) -> str:
    return f"Programs of {_name_of(run_id)} · Tilescope"


def _lab_title(run_id: str = "", **_query: object) -> str:
    return f"Lab: {_name_of(run_id)} · Tilescope"


def _name_of(run_id: str) -> str:
    repository = _context().repository
    try:
        return shorten(str(repository.stored(repository.resolve(run_id)).run["name"]))
    except StorageError:
        return "Run"


def _run_page(run_id: str = "", **query: str | Sequence[str]) -> html.Div:
    return run.layout(_context(), run_id, query, shell.theme_of(flask.request))


def _program_page(run_id: str = "", **query: str | Sequence[str]) -> html.Div:
    return program.layout(_context(), run_id, query, shell.theme_of(flask.request))


def _lab_page(run_id: str = "", **query: str | Sequence[str]) -> html.Div:
    return lab.layout(_context(), run_id, query, shell.theme_of(flask.request))


def _compare_page(**query: str | Sequence[str]) -> html.Div:
    return compare.layout(_context(), query, shell.theme_of(flask.request))


@_saying_failures
def _trends_page(**query: str | Sequence[str]) -> html.Div:
    return trends.layout(_context(), query, shell.theme_of(flask.request))


@_saying_failures
def _audit_page(**query: str | Sequence[str]) -> html.Div:
    return audit.layout(_context(), query)


@_saying_failures
def _jobs_page(**_query: str | Sequence[str]) -> html.Div:
    return jobs.layout(_context())


def _not_found_page(**_query: Mapping[str, object]) -> html.Section:
    return not_found.layout()
