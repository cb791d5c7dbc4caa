"""A run against each rule: verdict, base, begin of a regression, as the status has them."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from analysis.comparison.cause import find_main_cause
from services.comparison.compare import compare
from services.gate.gate import check
from services.status import rule_verdicts, run_standing
from services.status.acknowledge import acknowledge
from services.status.rules import set_rule
from services.status.run_standing import run_standings
from services.status.status import StatusCache
from storage.rules import Rule
from tests.support.paced_trace import ingest_nights
from tests.support.solved_runs import put_run


@pytest.fixture
def run_of(repository, tmp_path):
    """Ingest a solved problem of a day on a branch whose last block has a size; return its id."""

    def run(day, size=64, **settings):
        given = {"branch": "main", "commit": f"c{day}"} | settings
        return put_run(repository, tmp_path, day, size, **given)

    return run


@pytest.fixture
def status(repository):
    set_rule(repository, Rule("nightly", 3, "main"), "me")
    return StatusCache(repository)


def standing_of(repository, run_id):
    (standing,) = run_standings(repository, run_id)
    return standing


@pytest.mark.slow
def test_every_run_has_the_row_that_the_status_had_when_it_was_the_latest(
    repository, status, run_of
):
    sizes = (64, 64, 96, 96, 96, 96, 96, 64, 32, 32, 96)
    runs = [run_of(day, size) for day, size in enumerate(sizes, start=1)]
    status.status()
    for day, run_id in enumerate(runs, start=1):
        moment = datetime(2026, 11, day, 10, tzinfo=UTC)
        (row,) = status.status(as_of=moment).rows
        assert standing_of(repository, run_id).row == row


@pytest.mark.slow
def test_the_base_is_that_of_the_gate(repository, status, run_of):
    runs = [run_of(day, size) for day, size in enumerate((64, 64, 96, 64, 65, 96), start=1)]
    status.status()
    assert standing_of(repository, runs[0]).base == []
    for run_id in runs[1:]:
        standing = standing_of(repository, run_id)
        comparison = check(repository, [run_id], "nightly", {}).comparison
        assert standing.base == [run["run_id"] for run in comparison.base]
        assert standing.row.verdict == comparison.verdict


@pytest.mark.slow
def test_a_run_of_another_branch_has_a_verdict_against_the_branch_of_the_rule(
    repository, status, run_of
):
    run_of(1)
    other = run_of(2, 96, branch="feature/x")
    run_of(3, 96, branch="feature/y")
    good = run_of(4)
    status.verdicts("nightly")
    standing = standing_of(repository, other)
    assert (standing.row.verdict, len(standing.base)) == ("regressed", 1)
    assert len(standing_of(repository, good).base) == 1


@pytest.mark.slow
def test_a_regression_that_was_acknowledged_says_so(repository, status, run_of):
    run_of(1)
    bad = run_of(2, 96)
    acknowledge(status, bad, rule="nightly", note="known", user="me")
    row = standing_of(repository, bad).row
    assert (row.acknowledged.note, row.since.last_good_value) == ("known", 164)


def test_no_run_is_compared_for_the_page_of_a_run(repository, status, run_of, monkeypatch):
    run_of(1)
    bad = run_of(2, 96)
    monkeypatch.setattr(rule_verdicts, "compare", lambda *_, **__: 1 / 0)
    standing = standing_of(repository, bad)
    assert (standing.row.verdict, standing.row.value, standing.base) == ("undecided", None, None)


@pytest.mark.slow
def test_a_verdict_that_no_longer_holds_is_not_shown(repository, status, run_of):
    low = run_of(1, 32)
    latest = run_of(2, 64)
    status.status()
    assert standing_of(repository, latest).row.verdict == "regressed"
    repository.delete(low)
    assert standing_of(repository, latest).row.value is None


@pytest.mark.slow
def test_a_long_history_is_read_from_its_end(repository, status, run_of, monkeypatch):
    sizes = (64, 64, 64, 96, 96, 64, 64, 64, 96, 96)
    runs = [run_of(day, size) for day, size in enumerate(sizes, start=1)]
    (row,) = status.status().rows
    read = []

    def count_read(*given):
        read.append(found := captures_until(*given))
        return found

    captures_until = run_standing.captures_until
    monkeypatch.setattr(run_standing, "captures_until", count_read)
    monkeypatch.setattr(run_standing, "MAX_OLDER_RUNS", 5)
    standing = standing_of(repository, runs[-1])
    assert [position.run_id for position in read[0]] == runs[-6:]
    assert (standing.row.verdict, standing.row.relative) == (row.verdict, row.relative)
    assert (standing.row.since, standing.base) == (row.since, runs[5:8])


@pytest.mark.slow
def test_more_of_a_long_history_is_read_only_if_its_end_is_not_enough(
    repository, status, run_of, monkeypatch
):
    sizes = (64, 64, 64, 64, 64, 64, 96, 96, 96, 96, 96)
    runs = [run_of(day, size) for day, size in enumerate(sizes, start=1)]
    status.status()
    whole = [standing_of(repository, run_id) for run_id in runs]
    read = []
    captures_until = run_standing.captures_until
    monkeypatch.setattr(
        run_standing,
        "captures_until",
        lambda *given: read.append(given[-1]) or captures_until(*given),
    )
    monkeypatch.setattr(run_standing, "MAX_POINTS", 2)
    monkeypatch.setattr(run_standing, "FEW_OLDER_RUNS", 4)
    counts = []
    for run_id, standing in zip(runs, whole, strict=True):
        read.clear()
        found = standing_of(repository, run_id)
        # The sparkline has as many points as runs were read.
        points = standing.row.points[-len(found.row.points) :]
        assert found == replace(standing, row=replace(standing.row, points=points))
        counts.append(list(read))
    # The begin of the regression, or a run of the base, is before the last five runs.
    assert counts == [[5]] * 8 + [[5, 501]] * 3


@pytest.mark.slow
def test_a_base_beyond_what_is_read_is_not_counted(repository, status, run_of, monkeypatch):
    runs = [run_of(day, 64 if day < 4 else 96) for day in range(1, 10)]
    (row,) = status.status().rows
    monkeypatch.setattr(run_standing, "MAX_OLDER_RUNS", 3)
    standing = standing_of(repository, runs[-1])
    assert (standing.row.verdict, standing.row.relative) == ("regressed", row.relative)
    assert standing.base is None


@pytest.mark.slow
def test_the_worst_of_several_rules_comes_first_and_rules_about_other_runs_are_left_out(
    repository, status, run_of
):
    set_rule(repository, Rule("all", 1), "me")
    set_rule(repository, Rule("elsewhere", 3, hwid="other"), "me")
    run_of(1)
    run_of(2, 96, branch="feature/x")
    latest = run_of(3, 96)
    assert [found.rule for found in run_standings(repository, latest)] == ["all", "nightly"]
    for name in ("all", "nightly"):
        status.verdicts(name)
    found = [(one.rule, one.row.verdict) for one in run_standings(repository, latest)]
    assert found == [("all", "regressed"), ("nightly", "regressed")]
    set_rule(repository, Rule("all", 1, "feature/x"), "me")
    status.verdicts("all")
    found = [(one.rule, one.row.verdict) for one in run_standings(repository, latest)]
    assert found == [("nightly", "regressed"), ("all", "unchanged")]


def test_runs_without_a_rule_have_no_verdict(repository, run_of):
    run_id = run_of(1)
    assert run_standings(repository, run_id) == []


@pytest.mark.slow
def test_the_cause_is_that_of_the_comparison_and_is_stored_with_the_verdict(
    repository, status, tmp_path
):
    nights = ingest_nights(repository, tmp_path, good=3, count=5)
    status.status()
    (row,) = StatusCache(repository).status().rows
    standing = standing_of(repository, nights[-1])
    comparison = compare(repository, standing.base, [nights[-1]])
    gmacs = next(found for found in comparison.rows if found.metric.name == "gmacs_mean")
    cause = find_main_cause(gmacs, comparison.attribution)
    assert (cause.what, cause.where) == ("kernels", "core 3,1")
    assert standing.row.cause == row.cause == cause
    assert row.record()["cause"] == cause.record()
    assert standing_of(repository, nights[2]).row.cause is None
