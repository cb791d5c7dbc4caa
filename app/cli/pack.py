"""Command `pack`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from app.cli.common import printable, with_settings

if TYPE_CHECKING:
    from app.config.settings import Settings
    from storage.repository import Repository


@click.command()
@with_settings
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def pack(settings: Settings, as_json: bool) -> None:
    """Write the frames of each run of an older release to one file, instead of a file per frame.

    The command may be ended at any time, and continues when it is called again; servers may run.
    Exits with 1 if a run failed; such a run stays as it is.
    """
    repository = settings.repository()
    from services.store.packing import unpacked_runs
    from storage.pending import sweep

    if repository.catalogue.is_created():
        # A command that was ended may have left files behind.
        sweep(repository.catalogue, repository.store, repository.stale_after_s)
    done = []
    for run_id in unpacked_runs(repository):
        result = _pack_run(repository, run_id)
        done.append({"run_id": run_id, **result})
        if not as_json:
            reason = f": {result['reason']}" if "reason" in result else ""
            click.echo(printable(f"{result['status']:9}  {run_id}{reason}"))
    if as_json:
        click.echo(json.dumps({"runs": done}))
    sys.exit(1 if any(run["status"] == "failed" for run in done) else 0)


def _pack_run(repository: Repository, run_id: str) -> dict[str, str]:
    """Pack a run; return its status, with the reason of a failure."""
    from services.store.packing import pack_run
    from storage.errors import RunNotFound, StorageError

    try:
        return {"status": pack_run(repository, run_id)}
    except RunNotFound:
        return {"status": "deleted"}
    except StorageError as error:
        return {"status": "failed", "reason": str(error)}
