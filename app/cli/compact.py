"""Command `compact`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from app.cli.common import printable, with_settings
from schema.plurals import plural

if TYPE_CHECKING:
    from app.config.settings import Settings
    from storage.monthly_files import RunMonth
    from storage.repository import Repository


@click.command()
@with_settings
@click.option(
    "--from-packs",
    is_flag=True,
    help="Write the files of all months from the packs of their runs, also if they are up to date.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def compact(settings: Settings, from_packs: bool, as_json: bool) -> None:
    """Write headline, iterations, kernel totals and memory levels of all runs of a source and month
    to one file, which SQL reads in place of a file per run.

    Only months with new, changed or deleted runs are written. The command may be ended at any time,
    and continues when it is called again; servers may run. Exits with 1 if a month failed.
    """
    repository = settings.repository()
    from services.query.compaction import due_months, every_month
    from storage.pending import sweep

    if repository.catalogue.is_created():
        # A command that was ended may have left files behind.
        sweep(repository.catalogue, repository.store, repository.stale_after_s)
    months = every_month(repository) if from_packs else due_months(repository)
    done = []
    for month in months:
        result = _compact_month(repository, month, from_packs=from_packs)
        done.append({"source": month.source, "month": month.month, **result})
        if not as_json:
            click.echo(printable(_line(done[-1])))
    if as_json:
        click.echo(json.dumps({"months": done}))
    sys.exit(1 if any(month["status"] == "failed" for month in done) else 0)


def _line(done: dict[str, object]) -> str:
    """Describe the result of a month in a line."""
    if done["status"] == "failed":
        numbers = str(done["reason"])
    else:
        numbers = f"{plural(int(str(done['read'])), 'run')} read, {done['copied']} copied"
        numbers += f", {done['left_out']} damaged" if done["left_out"] else ""
    return f"{done['status']:9}  {done['month']}  {done['source']}: {numbers}"


def _compact_month(
    repository: Repository, month: RunMonth, *, from_packs: bool
) -> dict[str, object]:
    """Compact a month; return its status with its numbers of runs, or the reason of a failure."""
    from services.query.compaction import compact_month
    from storage.errors import StorageError

    try:
        result = compact_month(repository, month, from_packs=from_packs)
    except StorageError as error:
        return {"status": "failed", "reason": str(error)}
    return {"status": "compacted", **vars(result)}
