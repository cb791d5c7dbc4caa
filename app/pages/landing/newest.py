"""The newest run of each source of a store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from components.landing.newest import NewestRun
from data_loaders.registry import plugin_sources
from schema.headlines import headline_of
from schema.sources import SOURCES
from services.store.runs_list import RunQueries
from storage.run_query import EVERY_RUN, RunFilter, RunQuery


def newest_runs(listing: RunQueries) -> list[NewestRun]:
    """Find the newest run of each source that has runs, by capture, else by ingest; in the order of
    `SOURCES`, then plugins.

    The result is cached until a run changes.
    """
    return listing.once("newest runs", lambda: _find_newest(listing))


def _find_newest(listing: RunQueries) -> list[NewestRun]:
    counts = listing.counts(EVERY_RUN).facets["source"].runs
    titles = {source.name: source.title for source in (*SOURCES, *plugin_sources())}
    # A source of a plugin that is not installed any more has runs, but no title.
    names = [*titles, *sorted({*counts} - {*titles})]
    return [
        _newest(listing, name, titles.get(name, name), counts[name])
        for name in names
        if counts.get(name)
    ]


def _newest(listing: RunQueries, source: str, title: str, runs: int) -> NewestRun:
    (stored,) = listing.page(RunQuery(RunFilter(source=(source,)), limit=1)).runs
    run: Mapping[str, Any] = stored.run
    # Of a damaged row only some values could be read.
    date = str(run.get("taken_at") or run.get("created_at") or "")
    name = str(run.get("name") or "run")
    headline = None if stored.damaged else headline_of(source, stored.headline)
    return NewestRun(source, title, stored.run_id, name, headline, date, runs)
