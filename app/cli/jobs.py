"""Commands `jobs` and `retention`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from app.cli.common import COUNT, operator, printable, with_settings
from schema.plurals import plural

if TYPE_CHECKING:
    from app.config.settings import Settings
    from storage.jobs import Job


@click.command()
@with_settings
@click.option("--cancel", metavar="ID", help="Cancel this job.")
@click.option(
    "--limit",
    type=COUNT,
    default=20,
    show_default=True,
    metavar="COUNT",
    help="Maximum number of jobs.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def jobs(settings: Settings, cancel: str | None, limit: int, as_json: bool) -> None:
    """List the newest jobs: ingests of many files, and jobs that users started on the page or over
    the API.
    """
    from storage.audit import Audit
    from storage.jobs import Jobs

    catalogue = settings.catalogue()
    catalogue_jobs = Jobs(catalogue)
    if cancel is not None:
        if catalogue_jobs.get(cancel) is None or not catalogue_jobs.cancel(cancel):
            raise click.ClickException(f"there is no running or queued job {cancel!r}")
        Audit(catalogue).add(operator(), "job.cancel", cancel)
        click.echo(f"cancelled {cancel}")
        return
    listed = catalogue_jobs.all(limit)
    if as_json:
        click.echo(json.dumps([{"id": job.job_id, **asdict(job)} for job in listed]))
        return
    for job in listed:
        click.echo(_line(job))
    if not listed:
        click.echo("No jobs.")


def _line(job: Job) -> str:
    failed = f", {job.failed} failed" if job.failed else ""
    counts = f"{job.done} of {job.total}{failed}"
    message = f": {job.message}" if job.message else ""
    began = job.created_at[:19].replace("T", " ")
    return printable(
        f"{job.job_id}  {job.kind:9}  {job.state:9}  {counts}  {began}  {job.created_by}{message}"
    )


@click.command()
@with_settings
@click.option(
    "--keep-last",
    type=COUNT,
    required=True,
    metavar="N",
    help="Number of runs to keep of each key.",
)
@click.option(
    "--by",
    multiple=True,
    type=click.Choice(["source", "hwid", "M", "K", "N"]),
    help="Columns that form the key.",
)
@click.option("--of-all", is_flag=True, help="Keep this number of runs in total, instead of --by.")
@click.option(
    "--delete",
    "for_real",
    is_flag=True,
    help="Delete the runs; without this option they are only listed.",
)
def retention(
    settings: Settings, *, keep_last: int, by: tuple[str, ...], of_all: bool, for_real: bool
) -> None:
    """Delete all but the newest runs of each key.

    Pinned runs stay and do not count. Runs stay as well if they belong to a baseline, if a baseline
    rule compares the next run of a key with them, or if they are the first bad or last good run of
    an open regression.
    """
    from app.overview.retention_words import preview_sentence
    from services.retention.retention import preview_retention, retain
    from storage.retention import listed_runs

    if by and of_all:
        raise click.ClickException("give --by or --of-all, not both")
    # Without a key nearly all runs would be deleted, so that it has to be explicit.
    if for_real and not by and not of_all:
        raise click.ClickException(
            f"--delete needs --by, the columns of the key of which {plural(keep_last, 'run')} each stay, "
            f"or --of-all to keep {plural(keep_last, 'run')} in total"
        )
    if for_real:
        deleted = retain(settings.repository(), keep_last, by, operator())
        for run in deleted:
            click.echo(printable(f"deleted {run.run_id[:12]}  {run.name}"))
        if not deleted:
            click.echo("Nothing to delete.")
        return
    repository = settings.repository()
    preview = preview_retention(repository, keep_last, by)
    for run in listed_runs(repository.catalogue, preview.run_ids):
        click.echo(printable(f"would delete {run.run_id[:12]}  {run.name}"))
    click.echo(printable(preview_sentence(preview, keep_last, by)))
