"""The last runs of all keys of a rule, judged in batches of keys and stored after each batch."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence

from analysis.comparison.series import SeriesKey
from services.baselines.members import content_hash
from services.status.covered_series import covered_series
from services.status.key_batches import split_likenesses
from services.status.key_tail import FORMAT, is_lasting, read_tail, tail_record
from services.status.last_runs import LastRuns
from services.status.rule_verdicts import Judge, Judged, JudgedRun
from storage.cached_keys import CachedKeys, Kept
from storage.catalogue import Catalogue
from storage.errors import StorageError
from storage.likenesses import count_runs
from storage.repository import Repository
from storage.rule_tables import KEY_STATUS
from storage.rules import Rule

_LOG = logging.getLogger(__name__)
_MADE_BY = f"{content_hash(())}.{FORMAT}"
"""Version of the rules by which a stored status was computed."""


def status_store(catalogue: Catalogue) -> CachedKeys:
    """Return the access to the stored status of keys."""
    return CachedKeys(catalogue, KEY_STATUS, _MADE_BY)


def judge_latest(
    repository: Repository,
    rule: Rule,
    make_judge: Callable[[Sequence[str]], Judge],
    until: float,
) -> LastRuns:
    """Read the stored last runs of each key; judge the runs of other keys and store what is final.

    `make_judge` returns a judge that has the stored verdicts about the given run ids. Keys are
    judged in batches, so that the memory does not grow with the number of runs, and a stop loses
    one batch. No batch but the first begins after `until` (of `time.monotonic`).
    """
    store = status_store(repository.catalogue)
    stored = store.of(rule.name, rule.filters)
    latest = LastRuns(
        {
            likeness: dict(map(read_tail, records))
            for likeness, records in stored.by_likeness.items()
        }
    )
    counts = count_runs(repository.catalogue, stored.missing) if stored.missing else {}
    for at, likenesses in enumerate(split_likenesses(counts)):
        if at and time.monotonic() > until:
            latest.not_read += sum(counts[likeness] for likeness in likenesses)
            continue
        # The version is read before the runs: `put` stores nothing if one has changed since.
        version = store.version()
        series = covered_series(repository, rule, likenesses)
        judge = make_judge([run.run_id for runs in series.values() for run in runs])
        judged = {key: judge.judge(runs, members_only=True) for key, runs in series.items()}
        latest.failed += judge.failed
        by_likeness: dict[str, dict[SeriesKey, list[JudgedRun]]]
        by_likeness = {likeness: {} for likeness in likenesses}
        for key, runs in judged.items():
            by_likeness[series[key][0].likeness][key] = runs
        _add(latest, store, rule, version, by_likeness)
    return latest


def _add(
    latest: LastRuns,
    store: CachedKeys,
    rule: Rule,
    version: str,
    by_likeness: Mapping[str, Judged],
) -> None:
    """Add the judged runs of a batch to the result, and store what the status shows of each
    likeness if all verdicts of all its keys are final; others are judged again next time.

    A failure to write is only logged.
    """
    new: dict[str, Kept] = {}
    for likeness, judged in by_likeness.items():
        if all(is_lasting(runs) for runs in judged.values()):
            new[likeness] = [tail_record(key, runs) for key, runs in judged.items() if runs]
        latest.add(likeness, judged)
    try:
        store.put(rule.name, version, new)
    # a user whose store is read-only gets the status all the same
    except StorageError as error:
        _LOG.warning("the status by rule %r was not cached: %s", rule.name, error)
