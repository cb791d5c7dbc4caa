"""Command `bisect`: which commit made a metric of a key worse."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.common import GATE_ERROR, operator, with_settings
from app.cli.records import command_errors, print_record

if TYPE_CHECKING:
    from app.config.settings import Settings
    from services.bisection.bisections import Request
    from storage.repository import Repository

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_PROVED, _NO_CULPRIT, _MEASURE = 0, 1, 2
"""Exit codes: the culprit is proved, there is none, a commit is to be measured."""


@click.command()
@with_settings
@click.option("--key", "run", required=True, metavar="RUN", help="A run whose key is bisected.")
@click.option("--good", required=True, metavar="COMMIT", help="Commit before the regression.")
@click.option("--bad", required=True, metavar="COMMIT", help="Commit with the regression.")
@click.option(
    "--commits",
    type=_FILE,
    metavar="FILE",
    help="List of commits, a line each, the oldest first (default: the stored list, else git's).",
)
@click.option(
    "--git",
    "folder",
    type=_FOLDER,
    metavar="FOLDER",
    help="Folder of the git repository with the commits (default: the working directory).",
)
@click.option(
    "--metric",
    default="",
    help="Metric, or the name of a named number (default: the metric that decides verdicts).",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1000, min_open=True),
    metavar="PERCENT",
    help="Smallest change that counts as a change (default: that of the metric).",
)
@click.option(
    "--skip", "skipped", multiple=True, metavar="COMMIT", help="Commit that gives no result."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bisect(
    settings: Settings,
    *,
    run: str,
    good: str,
    bad: str,
    commits: Path | None,
    folder: Path | None,
    metric: str,
    threshold: float | None,
    skipped: tuple[str, ...],
    as_json: bool,
) -> None:
    """Find the commit that made a metric of a key worse: print which commit to measure next.

    The plan uses the stored runs of the key with these commits; a run with the tag "failed" gives
    no result. Repeat the command after each run, or follow the page. The exit code is 0 if the
    culprit is proved, 2 if a commit is to be measured, 1 if there is no single culprit, and 3 for
    errors.
    """
    if commits is not None and folder is not None:
        raise click.UsageError("--commits and --git exclude each other")
    from components.bisection.words import bisection_lines
    from services.bisection.bisections import Request, load_bisection, start
    from services.bisection.commits import read_commits
    from services.bisection.errors import BisectionError

    repository = settings.repository()
    with command_errors(BisectionError):
        given = Request(
            repository.resolve(run),
            good,
            bad,
            None if commits is None else read_commits(commits),
            metric,
            None if threshold is None else threshold / 100,
            skipped,
        )
        request = given if commits is not None else _with_git(repository, given, folder)
        bisection = load_bisection(repository.catalogue, start(repository, request, operator()))
    print_record(bisection.record(), bisection_lines(bisection), as_json=as_json)
    state = bisection.plan.state
    code = {"proved": _PROVED, "measure": _MEASURE}.get(state, _NO_CULPRIT)
    click.get_current_context().exit(code)


bisect.error_code = GATE_ERROR  # type: ignore[attr-defined]


def _with_git(repository: Repository, request: Request, folder: Path | None) -> Request:
    """Return the request with the commits of the git repository; unchanged if a bisection of these
    commits is stored and no folder is given.
    """
    from dataclasses import replace

    from services.bisection.bisections import is_stored
    from services.bisection.git import read_range

    if folder is None and is_stored(repository, request):
        return request
    commits = read_range(folder or Path(), request.good, request.bad)
    return replace(request, commits=commits, good=commits[0], bad=commits[-1])
