"""`serve` and `demo`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.common import data_option
from app.cli.ingest import ingest_paths

if TYPE_CHECKING:
    from app.settings import Settings

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


@click.command()
@data_option
@click.option("--host", help="Address to listen on (default: setting `host`).")
@click.option("--port", type=int, help="Port to listen on (default: setting `port`).")
@click.option("--workers", type=int, help="Server processes (default: setting `workers`).")
@click.option("--threads", type=int, help="Threads of each (default: setting `threads`).")
def serve(**given: object) -> None:
    """Serve the dashboard."""
    from app.settings import load_settings

    _serve(load_settings(**given))


@click.command()
@data_option
@click.option("--host", help="Address to listen on (default: setting `host`).")
@click.option("--port", type=int, help="Port to listen on (default: setting `port`).")
def demo(**given: object) -> None:
    """Ingest the samples and serve the dashboard."""
    from app.settings import load_settings

    settings = load_settings(**given)
    answer = ingest_paths(settings, (SAMPLES,), {})
    click.echo(f"{len(answer.runs)} sample runs are in {settings.data}")
    _serve(settings)


def _serve(settings: Settings) -> None:
    from app.server.gunicorn import serve_forever

    serve_forever(settings)
