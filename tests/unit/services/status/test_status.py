"""Baseline rules: verdicts worked out in order, the status of keys, and what is acknowledged."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from services.baselines.baselines import set_baseline
from services.baselines.members import BaselineError, NoOlderRunError
from services.comparison.compared_runs import compared_run
from services.gate.gate import check
from services.status import rule_verdicts
from services.status.acknowledge import AcknowledgeError, acknowledge, withdraw_acknowledgement
from services.status.rules import RuleError, delete_rule, set_rule
from services.status.status import StatusCache
from services.status.status_frame import status_frame
from storage.audit import Audit
from storage.baselines import Baselines
from storage.errors import RuleNotFound
from storage.rule_verdicts import RuleVerdicts
from storage.rules import Rule
from tests.support.solved_runs import put_run
from tests.support.waiting import PATIENCE_S

URL = "https://git.example.org/c/{base}...{new}"


@pytest.fixture
def run_of(repository, tmp_path):
    """Ingest a solved problem of a day on a branch whose last block has a size; return its run id."""

    def run(day, size=64, **settings):
        given = {"branch": "main", "commit": f"c/{day}"} | settings
        return put_run(repository, tmp_path, day, size, **given)

    return run


@pytest.fixture
def answers(repository):
    set_rule(repository, Rule("nightly", 3, "main"), "me")
    return StatusCache(repository, commit_url=URL)


def status_of(answers, **asked):
    (row,) = answers.status(**asked).rows
    return row


def acknowledge_run(answers, run_id, note="known"):
    acknowledge(answers, run_id, rule="", note=note, user="me")


@pytest.mark.slow
def test_runs_that_regressed_are_no_base_for_later_ones(answers, run_of):
    good, *bad = (run_of(1), *(run_of(day, 96) for day in range(2, 8)))
    row = status_of(answers)
    assert (row.run.run_id, row.verdict, row.value, row.base) == (bad[-1], "regressed", 196, 164)
    assert (row.since.first_bad.run_id, row.since.last_good.run_id, row.since.runs) == (
        bad[0],
        good,
        6,
    )
    assert row.since.url == "https://git.example.org/c/c%2F1...c%2F2"
    assert [point.verdict for point in row.points] == ["undecided", *["regressed"] * 6]
    assert [point.value for point in row.points] == [164, *[196] * 6]


@pytest.mark.slow
def test_a_run_of_another_branch_stands_against_the_branch_of_the_rule(answers, repository, run_of):
    run_of(1)
    latest = run_of(2)
    other = run_of(3, 96, branch="feature/x")
    row = status_of(answers)
    assert (row.run.run_id, row.verdict) == (latest, "unchanged")
    verdicts = {place.run_id: verdict for place, verdict in answers.verdicts("nightly").items()}
    assert verdicts[other] == "regressed"
    assert check(repository, [other], "nightly", {}).comparison.verdict == "regressed"


@pytest.mark.slow
def test_the_gate_says_what_the_status_says(answers, repository, run_of):
    first, *later = (
        run_of(day, size) for day, size in enumerate((64, 64, 96, 96, 64, 32), start=1)
    )
    verdicts = {place.run_id: verdict for place, verdict in answers.verdicts("").items()}
    assert [verdicts[run_id] for run_id in later] == [
        "unchanged",
        "regressed",
        "regressed",
        "unchanged",
        "improved",
    ]
    assert {
        run_id: check(repository, [run_id], "nightly", {}).comparison.verdict for run_id in later
    } == {run_id: verdicts[run_id] for run_id in later}
    with pytest.raises(NoOlderRunError):
        check(repository, [first], "nightly", {})


@pytest.mark.slow
def test_later_runs_and_old_keys_are_left_out(answers, run_of):
    run_of(1)
    good = run_of(2)
    run_of(5, 96)
    moment = datetime(2026, 11, 2, 10, tzinfo=UTC)
    row = status_of(answers, as_of=moment)
    assert (row.run.run_id, row.verdict, row.age_days) == (good, "unchanged", 0)
    assert not answers.status(since=datetime(2026, 11, 6, tzinfo=UTC)).rows
    assert answers.status(since=datetime(2026, 11, 5, tzinfo=UTC)).rows


@pytest.mark.slow
def test_an_acknowledgement_holds_until_the_next_change(answers, run_of):
    run_of(1)
    bad = run_of(2, 96)
    assert status_of(answers).is_news
    acknowledge_run(answers, bad, "<b>known</b>")
    assert status_of(answers).acknowledged.note == "<b>known</b>"
    run_of(3, 96)
    assert not answers.status().has_news
    worse = run_of(4, 128)
    assert status_of(answers).is_news
    acknowledge_run(answers, worse)
    run_of(5)
    assert (status_of(answers).verdict, status_of(answers).acknowledged) == ("unchanged", None)
    run_of(6, 128)
    assert status_of(answers).is_news


@pytest.mark.slow
def test_what_was_acknowledged_can_be_taken_back(answers, repository, run_of):
    good, bad = run_of(1), run_of(2, 96)
    with pytest.raises(AcknowledgeError):
        acknowledge_run(answers, good)
    acknowledge_run(answers, bad)
    withdraw_acknowledgement(answers, bad, rule="", user="me")
    assert status_of(answers).is_news
    with pytest.raises(AcknowledgeError):
        withdraw_acknowledgement(answers, bad, rule="", user="me")
    actions = [entry.action for entry in Audit(repository.catalogue).entries()]
    assert actions[:2] == ["status.unacknowledge", "status.acknowledge"]


@pytest.mark.slow
def test_verdicts_are_worked_out_once(answers, repository, run_of, monkeypatch):
    for day in range(1, 5):
        run_of(day)
    first = answers.status().rows
    compared = []
    compare = rule_verdicts.compare

    def count_comparison(*given, **more):
        compared.append(given)
        return compare(*given, **more)

    monkeypatch.setattr(rule_verdicts, "compare", count_comparison)
    assert answers.status().rows[0].run == first[0].run
    assert StatusCache(repository).status().rows[0].verdict == first[0].verdict
    assert not compared
    run_of(5)
    assert StatusCache(repository).status().rows[0].verdict == "unchanged"
    assert len(compared) == 1


@pytest.mark.slow
def test_a_run_that_is_deleted_changes_the_verdicts_after_it(answers, repository, run_of):
    low = run_of(1, 32)
    run_of(2, 64)
    latest = run_of(3, 64)
    assert status_of(answers).verdict == "regressed"
    repository.delete(low)
    assert (status_of(answers).run.run_id, status_of(answers).verdict) == (latest, "unchanged")
    assert low not in {place.run_id for place in RuleVerdicts(repository.catalogue).of("nightly")}


@pytest.mark.slow
def test_without_time_the_answer_says_what_is_missing(answers, run_of):
    run_of(1)
    run_of(2, 96)
    found = answers.status(within_s=-1)
    assert (found.missing, found.rows[0].verdict) == (2, "undecided")
    assert answers.status().missing == 0
    assert status_of(answers).verdict == "regressed"


@pytest.mark.slow
def test_regressions_come_first_and_acknowledged_ones_after_the_others(answers, run_of):
    for hwid, size in (("same", 64), ("little", 70), ("much", 128)):
        run_of(1, 64, hwid=hwid)
        run_of(2, size, hwid=hwid)
    rows = answers.status().rows
    assert [row.key.hwid for row in rows] == ["much", "little", "same"]
    acknowledge_run(answers, rows[0].run.run_id)
    assert [row.key.hwid for row in answers.status().rows] == ["little", "much", "same"]


def test_a_rule_is_about_what_it_names(repository, run_of):
    run_of(1, hwid="a")
    run_of(1, hwid="b")
    set_rule(repository, Rule("of a", 3, hwid="a"), "me")
    answers = StatusCache(repository)
    assert [row.key.hwid for row in answers.status("of a").rows] == ["a"]
    with pytest.raises(BaselineError):
        check(repository, [run_of(2, hwid="b")], "of a", {})


@pytest.mark.slow
def test_a_rule_waits_for_no_comparison_of_another(repository, run_of):
    for hwid in ("a", "b"):
        run_of(1, hwid=hwid)
        run_of(2, hwid=hwid)
        set_rule(repository, Rule(f"of {hwid}", 3, hwid=hwid), "me")
    StatusCache(repository).status("of b")
    others = []

    def load(run_id, settings):
        if not others:
            asked = thread.submit(answers.status, "of b")
            others.extend(asked.result(timeout=PATIENCE_S).rows)
        return compared_run(repository, run_id, settings)

    answers = StatusCache(repository, load)
    with ThreadPoolExecutor(1) as thread:
        (row,) = answers.status("of a").rows
    assert (row.key.hwid, others[0].key.hwid) == ("a", "b")


def test_rules_that_cannot_be_are_refused(repository, run_of):
    run_id = run_of(1)
    answers = StatusCache(repository)
    with pytest.raises(RuleError, match="baseline rule set"):
        answers.status()
    set_baseline(repository, "main", [run_id], user="me")
    for rule in (
        Rule("main", 3),
        Rule("", 3),
        Rule("x", 0),
        Rule("x", 101),
        Rule("x", 3, branch="\n"),
    ):
        with pytest.raises(BaselineError):
            set_rule(repository, rule, "me")
    set_rule(repository, Rule("x", 3), "me")
    set_rule(repository, Rule("y", 3), "me")
    with pytest.raises(BaselineError):
        set_baseline(repository, "x", [run_id], user="me")
    assert [one.name for one in Baselines(repository.catalogue).all()] == ["main"]
    for name in ("", "none"):
        with pytest.raises(RuleError):
            answers.status(name)
    delete_rule(repository, "y", "me")
    assert answers.status().rule == "x"
    with pytest.raises(RuleNotFound):
        delete_rule(repository, "y", "me")


@pytest.mark.slow
def test_the_table_has_a_row_per_key_with_the_members_of_key_and_run(answers, run_of):
    run_of(1)
    bad = run_of(2, 96)
    run_of(1, hwid="other")
    frame = status_frame(answers.status())
    assert frame["run_id"].tolist()[0] == bad
    assert frame["verdict"].tolist() == ["regressed", "undecided"]
    assert {"commit", "branch", "hwid", "value", "first_bad_commit", "url"} <= {*frame.columns}
