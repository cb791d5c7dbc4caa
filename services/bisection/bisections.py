"""Bisections: started, found, and planned from the runs of the store.

The plan is computed from the runs whenever it is shown, so that runs advance a bisection however
they arrive.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from analysis.bisection.evidence import Rules, make_evidence
from analysis.bisection.plan import Plan, make_plan
from analysis.bisection.result import Bisection, MeasuredCommit
from analysis.bisection.sides import Sides, compare_sides
from analysis.comparison.series import SeriesKey
from schema.comparison import CAPTURE, MEMORY, PROFILE
from schema.likeness import likeness, run_key
from schema.metrics import METRICS, Metric
from services.bisection.commits import CommitIndex, check_commit, order_commits
from services.bisection.errors import BisectionError, NoBisectionError
from services.bisection.measured import find_rules, measure_commits, runs_of_key
from services.bisection.metrics import choose_metric, metric_of, numbers_of_run, only_number
from storage.audit import Audit
from storage.bisections import Bisections, StoredBisection
from storage.catalogue import Catalogue
from storage.repository import Repository
from storage.run_values import values_of_runs

MAX_LISTED = 100
"""Maximum number of bisections in a list."""
MAX_THRESHOLD = 10.0
"""Maximum of the smallest relevant change, as a share: 1,000 %."""


@dataclass(frozen=True)
class Request:
    """A bisection as a user requests it.

    `run` is the id of a run whose key is bisected. `commits` is a list with the oldest first; None
    for that of a stored bisection. "" as `metric` is the metric that decides verdicts of the key.
    """

    run: str
    good: str
    bad: str
    commits: Sequence[str] | None = None
    metric: str = ""
    threshold: float | None = None
    skip: Sequence[str] = ()


def start(repository: Repository, request: Request, user: str) -> StoredBisection:
    """Store a bisection and return it; of a stored bisection of the same commits, the list of
    commits is replaced if the request has a list, and skipped commits are added.

    The audit log has `user`. Raises BisectionError, QuotaError and RunNotFound.
    """
    catalogue = repository.catalogue
    subject = find_subject(repository, request.run, request.metric)
    alike, key, metric = subject
    find_rules(metric, request.threshold)
    _check_request(request)
    stored = find_stored(catalogue, subject, request.good, request.bad)
    if request.commits is None and stored is None:
        raise BisectionError(
            "there is no such bisection yet: give its list of commits, the oldest first"
        )
    commits = (
        stored.commits
        if request.commits is None and stored is not None
        else order_commits(request.commits or (), request.good, request.bad)
    )
    places = CommitIndex(commits).find_all([*(stored.skipped if stored else ()), *request.skip])
    threshold = (
        request.threshold if request.threshold is not None or not stored else stored.threshold
    )
    made = StoredBisection(
        _identify(key, metric, commits),
        alike,
        list(key),
        metric,
        threshold,
        list(commits),
        [commits[at] for at in places],
        user,
    )
    if stored is None or replace(made, created_by="", created_at="") != replace(
        stored, created_by="", created_at=""
    ):
        Bisections(catalogue).put(made)
        audited = f"{metric} from {commits[0]} to {commits[-1]}"
        Audit(catalogue).add(user, "bisection.start", made.bisection_id, audited)
    return Bisections(catalogue).find(made.bisection_id) or made


def is_stored(repository: Repository, request: Request) -> bool:
    """Whether there is a bisection of the request's key and metric between its commits."""
    subject = find_subject(repository, request.run, request.metric)
    return find_stored(repository.catalogue, subject, request.good, request.bad) is not None


class Subject(NamedTuple):
    """The series that is bisected: likeness of its runs, key and metric."""

    likeness: str
    key: SeriesKey
    metric: str


def find_subject(repository: Repository, run_id: str, metric: str = "") -> Subject:
    """Return the series of a run. `metric` is a metric of the registry, or the key or the name of
    a named number of the run; "" is the metric that decides verdicts.

    Raises RunNotFound or BisectionError.
    """
    run = _newest_capture(repository, run_id)
    alike, key = likeness(run_key(run)), SeriesKey.of(run)
    numbers = numbers_of_run(repository, run_id)
    if metric:
        return Subject(alike, key, choose_metric(metric, numbers))
    return Subject(alike, key, default_metric(repository.catalogue, alike, key, numbers))


def _check_request(request: Request) -> None:
    for name, commit in (("--good", request.good), ("--bad", request.bad)):
        check_commit(commit, name)
    if request.threshold is not None and not 0 < request.threshold <= MAX_THRESHOLD:
        raise BisectionError(
            f"a threshold must be above 0 % and at most {100 * MAX_THRESHOLD:.0f} %"
        )


def _newest_capture(repository: Repository, run_id: str) -> Mapping[str, object]:
    """Return the columns of frame `run` of a run; raises RunNotFound or BisectionError."""
    repository.find_run(run_id)
    captures = values_of_runs(repository.catalogue, [run_id])
    if not captures:
        raise BisectionError(f"run {run_id} has no valid key")
    return captures[-1].run


def default_metric(
    catalogue: Catalogue, alike: str, key: SeriesKey, numbers: Sequence[Metric]
) -> str:
    """Return the metric that decides the verdict of the runs of a key, else the only named number
    with a direction, of `numbers`.

    Raises BisectionError if no run has such a metric, or there are several named numbers.
    """
    runs = runs_of_key(catalogue, alike, key)
    gates = [
        name
        for metrics in (CAPTURE, PROFILE, MEMORY)
        for name, metric in metrics.items()
        if metric.is_gate and name in METRICS and metric.polarity
    ]
    found = next((name for name in gates if any(name in run.values for run in runs)), None)
    if found is None:
        return only_number(numbers)
    return found


def find_stored(
    catalogue: Catalogue, subject: Subject, good: str, bad: str
) -> StoredBisection | None:
    """Return the newest bisection of a series between two commits; None if there is none."""
    for stored in Bisections(catalogue).of_likeness(subject.likeness):
        if (SeriesKey(*stored.key), stored.metric) == (subject.key, subject.metric):
            ends = CommitIndex([stored.good, stored.bad])
            if (ends.find(good), ends.find(bad)) == (0, 1):
                return stored
    return None


def _identify(key: SeriesKey, metric: str, commits: Sequence[str]) -> str:
    """Compute the id of a bisection, 12 hex digits: equal requests have equal ids."""
    text = json.dumps([list(key), metric, commits[0], commits[-1]])
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def load_bisection(catalogue: Catalogue, stored: StoredBisection) -> Bisection:
    """Plan a stored bisection from the runs of the store. Raises BisectionError if its metric is
    unknown.
    """
    key = SeriesKey(*stored.key)
    rules = find_rules(stored.metric, stored.threshold)
    skipped = CommitIndex(stored.commits).find_all(stored.skipped)
    runs = runs_of_key(catalogue, stored.likeness, key, stored.metric)
    measured = measure_commits(runs, stored.commits, skipped, stored.metric, rules)
    evidence = make_evidence(len(stored.commits) - 1, measured.values, rules)
    plan = make_plan(evidence, measured.broken, measured.noise, rules.least_step)
    return Bisection(
        stored.bisection_id,
        key,
        metric_of(stored.metric),
        stored.commits,
        measured.commits,
        plan,
        _sides(measured.commits, plan, len(stored.commits) - 1, rules),
        stored.created_by,
        stored.created_at,
    )


def _sides(commits: Sequence[MeasuredCommit], plan: Plan, last: int, rules: Rules) -> Sides:
    """Compare the runs before and after the step if it is located, else the runs of both ends."""
    is_located = plan.has_culprit or (plan.confidence > 0.5 and plan.state == "measure")
    before, after = (plan.first - 1, plan.last) if is_located else (0, last)
    used = [item for item in commits if not item.is_skipped]
    good = [value for item in used if item.position <= before for value in item.values]
    bad = [value for item in used if item.position >= after for value in item.values]
    return compare_sides(good, bad, rules)


def find_bisection(catalogue: Catalogue, bisection_id: str) -> Bisection:
    """Return a bisection with its plan; raises NoBisectionError if it does not exist."""
    stored = Bisections(catalogue).find(bisection_id)
    if stored is None:
        raise NoBisectionError(f"there is no bisection {bisection_id!r}")
    return load_bisection(catalogue, stored)
