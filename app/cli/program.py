"""Command `program`: graph of a compiler after a match of a rewrite step."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.common import INDEX, output_stream
from app.cli.records import command_errors
from app.cli.run_options import format_option, output_option, with_run
from schema.choices import GRAPH_FORMATS

if TYPE_CHECKING:
    from storage.repository import Repository


@click.command()
@with_run
@click.option(
    "--context",
    type=INDEX,
    required=True,
    help="Context of the compiler (a schedule or kernel), by its rank.",
)
@click.option(
    "--step",
    type=INDEX,
    required=True,
    help="Rewrite step, by its rank in the context.",
)
@click.option(
    "--match",
    type=INDEX,
    default=0,
    show_default=True,
    help="Match of the step; 0 is the graph before the first.",
)
@format_option(GRAPH_FORMATS)
@output_option
def program(
    repository: Repository,
    run_id: str,
    *,
    context: int,
    step: int,
    match: int,
    fmt: str,
    output: Path | None,
) -> None:
    """Write the graph after a match of a rewrite step. RUN is an id or its beginning.

    JSON has every node and edge, DOT those of the picture on the page; text has a line per node.
    """
    from services.program.data import ProgramData
    from services.program.export import graph_text
    from services.run.stored_frames import StoredFrames

    with command_errors():
        text = graph_text(ProgramData(StoredFrames(repository, run_id)), context, step, match, fmt)
    with output_stream(output) as stream:
        stream.write(text.encode())
