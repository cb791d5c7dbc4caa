"""Application factory: creates the Dash application with its pages and routes from the settings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from dash import Dash

from app.config.assets import ASSETS
from app.config.settings import Settings
from app.context import AppContext
from app.pages import shell
from app.pages.page import Page
from app.pages.registry import PAGES
from app.request import errors
from app.server import access, api, callbacks, logs, metrics, pages, security
from app.server.cached_responses import cache_responses
from app.server.downloads import Downloads
from app.server.html_document import PageApp, serve_files
from app.server.pages import EXTENSION
from app.server.render.lanes import Lanes
from app.server.render.rendering import Rendering
from app.server.routes import documentation, embed, files, health, mcp, perfetto, tiles, upload
from app.server.upload_queue import UploadQueue

RENDERING = "tilescope_rendering"
"""Key of the `Rendering` in the extensions of the Flask server."""


def create_app(settings: Settings, registry: Sequence[Page] = PAGES) -> Dash:
    """Create the Dash application with all pages and routes for the storage in the settings; no
    process or thread is started.

    A process may have several applications.
    """
    context = AppContext.of(settings)
    context.repository.keep_frames(settings.frames_folder, settings.frames_mb * 2**20)
    app = _dash()
    app.server.extensions[EXTENSION] = context
    errors.register(app)
    logs.register(app.server)
    metrics.register(app.server, context)
    security.secure(app, settings, registry)
    # The order of these calls matters: Flask runs `before_request` functions in the order in which
    # they were registered, so that requests are logged, counted and limited before the gate.
    access.install(app.server, context, registry, api.operation_roles())
    callbacks.guard(app)
    app.layout = partial(shell.layout, settings, registry)
    shell.register(app)
    pages.register(app, context, registry)
    rendering = app.server.extensions[RENDERING] = Rendering(app, context, Lanes(registry))
    # Render processes before the cache: a cached response needs no render process.
    rendering.take_callbacks()
    cache_responses(app, context, registry)
    health.register(app.server, context)
    perfetto.register(app.server, context, app.addresses)
    documentation.register(app.server)
    downloads = Downloads(settings)
    taking = UploadQueue(context)
    upload.register(app.server, context, taking)
    api.register(app.server, context, downloads, taking)
    embed.register(app.server, context)
    mcp.register(app.server, context, rendering)
    tiles.register(app.server, context, rendering)
    files.register(app.server, context, downloads, registry)
    rendering.take_files(downloads)
    return app


def _dash() -> PageApp:
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
