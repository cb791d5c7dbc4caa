"""The server for developers: a process with a debugger and an optional reloader.

It has neither limits nor render processes, so it listens only on this machine. It caches no
responses, so that a breakpoint stops at every load of a page.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from werkzeug.middleware.profiler import ProfilerMiddleware
from werkzeug.serving import run_simple

from app.config.assets import ASSETS
from app.config.settings import LOOPBACK, ConfigurationError

if TYPE_CHECKING:
    from app.config.settings import Settings

# A response from a cache would pass a breakpoint, and have a profile of the cache.
_NO_PROCESSES_OR_CACHES = {"render_processes": 0, "answers_mb": 0, "pages_mb": 0}
_PROFILE_NAME = "{method}.{path}.{elapsed:.0f}ms.{time:.0f}.prof"


def developer_settings(settings: Settings) -> Settings:
    """Return a copy of the settings for a server that draws each page itself, at every load."""
    return settings.model_copy(update=_NO_PROCESSES_OR_CACHES)


def serve_developer(settings: Settings, *, reloads: bool, profiles: Path | None) -> None:
    """Serve until the process is interrupted.

    If `reloads`, the server restarts when a module or an asset changes. If `profiles` is a folder,
    each request writes a profile there that pstats and snakeviz can read. Raises ConfigurationError
    if `host` is not a loopback address.
    """
    if settings.host.lower() not in LOOPBACK:
        raise ConfigurationError(
            f"serve --debug, --reload and --profile have no limits, so only this machine may reach the "
            f"server: host is {settings.host}, not a loopback address"
        )
    from app.server.factory import create_app  # noqa: PLC0415 - the reloader starts without it

    settings.catalogue().create()
    server = create_app(developer_settings(settings)).server
    if profiles is not None:
        profiles.mkdir(parents=True, exist_ok=True)
        server.wsgi_app = ProfilerMiddleware(
            server.wsgi_app, stream=None, profile_dir=str(profiles), filename_format=_PROFILE_NAME
        )
    click.echo(
        f"Tilescope is at http://{settings.host}:{settings.port} in developer mode (Ctrl-C stops it)"
    )
    watched = [str(path) for path in ASSETS.rglob("*.*")] if reloads else None
    run_simple(
        settings.host,
        settings.port,
        server,
        use_reloader=reloads,
        extra_files=watched,
        threaded=True,
    )
