"""Status of the runs of a list against their baselines: members, stored verdicts, and verdicts that
are missing.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from services.baselines.baselines import chosen_baselines
from services.baselines.members import BaselineError, Members, NoOlderRunError
from services.comparison.compare import Load
from services.gate.gate import compare_with_members, is_current, is_settled, store_verdict
from services.store.runs_list import RunQueries
from storage.baselines import Baseline
from storage.checks import Check, Checks
from storage.errors import StorageError
from storage.repository import Repository
from storage.run_query import RunFilter
from storage.series import SeriesPosition, places, series

_LOG = logging.getLogger(__name__)
MAX_COMPARISONS = 5
"""Maximum number of verdicts that one request computes."""
MAX_COMPARING_S = 1.0
"""Maximum seconds after which a request begins another comparison."""

_MAX_FAILURES = 1_000
"""Maximum number of failures that are remembered."""
_REMEMBERED_S = 60.0
"""Seconds for which a failure is remembered."""

Known = Literal["member", "checked", "missing", "failed"]
"""State of a run: member of the baseline, compared, not compared yet, or not comparable."""


@dataclass(frozen=True)
class BaselineStatus:
    """A run against the baseline of its key: a member of it, compared, not compared yet, or not
    comparable (`reason`).
    """

    baseline: str
    known: Known
    check: Check | None = None
    reason: str = ""


class BaselineStatuses:
    """Status of runs against the baseline of their key that was set last.

    `load` loads a run for comparisons from a cache, since many runs are compared with the same
    baseline.
    """

    def __init__(self, repository: Repository, load: Load) -> None:
        self._repository = repository
        self._load = load
        self._failed = _RecentFailures()

    def has_baselines(self, queries: RunQueries) -> bool:
        """Whether the store has a baseline whose key is known, so that a run can have a baseline."""
        return bool(self._chosen_baselines(queries))

    def count(self, queries: RunQueries, fits: RunFilter) -> int:
        """Count the runs that match a filter and whose key has a baseline."""
        likenesses = sorted(self._chosen_baselines(queries))
        return queries.once(("with_baseline", fits), lambda: queries.count_alike(fits, likenesses))

    def known(self, queries: RunQueries, runs: Sequence[str]) -> dict[str, BaselineStatus]:
        """Return the stored status by run id; runs without a baseline are left out. No comparison
        is made.
        """
        question = self._question(queries, runs)
        return question.statuses() if question else {}

    def more(self, queries: RunQueries, runs: Sequence[str]) -> dict[str, BaselineStatus]:
        """Return the status by run id after at most MAX_COMPARISONS (5) of the missing comparisons,
        oldest runs first; no comparison begins after MAX_COMPARING_S (1 s).

        Runs without a baseline are left out.
        """
        question = self._question(queries, runs)
        if question is None:
            return {}
        since = time.monotonic()
        for _ in range(MAX_COMPARISONS):
            # The oldest first: a regression changes the runs that later runs are compared with.
            new = question.missing()
            if new is None or time.monotonic() - since > MAX_COMPARING_S:
                break
            question.make(new, self._load)
        return question.statuses()

    def _question(self, queries: RunQueries, runs: Sequence[str]) -> _StatusQuestion | None:
        chosen = self._chosen_baselines(queries)
        return (
            _StatusQuestion(self._repository, chosen, queries, runs, self._failed)
            if chosen
            else None
        )

    def _chosen_baselines(self, queries: RunQueries) -> Mapping[str, Baseline]:
        return queries.once("baselines", lambda: chosen_baselines(self._repository))


class _StatusQuestion:
    """Status of some runs: their positions, the stored verdicts about them, and the members of
    their baselines.
    """

    def __init__(
        self,
        repository: Repository,
        chosen: Mapping[str, Baseline],
        queries: RunQueries,
        runs: Sequence[str],
        failed: _RecentFailures,
    ) -> None:
        self._repository, self._queries, self._failed = repository, queries, failed
        positions = places(repository.catalogue, runs).values()
        self._new = [
            (place, chosen[place.likeness])
            for place in sorted(positions)
            if place.likeness in chosen
        ]
        names = {baseline.name for _, baseline in self._new}
        ids = [place.run_id for place, _ in self._new]
        self._checks = Checks(repository.catalogue).of(names, ids) if ids else {}
        self._members: dict[str, Members] = {}

    def statuses(self) -> dict[str, BaselineStatus]:
        """Return the status of each run that has a baseline, by run id."""
        return {place.run_id: self._status(place, baseline) for place, baseline in self._new}

    def missing(self) -> tuple[SeriesPosition, Baseline] | None:
        """Return (position, baseline) of the oldest run without a valid verdict or a recent
        failure; `None` if there is none.
        """
        return next((new for new in self._new if self._status(*new).known == "missing"), None)

    def make(self, new: tuple[SeriesPosition, Baseline], load: Load) -> None:
        """Compare a run with the members of its baseline and store the verdict; a failure is
        remembered and not raised.
        """
        place, baseline = new
        members = self._find_members(baseline, place.likeness)
        try:
            comparison = compare_with_members(
                self._repository, [place], members, {}, load
            ).comparison
            check = store_verdict(self._repository, comparison, place, members)
        except StorageError as error:
            _LOG.warning(
                "run %s was not compared with baseline %r: %s", place.run_id, baseline.name, error
            )
            self._failed.put((baseline.name, baseline.changed_at, place), error.public)
        except ValueError as error:
            self._failed.put((baseline.name, baseline.changed_at, place), str(error))
        else:
            self._checks[check.baseline, check.run_id] = check

    def _status(self, place: SeriesPosition, baseline: Baseline) -> BaselineStatus:
        if baseline.last is None and place.run_id in baseline.runs:
            return BaselineStatus(baseline.name, "member")
        check = self._checks.get((baseline.name, place.run_id))
        # Before the members are read, because retention has deleted some of them.
        if check is not None and is_settled(check, place):
            return BaselineStatus(baseline.name, "checked", check)
        try:
            base = self._find_members(baseline, place.likeness).before([place])
        # The first run of a key has no base: that is a verdict (undecided) and not a failure.
        except NoOlderRunError as error:
            first = Check(baseline.name, place.run_id, place.prefix, "", "undecided", str(error))
            return BaselineStatus(baseline.name, "checked", first)
        except BaselineError as error:
            return BaselineStatus(baseline.name, "failed", reason=str(error))
        if check is not None and is_current(check, place, base):
            return BaselineStatus(baseline.name, "checked", check)
        why = self._failed.get((baseline.name, baseline.changed_at, place))
        return BaselineStatus(
            baseline.name, "missing" if why is None else "failed", reason=why or ""
        )

    def _find_members(self, baseline: Baseline, likeness: str) -> Members:
        if baseline.name not in self._members:
            catalogue = self._repository.catalogue
            rolls = baseline.last is not None
            alike = (
                self._queries.once(("alike", likeness), lambda: series(catalogue, likeness))
                if rolls
                else None
            )
            self._members[baseline.name] = Members(catalogue, baseline, alike)
        return self._members[baseline.name]


class _RecentFailures:
    """Reasons of recent failures, so that these comparisons are not repeated at once."""

    def __init__(self) -> None:
        self._why: dict[Hashable, tuple[float, str]] = {}

    def get(self, key: Hashable) -> str | None:
        """Return why a comparison failed within the last _REMEMBERED_S (60 s); `None` if it did
        not.
        """
        until, why = self._why.get(key, (0.0, ""))
        return why if time.monotonic() < until else None

    def put(self, key: Hashable, why: str) -> None:
        """Remember for _REMEMBERED_S (60 s) why a comparison failed; with _MAX_FAILURES (1,000)
        failures, all earlier failures are forgotten.
        """
        if len(self._why) >= _MAX_FAILURES:
            # bounds the memory; forgetting a failure only repeats a comparison
            self._why.clear()
        self._why[key] = time.monotonic() + _REMEMBERED_S, why
