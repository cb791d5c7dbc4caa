"""How the runs of a list stand against their baselines: members, verdicts that are kept, and those still to be made."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from services.baselines import chosen_baselines
from services.checks import holds, remember
from services.compare import Load
from services.gate import compared
from services.members import BaselineError, Members, NoOlderRunError
from services.recent_failures import RecentFailures
from services.runs_list import RunsAnswers
from storage.baselines import Baseline
from storage.checks import Check, Checks
from storage.errors import StorageError
from storage.repository import Repository
from storage.series import Place, places, series

_LOG = logging.getLogger(__name__)
MOST_AT_ONCE = 5
"""Verdicts that one request makes,"""
LONGEST_S = 1.0
"""and how long it goes on beginning another."""

Known = Literal["member", "checked", "missing", "failed"]


@dataclass(frozen=True)
class Standing:
    """A run against the baseline of its key: one of its runs, checked, not checked yet, or why it cannot be."""

    baseline: str
    known: Known
    check: Check | None = None
    reason: str = ""


class Standings:
    """Answers about runs against the baseline that was set last of those with their key.

    `load` returns a run as it is compared, from a cache: those of a baseline are compared with one run after the other.
    """

    def __init__(self, repository: Repository, load: Load) -> None:
        self._repository = repository
        self._load = load
        self._failed = RecentFailures()

    def any(self, answers: RunsAnswers) -> bool:
        """Return whether a run can have a baseline."""
        return bool(self._chosen(answers))

    def known(self, answers: RunsAnswers, runs: Sequence[str]) -> dict[str, Standing]:
        """Return what is known of runs that have a baseline, by their ids; nothing is compared."""
        asked = self._asked(answers, runs)
        return asked.standings() if asked else {}

    def more(self, answers: RunsAnswers, runs: Sequence[str]) -> dict[str, Standing]:
        """Return the same, after making a few of the verdicts that are missing, those of the oldest runs first."""
        asked = self._asked(answers, runs)
        if asked is None:
            return {}
        since = time.monotonic()
        for _ in range(MOST_AT_ONCE):
            new = asked.missing()
            if new is None or time.monotonic() - since > LONGEST_S:
                break
            asked.make(new, self._load)
        return asked.standings()

    def _asked(self, answers: RunsAnswers, runs: Sequence[str]) -> _Asked | None:
        chosen = self._chosen(answers)
        return _Asked(self._repository, chosen, answers, runs, self._failed) if chosen else None

    def _chosen(self, answers: RunsAnswers) -> Mapping[str, Baseline]:
        return answers.once("baselines", lambda: chosen_baselines(self._repository))


class _Asked:
    """One question about runs: their places, the verdicts kept about them, and the members of their baselines."""

    def __init__(
        self,
        repository: Repository,
        chosen: Mapping[str, Baseline],
        answers: RunsAnswers,
        runs: Sequence[str],
        failed: RecentFailures,
    ) -> None:
        self._repository, self._answers, self._failed = repository, answers, failed
        found = places(repository.catalogue, runs).values()
        self._new = [(place, chosen[place.likeness]) for place in sorted(found) if place.likeness in chosen]
        names = {baseline.name for _, baseline in self._new}
        ids = [place.run_id for place, _ in self._new]
        self._checks = Checks(repository.catalogue).of(names, ids) if ids else {}
        self._members: dict[str, Members] = {}

    def standings(self) -> dict[str, Standing]:
        """Return how the runs stand, by their ids."""
        return {place.run_id: self._standing(place, baseline) for place, baseline in self._new}

    def missing(self) -> tuple[Place, Baseline] | None:
        """Return the oldest run without a verdict that holds."""
        return next((new for new in self._new if self._standing(*new).known == "missing"), None)

    def make(self, new: tuple[Place, Baseline], load: Load) -> None:
        """Compare a run with the members of its baseline, and keep the verdict."""
        place, baseline = new
        members = self._members_of(baseline, place.likeness)
        try:
            found = compared(self._repository, [place], members, {}, load).comparison
            check = remember(self._repository, found, place, members)
        except StorageError as error:
            _LOG.warning("run %s was not compared with baseline %r: %s", place.run_id, baseline.name, error)
            self._failed.put((baseline.name, baseline.changed_at, place), error.public)
        except ValueError as error:
            self._failed.put((baseline.name, baseline.changed_at, place), str(error))
        else:
            self._checks[check.baseline, check.run_id] = check

    def _standing(self, place: Place, baseline: Baseline) -> Standing:
        if baseline.last is None and place.run_id in baseline.runs:
            return Standing(baseline.name, "member")
        try:
            base = self._members_of(baseline, place.likeness).before([place])
        except NoOlderRunError as error:
            first = Check(baseline.name, place.run_id, place.prefix, "", "undecided", str(error))
            return Standing(baseline.name, "checked", first)
        except BaselineError as error:
            return Standing(baseline.name, "failed", reason=str(error))
        check = self._checks.get((baseline.name, place.run_id))
        if check is not None and holds(check, place, base):
            return Standing(baseline.name, "checked", check)
        why = self._failed.get((baseline.name, baseline.changed_at, place))
        return Standing(baseline.name, "missing" if why is None else "failed", reason=why or "")

    def _members_of(self, baseline: Baseline, likeness: str) -> Members:
        if baseline.name not in self._members:
            catalogue = self._repository.catalogue
            rolls = baseline.last is not None
            alike = self._answers.once(("alike", likeness), lambda: series(catalogue, likeness)) if rolls else None
            self._members[baseline.name] = Members(catalogue, baseline, alike)
        return self._members[baseline.name]
