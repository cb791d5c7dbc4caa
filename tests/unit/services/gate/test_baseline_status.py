"""Rolling baselines, and the verdicts that the gate keeps."""

from functools import partial

import pytest

from services.baselines.baselines import baseline_runs, describe_baselines, set_baseline
from services.baselines.members import BaselineError, NoOlderRunError
from services.comparison.compared_runs import compared_run
from services.gate import baseline_status
from services.gate.baseline_status import MAX_COMPARISONS, BaselineStatuses
from services.gate.gate import check
from services.store.runs_list import RunsList
from storage.baselines import Baselines
from storage.checks import Checks
from storage.errors import RunNotFound, StorageError
from tests.support.solved_runs import put_run


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Make as many verdicts at once as may be, however busy the machine is."""
    monkeypatch.setattr(baseline_status, "MAX_COMPARING_S", 600.0)


@pytest.fixture
def run_of(repository, tmp_path):
    """Ingest a solved problem of a day whose last block has a size; return its run id."""

    def run(day, size=64, **settings):
        return put_run(repository, tmp_path, day, size, **{"name": f"day {day}"} | settings)

    return run


def members(repository, name, *new):
    return [stored.run_id for stored in baseline_runs(repository, name, new)[0]]


def statuses(repository):
    return BaselineStatuses(repository, partial(compared_run, repository))


def shown(repository, *runs):
    return statuses(repository).known(RunsList(repository.catalogue).now(), runs)


def made(repository, *runs):
    return statuses(repository).more(RunsList(repository.catalogue).now(), runs)


@pytest.mark.slow
def test_a_rolling_baseline_has_the_newest_older_runs_of_its_key(repository, run_of):
    third, first, second, fourth = (run_of(day) for day in (3, 1, 2, 4))
    run_of(1, 65, hwid="other")
    set_baseline(repository, "roll", [third], last=2, user="me")
    assert members(repository, "roll", fourth) == [second, third]
    assert members(repository, "roll", third) == [first, second]
    assert members(repository, "roll", third, second) == [first]
    assert members(repository, "roll") == [third, fourth]
    with pytest.raises(NoOlderRunError):
        check(repository, [first], "roll", {})
    with pytest.raises(RunNotFound):
        check(repository, ["ffff"], "roll", {})


@pytest.mark.slow
def test_what_the_gate_called_regressed_is_no_member(repository, run_of):
    first, second, third, fourth = run_of(1), run_of(2, 96), run_of(3), run_of(4)
    set_baseline(repository, "roll", [first], last=1, user="me")
    assert members(repository, "roll", third) == [second]
    assert check(repository, [second], "roll", {}).comparison.verdict == "regressed"
    assert members(repository, "roll", third) == [first]
    assert check(repository, [third], "roll", {}).comparison.verdict == "unchanged"
    assert members(repository, "roll", fourth) == [third]


def test_thresholds_of_a_user_and_groups_leave_no_verdict(repository, run_of):
    first, second, third = run_of(1), run_of(2, 96), run_of(3)
    set_baseline(repository, "main", [first], user="me")
    check(repository, [second], "main", {"peak_memory": 0.01})
    check(repository, [second, third], "main", {})
    assert Checks(repository.catalogue).of(["main"], [first, second, third]) == {}


@pytest.mark.slow
def test_the_list_says_what_check_says(repository, run_of):
    first, *others = run_of(1), run_of(2), run_of(3, 96), run_of(4, 32)
    set_baseline(repository, "main", [first], user="me")
    assert {one.known for one in shown(repository, *others).values()} == {"missing"}
    found = made(repository, first, *others)
    assert found[first].known == "member"
    verdicts = [found[run].check.verdict for run in others]
    assert verdicts == [check(repository, [run], "main", {}).comparison.verdict for run in others]
    assert verdicts == ["unchanged", "regressed", "improved"]
    change = found[others[1]].check
    assert (change.metric, change.relative) == ("peak_memory", pytest.approx(32 / 164))
    assert {one.known for one in shown(repository, *others).values()} == {"checked"}


@pytest.mark.slow
def test_a_verdict_is_made_again_where_the_run_or_the_members_changed(repository, run_of):
    first, second, third = run_of(1), run_of(2), run_of(3)
    set_baseline(repository, "main", [first, second], user="me")
    check(repository, [third], "main", {})
    assert shown(repository, third)[third].known == "checked"
    repository.delete(second)
    assert shown(repository, third)[third].known == "missing"
    check(repository, [third], "main", {})
    assert run_of(3, capacity="2048") == third
    assert shown(repository, third)[third].known == "missing"
    repository.delete(first)
    assert shown(repository, third)[third].known == "failed"


@pytest.mark.slow
def test_verdicts_are_made_a_few_at_a_time_the_oldest_first(repository, run_of):
    days = [run_of(day) for day in range(1, MAX_COMPARISONS + 4)]
    set_baseline(repository, "roll", days[:1], last=3, user="me")
    found = made(repository, *reversed(days))
    assert [found[run].known for run in days] == ["checked"] * (MAX_COMPARISONS + 1) + [
        "missing"
    ] * 2
    assert found[days[0]].check.verdict == "undecided"
    assert {one.known for one in made(repository, *days).values()} == {"checked"}


@pytest.mark.slow
def test_a_regression_changes_what_newer_runs_are_compared_with(repository, run_of):
    first, second, third = run_of(1), run_of(2, 96), run_of(3, 96)
    set_baseline(repository, "roll", [first], last=1, user="me")
    assert check(repository, [third], "roll", {}).comparison.verdict == "unchanged"
    found = made(repository, second, third)
    assert [found[run].check.verdict for run in (second, third)] == ["regressed", "regressed"]
    assert check(repository, [third], "roll", {}).comparison.verdict == "regressed"


@pytest.mark.slow
def test_the_baseline_that_was_set_last_counts(repository, run_of):
    first, second, third = run_of(1), run_of(2), run_of(3)
    set_baseline(repository, "zero", [first], user="me")
    set_baseline(repository, "main", [second], user="me")
    other = run_of(4, hwid="other")
    found = shown(repository, first, second, third, other)
    assert {run: one.baseline for run, one in found.items()} == dict.fromkeys(
        (first, second, third), "main"
    )
    assert [found[run].known for run in (first, second)] == ["missing", "member"]


@pytest.mark.slow
def test_a_comparison_that_fails_is_said_and_not_tried_again_at_once(
    repository, run_of, monkeypatch
):
    first, second = run_of(1), run_of(2)
    set_baseline(repository, "main", [first], user="me")
    tries = []

    def fail(*_):
        tries.append(1)
        raise StorageError("/secret is gone", "A folder is gone.")

    monkeypatch.setattr(baseline_status, "compare_with_members", fail)
    asked, answers = statuses(repository), RunsList(repository.catalogue).now()
    for _ in range(2):
        found = asked.more(answers, [second])[second]
        assert (found.known, found.reason) == ("failed", "A folder is gone.")
    assert tries == [1]


def test_without_baselines_nothing_is_asked(repository, run_of, monkeypatch):
    run = run_of(1)
    answers = RunsList(repository.catalogue).now()
    asked = statuses(repository)
    assert not asked.has_baselines(answers)
    monkeypatch.setattr(Baselines, "all", lambda _: 1 / 0)
    monkeypatch.setattr(baseline_status, "places", lambda *_: 1 / 0)
    assert asked.known(answers, [run]) == asked.more(answers, [run]) == {}


@pytest.mark.slow
def test_baselines_are_described(repository, run_of):
    first, second, third = run_of(1), run_of(2), run_of(3)
    set_baseline(repository, "fixed", [first, second], user="me")
    set_baseline(repository, "roll", [third], last=2, user="me")
    repository.delete(first)
    fixed, roll = describe_baselines(repository)
    assert (fixed.kind, fixed.runs, fixed.deleted) == ("fixed", [second], [first])
    assert (roll.kind, roll.runs, roll.last) == ("rolling", [second, third], 2)
    assert "hwid=npu" in fixed.key_text
    repository.delete(third)
    repository.delete(second)
    fixed, roll = describe_baselines(repository)
    assert (fixed.runs, fixed.deleted) == ([], [first, second])
    assert (roll.runs, roll.deleted) == ([], [])
    assert roll.key["hwid"] == "npu"


def test_a_baseline_of_an_older_release_has_the_key_of_its_runs(repository, run_of):
    first, second = run_of(1), run_of(2)
    Baselines(repository.catalogue).set("old", [first])
    assert describe_baselines(repository)[0].key["hwid"] == "npu"
    assert shown(repository, second)[second].known == "missing"
    repository.delete(first)
    assert describe_baselines(repository)[0].key == {}
    assert shown(repository, second) == {}


def test_a_rolling_baseline_takes_one_run_and_a_number(repository, run_of):
    first, second = run_of(1), run_of(2)
    for runs, last in (([first, second], 3), ([first], 0), ([first], 101)):
        with pytest.raises(BaselineError):
            set_baseline(repository, "roll", runs, last=last, user="me")
