"""Runs of the keys that a rule covers, and how they are loaded for comparisons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache, partial

from analysis.comparison.series import CAPTURE_SOURCES, SeriesKey
from services.comparison.compare import Load, Settings
from services.comparison.compared_runs import ComparedRun, compared_run
from storage.repository import Repository
from storage.rules import Rule
from storage.series import SeriesPosition, captures, key_columns


def covered_series(
    repository: Repository, rule: Rule, likenesses: Sequence[str] | None = None
) -> dict[SeriesKey, list[SeriesPosition]]:
    """Map each key that a rule covers to its runs in the order of capture, oldest first; only of
    `likenesses` if given.

    A group whose runs are all damaged has no key and is left out.
    """
    return group_by_key(repository, captures(repository.catalogue, rule.filters, likenesses))


def group_by_key(
    repository: Repository, positions: Iterable[SeriesPosition]
) -> dict[SeriesKey, list[SeriesPosition]]:
    """Map each key of these positions to its positions, in their order.

    A group whose runs are all damaged has no key and is left out.
    """
    groups: dict[Hashable, list[SeriesPosition]] = defaultdict(list)
    for place in positions:
        groups[place.group(CAPTURE_SOURCES)].append(place)
    runs_by_key: dict[SeriesKey, list[SeriesPosition]] = {}
    while groups:
        latest = {group: runs[-1].run_id for group, runs in groups.items()}
        columns = key_columns(repository.catalogue, list(latest.values()))
        runs_by_key |= {
            SeriesKey.of(columns[run_id]): groups[group]
            for group, run_id in latest.items()
            if run_id in columns
        }
        # a damaged run has no key: the earlier runs of its group have it
        damaged = {group: run_id for group, run_id in latest.items() if run_id not in columns}
        left = {
            group: [place for place in groups[group] if place.run_id != run_id]
            for group, run_id in damaged.items()
        }
        groups = {group: runs for group, runs in left.items() if runs}
    return runs_by_key


def recent_runs(repository: Repository, most: int, load: Load | None = None) -> Load:
    """Return a function that loads a run for comparisons, by default from the store, and caches the
    last `most` runs whatever their size; it ignores the settings that it is given.
    """
    load = load or partial(compared_run, repository)

    @lru_cache(most)
    def load_recent(run_id: str) -> ComparedRun:
        return load(run_id, {})

    def load_run(run_id: str, _settings: Settings) -> ComparedRun:
        return load_recent(run_id)

    return load_run
