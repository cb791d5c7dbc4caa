"""Command `demo`: serves the samples and a made-up history with baselines, notes and tags."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.common import data_option, operator
from app.cli.ingest import ingest_paths
from app.cli.serve import serve_settings
from app.config.assets import SAMPLES
from schema.plurals import plural

if TYPE_CHECKING:
    from storage.repository import Repository

ROOT = Path(__file__).resolve().parents[2]
HISTORY = "demo"
"""Folder of the history's files, inside the folder of the embedded store."""
STORY = "story.json"
"""File in the history's folder that lists baselines, rules, saved filters, notes, tags and pins."""


@click.command()
@data_option
@click.option("--host", help="Address to listen on (default: setting `host`).")
@click.option("--port", type=int, help="Port to listen on (default: setting `port`).")
def demo(**given: object) -> None:
    """Ingest the samples and a history of six weeks, then serve the dashboard."""
    from app.config.settings import load_settings
    from services.lab.process import prepare_strategies

    settings = load_settings(**given)
    # The search of the lab is compiled while the samples are ingested.
    preparing = prepare_strategies()
    repository = settings.repository()
    folder = settings.data / HISTORY
    write_history(folder)
    result = ingest_paths(settings, (SAMPLES, folder), {}, repository=repository)
    if result.failure is not None:
        raise result.failure
    tell_story(repository, folder, {run.file: run.run_id for run in result.runs})
    click.echo(f"{plural(len(result.runs), 'sample run')} ingested into {settings.data}")
    if preparing is not None and preparing.is_alive():
        click.echo("Compiling the search of the lab, only once")
        preparing.join()
    serve_settings(settings)


def write_history(folder: Path) -> None:
    """Write the files of the history to `folder` with `samples.history` in a process of its own.

    The application does not import the samples. Raises CalledProcessError if the process fails.
    """
    subprocess.run(  # noqa: S603 - the command is our own
        [sys.executable, "-m", "samples.history", str(folder.absolute())],
        cwd=ROOT,
        # The working directory is not on Python's path when PYTHONSAFEPATH is set, as `tilescope`
        # does.
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=True,
    )


def tell_story(repository: Repository, folder: Path, runs: Mapping[str, str]) -> None:
    """Set the baselines, rules, saved filters, notes, tags and pins of the history in `folder`.

    Whatever a user changed or set stays as it is. `runs` maps files to run ids. Missing verdicts
    are computed, so that the list of runs shows them.
    """
    story = json.loads((folder / STORY).read_text("utf-8"))
    _set_baselines(repository, folder, story["baselines"], runs)
    _set_rules(repository, story["rules"])
    _save_views(repository, story["views"])
    for entry in story["annotations"]:
        _annotate(repository, entry, runs[str(folder / entry["run"])])
    _make_verdicts(repository, [*runs.values()])


def _set_baselines(
    repository: Repository,
    folder: Path,
    entries: Sequence[Mapping[str, Any]],
    runs: Mapping[str, str],
) -> None:
    from services.baselines.baselines import set_baseline
    from storage.baselines import Baselines

    names = {baseline.name for baseline in Baselines(repository.catalogue).all()}
    for entry in entries:
        if entry["name"] not in names:
            ids = [runs[str(folder / file)] for file in entry["runs"]]
            set_baseline(repository, entry["name"], ids, entry["last"], user=operator())


def _set_rules(repository: Repository, entries: Sequence[Mapping[str, Any]]) -> None:
    from services.status.rules import set_rule
    from storage.rules import Rule, Rules

    names = {rule.name for rule in Rules(repository.catalogue).all()}
    for entry in entries:
        if entry["name"] not in names:
            set_rule(repository, Rule(**entry), operator())


def _save_views(repository: Repository, entries: Sequence[Mapping[str, str]]) -> None:
    from services.store.saved_filters import save_view
    from storage.saved_texts import SavedViews

    names = {view.name for view in SavedViews(repository.catalogue).all()}
    for entry in entries:
        if entry["name"] not in names:
            save_view(repository.catalogue, entry["name"], entry["query"], operator())


def _annotate(repository: Repository, entry: Mapping[str, Any], run_id: str) -> None:
    from services.store.annotate import annotate
    from storage.annotations import Annotations, Change

    # Annotations that a user changed stay as they are.
    if not Annotations(repository.catalogue).one(repository.find_run(run_id)).changed_at:
        change = Change(
            notes=entry["notes"], more_tags=tuple(entry["tags"]), pinned=entry["pinned"]
        )
        annotate(repository.catalogue, run_id, change, operator())


def _make_verdicts(repository: Repository, runs: Sequence[str]) -> None:
    """Compute the missing verdicts of all baselines and rules about these runs."""
    from services.comparison.data import CompareDataCache
    from services.gate.baseline_status import BaselineStatuses
    from services.run.data_cache import RunDataCache
    from services.status.status import StatusCache
    from services.store.runs_list import RunsList
    from storage.rules import Rules

    statuses = BaselineStatuses(
        repository, CompareDataCache(repository, RunDataCache(repository)).load
    )
    listed = RunsList(repository.catalogue).now()
    # A call computes only a few verdicts, so it is repeated, at most once per run.
    for _ in runs:
        verdicts = statuses.more(listed, runs)
        if not any(verdict.known == "missing" for verdict in verdicts.values()):
            break
    for rule in Rules(repository.catalogue).all():
        StatusCache(repository).judged_runs(rule)
