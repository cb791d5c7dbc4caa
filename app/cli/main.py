"""Root of the command line.

Each command is imported when it is called, and imports other modules when it runs, so that
commands start fast.
"""

from __future__ import annotations

import click

from app import __version__
from app.cli.commands import Commands
from app.cli.common import Cli

_OF_THE_STORE = (
    "serve:serve",
    "demo:demo",
    "ingest:ingest",
    "explain:explain",
    "watch:watch",
    "refresh:refresh",
    "pack:pack",
    "compact:compact",
    "runs:runs",
    "runs:delete",
    "plugins:plugins",
    "db:db",
    "backup:backup",
    "backup:restore",
    "mcp:mcp",
)
_OF_THE_TEAM = ("admin:admin", "alert:alert", "token:token", "jobs:jobs", "jobs:retention")
_OF_NUMBERS = (
    "query:query",
    "compare:compare",
    "gate:baseline",
    "gate:check",
    "status:status",
    "bisect:bisect",
    "trend:trend",
    "pace:pace",
    "advise:advise",
    "sweep:sweep",
    "steps:steps",
    "breakdown:breakdown",
    "idle:idle",
    "ops:ops",
    "memory:memory",
    "peak:peak",
    "ranks:ranks",
)
_OF_RUNS = (
    "export:frames",
    "program:program",
    "compile_time:compile_time",
    "tiling:tiling",
    "design:design",
    "predict:predict",
    "plan:plan",
    "export:report",
    "export:minimalloc",
    "groups:groups",
    "allocate:allocate",
    "export:snapshot",
    "perfetto:perfetto",
)


@click.group(
    cls=Cli,
    commands=Commands((*_OF_THE_STORE, *_OF_THE_TEAM, *_OF_NUMBERS, *_OF_RUNS)),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="tilescope", message="%(prog)s %(version)s")
@click.option("--verbose", is_flag=True, help="Log activity and tracebacks to stderr.")
def main(verbose: bool) -> None:
    """Tilescope: a dashboard for the traces and memory maps that ML accelerator tools leave behind."""
    if verbose:
        import logging

        logging.basicConfig(level=logging.DEBUG, format="%(levelname)s %(name)s: %(message)s")
