"""Command `perfetto`: writes a run as a trace for the viewer Perfetto."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.common import output_stream, with_settings
from app.cli.records import command_errors
from app.cli.run_options import format_option, output_option
from schema.choices import TRACE_FORMATS

if TYPE_CHECKING:
    from app.config.settings import Settings


@click.command()
@with_settings
@click.argument("run_id", metavar="RUN")
@format_option(TRACE_FORMATS, "JSON trace events, compressed by gzip, or TrackEvent protobuf.")
@output_option
def perfetto(settings: Settings, run_id: str, *, fmt: str, output: Path | None) -> None:
    """Write a run as a trace that ui.perfetto.dev opens. RUN is an id or its beginning.

    A process is a track, a thread a lane. Cycles of a known clock are nanoseconds; other ticks count as 1 ns each. The
    thread `about` says which.
    """
    if output is None and sys.stdout.isatty():
        raise click.UsageError(
            "A trace cannot be written to a terminal: give a file with --output, or redirect stdout"
        )
    repository = settings.repository()
    run_id = repository.resolve(run_id)
    from services.run.perfetto.formats import write_trace

    with command_errors(), output_stream(output) as stream:
        write_trace(repository, run_id, fmt, stream)
