"""`serve`."""

from __future__ import annotations

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
@click.option("--threads", type=int, help="Threads of each (default: setting `threads`).")
def serve(**given: object) -> None:
    """Serve the dashboard."""
    from app.config.settings import load_settings

    serve_settings(load_settings(**given))


def serve_settings(settings: Settings) -> None:
    """Serve as the settings say, until the process is ended."""
    from app.server.gunicorn import serve_forever

    serve_forever(settings)
