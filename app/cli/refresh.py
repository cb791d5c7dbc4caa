"""Command `refresh`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from app.cli.common import printable, with_settings

if TYPE_CHECKING:
    from app.config.settings import Settings
    from ingest.refresh import Refreshed


@click.command()
@with_settings
@click.argument("run_ids", metavar="[RUN]...", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def refresh(settings: Settings, run_ids: tuple[str, ...], as_json: bool) -> None:
    """Recompute the numbers and findings of runs from the stored data: of all runs if no run is
    given.

    RUN is an id or its beginning. Exits with 1 if a run failed; such a run stays as it is.
    """
    repository = settings.repository()
    resolved = [repository.resolve(run_id) for run_id in run_ids]
    wanted = resolved or [stored.run_id for stored in repository.catalogue.each()]
    from ingest.refresh import refresh as refresh_runs

    done = []
    for run in refresh_runs(repository, list(dict.fromkeys(wanted))):
        done.append(run)
        if not as_json:
            click.echo(_line(run))
    if as_json:
        click.echo(json.dumps({"runs": [asdict(run) for run in done]}))
    sys.exit(1 if any(run.status == "failed" for run in done) else 0)


def _line(run: Refreshed) -> str:
    return printable(
        f"{run.status:9}  {run.run_id}  {run.name}{': ' + run.reason if run.reason else ''}"
    )
