"""Status of all keys against a baseline rule, for command line, page, API, list, trends and
alerts.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial

from analysis.comparison.series import SeriesKey
from analysis.comparison.status_row import Status, StatusRow
from schema.likeness import likeness, run_key
from services.comparison.compare import Load
from services.status.as_of_status import AsOfReader
from services.status.cached_results import CachedResult, ResultCache, RuleLocks, cached_result
from services.status.covered_series import covered_series, recent_runs
from services.status.key_batches import split_likenesses
from services.status.last_runs import LastRuns
from services.status.latest_status import judge_latest, status_store
from services.status.rule_verdicts import Judge, Judged, count_missing
from services.status.rules import RuleError, choose_rule, rule_text
from services.status.status_rows import status_row, with_age, worst_first
from storage.acknowledgements import Acknowledgements
from storage.catalogue import Catalogue
from storage.likenesses import count_runs
from storage.repository import Repository
from storage.rule_verdicts import RuleVerdicts, RunMoment
from storage.rules import Rule
from storage.run_list import RunList
from storage.series import places


class StatusCache:
    """The status of rules, computed once as long as neither runs nor rules change.

    `load` returns a run for comparisons. `commit_url` is the template of a link with `{base}` and
    `{new}` for two commits.
    """

    def __init__(
        self, repository: Repository, load: Load | None = None, commit_url: str = ""
    ) -> None:
        self.repository = repository
        self._load = load
        self._commit_url = commit_url
        self._list = RunList(repository.catalogue)
        self._judged: ResultCache[str, Judged] = ResultCache()
        self._latest: ResultCache[str, LastRuns] = ResultCache()
        self._as_of: ResultCache[tuple[str, str], LastRuns] = ResultCache()
        self._locks = RuleLocks()

    def status(
        self,
        rule: str = "",
        since: datetime | None = None,
        as_of: datetime | None = None,
        *,
        within_s: float = math.inf,
    ) -> Status:
        """Return the status of a rule, the worst rows first; "" for the only rule.

        `since` leaves out keys without a run from then on, `as_of` leaves out later runs. No
        comparison begins after `within_s` seconds; `missing` of the result counts the runs that are
        not compared yet. Raises RuleError if the rule does not exist or "" is ambiguous, and
        StorageError.
        """
        chosen = choose_rule(self.repository.catalogue, rule)
        until = time.monotonic() + within_s
        with self._locks.of(chosen.name):
            # The lock is held while a result is computed: further requests for this rule wait for
            # it, and do not compute it too.
            version = self._list.version()
            last = (
                self._latest_runs(chosen, version, until)
                if as_of is None
                else self._runs_as_of(chosen, _text(as_of), version, until)
            )
            every = self._rows(chosen, last)
        now = as_of or datetime.now(UTC)
        rows = [
            with_age(row, now) for row in every if since is None or row.run.taken_at >= _text(since)
        ]
        return Status(chosen.name, now.isoformat(timespec="seconds"), rows, last.missing)

    def _rows(self, rule: Rule, cached: CachedResult[LastRuns]) -> list[StatusRow]:
        """Return the rows of all keys, the worst first; they are cached with the result."""
        if cached.rows is None:
            acknowledgements = Acknowledgements(self.repository.catalogue).of(rule.name)
            rows = [
                status_row(key, tail.runs, acknowledgements, self._commit_url, tail.points)
                for key, tail in cached.runs.tails.items()
            ]
            cached.rows = worst_first(rows)
        return cached.rows

    def judged_runs(self, rule: Rule, *, within_s: float = math.inf) -> Judged:
        """Map each key that a rule covers to its runs with their verdicts, in their order.

        No comparison begins after `within_s` seconds; verdicts that are missing then are `None`.
        """
        until = time.monotonic() + within_s
        with self._locks.of(rule.name):
            version = self._list.version()
            work_out = partial(self._work_out, rule, version, until)
            return self._judged.find(rule.name, version, work_out).runs

    def judged_keys(
        self,
        rule: Rule,
        likenesses: Sequence[str],
        *,
        members_only: bool = False,
        within_s: float = math.inf,
    ) -> Judged:
        """Judge the runs of the keys of some likenesses without reading other runs; see
        `judged_runs`. Runs off the branch of the rule are left out if `members_only`.
        """
        series = covered_series(self.repository, rule, likenesses)
        runs = [run.run_id for own in series.values() for run in own]
        judge = self._judge(rule, time.monotonic() + within_s, runs)
        return {key: judge.judge(own, members_only=members_only) for key, own in series.items()}

    def judged_batches(
        self, rule: Rule, *, members_only: bool = False, within_s: float = math.inf
    ) -> Iterator[Judged]:
        """Yield the result of `judged_runs` for some keys at a time, so that the memory does not
        grow with the number of runs. Runs off the branch of the rule are left out if `members_only`.
        """
        until = time.monotonic() + within_s
        stored = status_store(self.repository.catalogue).of(rule.name, rule.filters)
        likenesses = [*stored.by_likeness, *stored.missing]
        counts = count_runs(self.repository.catalogue, likenesses) if likenesses else {}
        for batch in split_likenesses(counts):
            left_s = until - time.monotonic()
            yield self.judged_keys(rule, batch, members_only=members_only, within_s=left_s)

    def base_of(self, rule: Rule, runs: Sequence[str], *, within_s: float = math.inf) -> list[str]:
        """Return the ids of the runs that the given runs of a single key are compared with, oldest
        first: runs older than the first of them; empty if there are none.

        Raises RuleError if the rule does not cover a run, if the runs have several keys, or if
        older runs are not compared yet after `within_s` seconds.
        """
        alike = {place.likeness for place in places(self.repository.catalogue, runs).values()}
        series = covered_series(self.repository, rule, sorted(alike))
        position_by_run = {
            older_run.run_id: (key, at)
            for key, own in series.items()
            for at, older_run in enumerate(own)
            if older_run.run_id in runs
        }
        other = next((run_id for run_id in runs if run_id not in position_by_run), None)
        if other is not None:
            raise RuleError(
                f"rule {rule.name!r} does not cover run {other}: it covers {rule_text(rule)}"
            )
        if len({key for key, _ in position_by_run.values()}) > 1:
            raise RuleError(
                "runs that a rule compares must have the same key, tile, grid and data type"
            )
        key, first = min(position_by_run.values(), key=lambda place: place[1])
        older = series[key][:first]
        base = self._judge(
            rule, time.monotonic() + within_s, [older_run.run_id for older_run in older]
        ).base_of(older)
        if base is None:
            raise RuleError(
                f"older runs are still being compared by rule {rule.name!r}: try again in a moment"
            )
        return base

    def verdicts(self, rule: str) -> dict[RunMoment, str]:
        """Map each observation (run id, date) that a rule covers to its verdict, such as
        `regressed`; observations without a verdict are left out.

        Raises as `status` does.
        """
        verdicts: dict[RunMoment, str] = {}
        for judged in self.judged_batches(choose_rule(self.repository.catalogue, rule)):
            verdicts |= _verdicts_by_moment(judged)
        return verdicts

    def verdicts_by_key(
        self, rule: str, keys: Iterable[SeriesKey], *, within_s: float = math.inf
    ) -> tuple[dict[RunMoment, str], int]:
        """Return (verdict by observation for the runs of these keys, number of missing verdicts);
        observations without a verdict are left out.

        No comparison begins after `within_s` seconds. Raises as `status` does.
        """
        chosen = choose_rule(self.repository.catalogue, rule)
        alike = {likeness(run_key(key._asdict())) for key in keys}
        judged = self.judged_keys(chosen, sorted(alike), within_s=within_s)
        return _verdicts_by_moment(judged), sum(
            judged_run.verdict is None for own in judged.values() for judged_run in own
        )

    def _work_out(self, rule: Rule, version: str, until: float) -> CachedResult[Judged]:
        series = covered_series(self.repository, rule)
        judge = self._judge(rule, until)
        judged = {key: judge.judge(runs, members_only=False) for key, runs in series.items()}
        return cached_result(version, judged, count_missing(judged), judge.failed)

    def _latest_runs(self, rule: Rule, version: str, until: float) -> CachedResult[LastRuns]:
        def work_out() -> CachedResult[LastRuns]:
            make_judge = partial(self._judge, rule, until)
            latest = judge_latest(self.repository, rule, make_judge, until)
            return cached_result(version, latest, latest.total_missing, latest.failed)

        return self._latest.find(rule.name, version, work_out)

    def _runs_as_of(
        self, rule: Rule, moment: str, version: str, until: float
    ) -> CachedResult[LastRuns]:
        place = (rule.name, moment)
        before = self._as_of.get(place)

        def work_out() -> CachedResult[LastRuns]:
            latest = self._latest_runs(rule, version, until).runs
            reader = AsOfReader(self.repository, rule, moment, partial(self._judge, rule))
            is_same = before is not None and before.version == version
            runs = reader.read(latest, before.runs if before and is_same else LastRuns(), until)
            return cached_result(version, runs, runs.total_missing, runs.failed)

        return self._as_of.find(place, version, work_out)

    def _judge(
        self, rule: Rule, until: float = math.inf, runs: Sequence[str] | None = None
    ) -> Judge:
        store = RuleVerdicts(self.repository.catalogue)
        load = recent_runs(self.repository, rule.last + 1, self._load)
        return Judge(
            self.repository, rule, store.of(rule.name, runs), load, partial(store.put, rule), until
        )


def lacks_status(catalogue: Catalogue, rule: Rule) -> bool:
    """Whether the catalogue lacks the status of a key that a rule covers, so that runs must be
    compared.
    """
    return bool(status_store(catalogue).missing(rule.name, rule.filters))


def _verdicts_by_moment(judged: Judged) -> dict[RunMoment, str]:
    pairs = (
        (judged_run.run, judged_run.verdict) for runs in judged.values() for judged_run in runs
    )
    return {
        RunMoment(run.run_id, run.date): verdict.verdict
        for run, verdict in pairs
        if verdict is not None
    }


def _text(moment: datetime) -> str:
    """Format a time as ISO 8601 in UTC, like the dates of runs, so that both can be compared as
    text.
    """
    return moment.astimezone(UTC).isoformat()
