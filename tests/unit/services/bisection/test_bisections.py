"""Bisections of a store: started once, planned from its runs."""

import math

import pytest

from components.bisection.words import bisection_lines
from services.bisection.bisections import (
    Request,
    find_bisection,
    find_subject,
    is_stored,
    load_bisection,
    start,
)
from services.bisection.errors import BisectionError
from services.bisection.measured import find_rules
from storage.audit import Audit
from storage.bisections import Bisections
from tests.support.bisected_store import (
    COMMITS,
    CULPRIT,
    add_run,
    add_runs,
    rate_of,
    tag_failed,
)

ENDS = (0, len(COMMITS) - 1)


def request_of(run, commits=COMMITS, **given):
    return Request(run, COMMITS[0], COMMITS[-1], commits, **given)


@pytest.fixture
def store(repository):
    repository.run = add_runs(repository, ENDS)[0]
    return repository


def plan_now(store, **given):
    return load_bisection(store.catalogue, start(store, request_of(store.run, **given), "ann"))


def follow(store, bisection):
    """Measure as planned until the bisection ends."""
    while bisection.next_commit is not None:
        position = COMMITS.index(bisection.next_commit)
        add_run(store, bisection.next_commit, rate_of(position) * (1 + 0.001 * (position % 5)))
        bisection = find_bisection(store.catalogue, bisection.bisection_id)
    return bisection


def test_runs_that_arrive_advance_a_bisection_to_its_culprit(store):
    ended = follow(store, plan_now(store))
    assert (ended.plan.state, list(ended.culprits)) == ("proved", [COMMITS[CULPRIT]])
    assert ended.with_runs <= math.ceil(math.log2(len(COMMITS) - 1)) + 2
    assert ended.sides.judged.verdict == "regressed"
    assert ended.sides.relative == pytest.approx(-0.1, abs=0.005)
    assert ended.record()["culprits"] == [COMMITS[CULPRIT]]


def test_other_keys_and_metrics_have_no_part_in_it(store):
    before = plan_now(store)
    add_run(store, COMMITS[16], 50.0, hwid="npu2")
    add_run(store, COMMITS[16], 50.0, M=128)
    after = plan_now(store)
    assert after.measured == before.measured
    assert after.plan.next == before.plan.next


def test_runs_with_an_impossible_number_are_counted_as_such(store):
    add_run(store, COMMITS[16], 50_000.0, utilization=1.5)
    tag_failed(store, add_run(store, COMMITS[16], 50_000.0, utilization=1.5))
    bisection = plan_now(store)
    (commit,) = [item for item in bisection.measured if item.position == 16]
    assert (commit.failed, commit.impossible, commit.is_broken) == (2, 1, True)
    assert bisection.record()["measured"][1]["impossible_runs"] == 1
    assert any("1 run is left out" in line for line in bisection_lines(bisection))


def test_the_same_request_is_the_same_bisection(store):
    first = start(store, request_of(store.run), "ann")
    again = start(store, request_of(store.run, None), "bob")
    assert (again.bisection_id, again.created_by) == (first.bisection_id, "ann")
    short = Request(store.run, COMMITS[0][:8], COMMITS[-1][:8])
    assert is_stored(store, short)
    assert start(store, short, "bob").bisection_id == first.bisection_id
    assert len(Bisections(store.catalogue).newest(10)) == 1
    started = [entry for entry in Audit(store.catalogue).entries(10) if "bisection" in entry.action]
    assert len(started) == 1, "a request that changes nothing is not in the audit log"


def test_skipped_and_failed_commits_give_no_result(store):
    bisection = plan_now(store)
    first = bisection.next_commit
    skipped = plan_now(store, skip=(first[:10],))
    assert skipped.next_commit not in (None, first)
    assert [item.commit for item in skipped.measured if item.is_skipped] == [first]
    tag_failed(store, add_run(store, skipped.next_commit, 70.0))
    add_run(store, COMMITS[3], None)
    after = plan_now(store)
    broken = {item.commit for item in after.measured if item.is_broken}
    assert broken == {first, skipped.next_commit, COMMITS[3]}
    assert after.next_commit not in broken


def test_a_run_without_failure_beats_a_failed_run(store):
    commit = plan_now(store).next_commit
    tag_failed(store, add_run(store, commit, 1.0))
    add_run(store, commit, 100.0)
    (item,) = [item for item in plan_now(store).measured if item.commit == commit]
    assert (item.is_broken, item.failed, list(item.values)) == (False, 1, [100.0])


def test_the_metric_is_that_of_verdicts(store):
    assert find_subject(store, store.run).metric == "gmacs_mean"
    assert find_subject(store, store.run, "median_kernel").metric == "median_kernel"
    memory = add_run(store, COMMITS[0], None, source="minimalloc", peak_memory=5.0)
    assert find_subject(store, memory).metric == "peak_memory"
    with pytest.raises(BisectionError):
        find_subject(store, add_run(store, COMMITS[0], None, source="torch_memory"))


def test_rules_are_those_of_comparisons():
    rate = find_rules("gmacs_mean", None)
    assert (rate.limit, rate.polarity) == (pytest.approx(math.log(1.02)), 1)
    assert find_rules("peak_memory", None).is_exact
    assert find_rules("kernel_time", None).limit == pytest.approx(math.log(1.1))
    assert find_rules("gmacs_mean", 0.05).limit == pytest.approx(math.log(1.05))


@pytest.mark.parametrize(
    "given",
    [
        {"metric": "nothing"},
        {"metric": "model_total"},
        {"threshold": 0.0},
        {"threshold": 11.0},
        {"commits": None},
        {"skip": ("unknown",)},
    ],
)
def test_bad_requests_are_rejected(store, given):
    with pytest.raises(BisectionError):
        start(store, request_of(store.run, **given), "ann")
    assert Bisections(store.catalogue).newest(10) == []


@pytest.mark.slow
def test_nothing_is_named_if_both_commits_are_alike(repository):
    run = add_run(repository, COMMITS[0], 100.0)
    bisection = load_bisection(repository.catalogue, start(repository, request_of(run), "ann"))
    while bisection.next_commit is not None:
        assert bisection.next_commit in (COMMITS[0], COMMITS[-1])
        add_run(repository, bisection.next_commit, 100.0 + 0.5 * (bisection.runs % 3))
        bisection = find_bisection(repository.catalogue, bisection.bisection_id)
    assert (bisection.plan.state, list(bisection.culprits)) == ("level", [])


@pytest.mark.slow
def test_a_size_in_bytes_needs_no_repeats(repository):
    sizes = [1000.0 if at < CULPRIT else 1020.0 for at in range(len(COMMITS))]

    def measure(at):
        given = {"source": "minimalloc", "peak_memory": sizes[at], "name": "plan", "M": None}
        return add_run(repository, COMMITS[at], None, **given)

    run = measure(0)
    bisection = load_bisection(repository.catalogue, start(repository, request_of(run), "ann"))
    while bisection.next_commit is not None:
        measure(COMMITS.index(bisection.next_commit))
        bisection = find_bisection(repository.catalogue, bisection.bisection_id)
    assert list(bisection.culprits) == [COMMITS[CULPRIT]]
    assert bisection.runs == bisection.with_runs
    assert bisection.sides.judged.verdict == "regressed"


def test_an_unknown_bisection_is_not_found(repository):
    with pytest.raises(BisectionError):
        find_bisection(repository.catalogue, "nothing")
