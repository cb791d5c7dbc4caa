"""Root of the command line.

Each command imports modules when it runs, so that other commands start fast.
"""

from __future__ import annotations

import click

from app import __version__
from app.cli.admin import admin
from app.cli.advise import advise
from app.cli.alert import alert
from app.cli.allocate import allocate
from app.cli.backup import backup, restore
from app.cli.breakdown import breakdown
from app.cli.common import Cli
from app.cli.compare import compare
from app.cli.compile_time import compile_time
from app.cli.db import db
from app.cli.demo import demo
from app.cli.design import design
from app.cli.explain import explain
from app.cli.export import frames, minimalloc, report, snapshot
from app.cli.gate import baseline, check
from app.cli.groups import groups
from app.cli.idle import idle
from app.cli.ingest import ingest
from app.cli.jobs import jobs, retention
from app.cli.mcp import mcp
from app.cli.memory import memory
from app.cli.ops import ops
from app.cli.pace import pace
from app.cli.pack import pack
from app.cli.peak import peak
from app.cli.perfetto import perfetto
from app.cli.plan import plan
from app.cli.plugins import plugins
from app.cli.predict import predict
from app.cli.program import program
from app.cli.query import query
from app.cli.ranks import ranks
from app.cli.refresh import refresh
from app.cli.runs import delete, runs
from app.cli.serve import serve
from app.cli.status import status
from app.cli.steps import steps
from app.cli.sweep import sweep
from app.cli.tiling import tiling
from app.cli.token import token
from app.cli.trend import trend
from app.cli.watch import watch


@click.group(
    cls=Cli, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="tilescope", message="%(prog)s %(version)s")
@click.option("--verbose", is_flag=True, help="Log activity and tracebacks to stderr.")
def main(verbose: bool) -> None:
    """Tilescope: a dashboard for the traces and memory maps that ML accelerator tools leave behind."""
    if verbose:
        import logging

        logging.basicConfig(level=logging.DEBUG, format="%(levelname)s %(name)s: %(message)s")


_OF_THE_STORE = (
    serve,
    demo,
    ingest,
    explain,
    watch,
    refresh,
    pack,
    runs,
    delete,
    plugins,
    db,
    backup,
    restore,
    mcp,
)
_OF_THE_TEAM = (admin, alert, token, jobs, retention)
_OF_NUMBERS = (
    query,
    compare,
    baseline,
    check,
    status,
    trend,
    pace,
    advise,
    sweep,
    steps,
    breakdown,
    idle,
    ops,
    memory,
    peak,
    ranks,
)
_OF_RUNS = (
    frames,
    program,
    compile_time,
    tiling,
    design,
    predict,
    plan,
    report,
    minimalloc,
    groups,
    allocate,
    snapshot,
    perfetto,
)
for command in (*_OF_THE_STORE, *_OF_THE_TEAM, *_OF_NUMBERS, *_OF_RUNS):
    main.add_command(command)
