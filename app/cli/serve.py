"""Command `serve`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.common import data_option

if TYPE_CHECKING:
    from app.config.settings import Settings


@click.command()
@data_option
@click.option("--host", help="Address to listen on (default: setting `host`).")
@click.option("--port", type=int, help="Port to listen on (default: setting `port`).")
@click.option("--workers", type=int, help="Server processes (default: setting `workers`).")
@click.option(
    "--threads", type=int, help="Threads of each server process (default: setting `threads`)."
)
@click.option(
    "--debug",
    is_flag=True,
    help="For developers: run one process without limits, so that breakpoints work.",
)
@click.option(
    "--reload",
    "reloads",
    is_flag=True,
    help="Like --debug, and restart when a module or asset changes.",
)
@click.option(
    "--profile",
    "profiles",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Like --debug, and write a profile of each request into FOLDER.",
)
def serve(*, debug: bool, reloads: bool, profiles: Path | None, **given: object) -> None:
    """Serve the dashboard."""
    from app.config.settings import load_settings

    settings = load_settings(**given)
    if debug or reloads or profiles is not None:
        from app.server.development import serve_developer

        serve_developer(settings, reloads=reloads, profiles=profiles)
    else:
        serve_settings(settings)


def serve_settings(settings: Settings) -> None:
    """Serve with these settings until the process is ended."""
    from app.server.gunicorn import serve_forever

    serve_forever(settings)
