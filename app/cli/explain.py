"""Command `explain`: what files say, without a server and without a store that stays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.common import printable, set_option
from app.cli.records import print_record

if TYPE_CHECKING:
    from app.config.settings import Settings


@click.command()
@click.argument(
    "paths", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@set_option("Setting of the runs, such as clock_hz=1.25GHz.")
@click.option(
    "--loader", metavar="NAME", help="Use this loader instead of detecting it from the content."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, under 6,000 tokens.")
def explain(
    paths: tuple[Path, ...], settings_given: dict[str, str], *, loader: str | None, as_json: bool
) -> None:
    """Explain files or folders: print the sentences, numbers with units, and findings of each run.

    They are the same as on the run's page. The files are read into a temporary store, which is
    deleted; no server is needed, and the stored runs stay as they are. Exits with 1 if no run was
    read.
    """
    from data_loaders.protocol import LoadError
    from data_loaders.reading.scratch import scratch_folder
    from ingest.settings import check_request

    try:
        check_request(settings_given, loader)
    except LoadError as error:
        raise click.UsageError(str(error)) from error
    with scratch_folder() as folder:
        record = _explain(folder, paths, settings_given, loader)
    if not record["runs"]:
        raise click.ClickException(_reason(record["skipped"]))
    from app.cli.explanation import explanation_lines

    print_record(record, explanation_lines(record), as_json=as_json)


def _explain(
    folder: Path, paths: Sequence[Path], settings_given: dict[str, str], loader: str | None
) -> dict[str, Any]:
    """Read files into a store in an empty folder, and explain their runs."""
    from app.cli.explanation import MAX_RUNS, bounded_explanation, explain_run
    from app.cli.ingest import ingest_paths, open_readers
    from schema.choices import METHODS
    from services.run.data_cache import RunDataCache

    settings = _temporary_settings(folder)
    # The processes are copies of this one, so that they begin before the store is opened.
    with open_readers(settings, paths) as readers:
        repository = settings.repository()
        try:
            result = ingest_paths(
                settings,
                tuple(paths),
                settings_given,
                loader=loader,
                scheduler="",
                repository=repository,
                readers=readers,
            )
            if result.failure is not None:
                raise result.failure
            cache = RunDataCache(repository)
            ids = list(dict.fromkeys(run.run_id for run in result.runs))
            explained = [explain_run(cache.get(one, METHODS[0], {})) for one in ids[:MAX_RUNS]]
        finally:
            repository.catalogue.close()
    # Companion files belong to a run, so that they are not missing.
    skipped = [
        {"path": printable(str(one.path)), "reason": printable(one.reason)}
        for one in result.skipped
        if not one.along
    ]
    return bounded_explanation(explained, skipped, max(len(ids) - MAX_RUNS, 0))


def _temporary_settings(folder: Path) -> Settings:
    """Return the settings of this machine, with an embedded store in a folder in place of its own."""
    from app.config.settings import embedded_urls, load_settings

    return load_settings(data=folder, dask_scheduler="", **embedded_urls(folder))


def _reason(skipped: Sequence[dict[str, str]]) -> str:
    """Describe why no run was read: the first file with its reason."""
    if not skipped:
        return "no run was read: the files have none"
    more = len(skipped) - 1
    others = f" (and {more} more)" if more else ""
    return f"no run was read: {skipped[0]['path']}: {skipped[0]['reason']}{others}"
