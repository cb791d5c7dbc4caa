import re
from itertools import combinations_with_replacement

import pytest

from analysis.memory.group_table import GroupAttempt, LayerGroup
from components.memory.group_words import groups_sentence, lab_words
from tests.support.numbers_in_text import has_numbers, numbers_in
from tests.support.sentences import COUNT, number_faults, plain

UNKNOWN = {"reason": None, "excess": None, "step": None}


def group(name, *outcomes, failed=0):
    tries = [
        GroupAttempt(
            rank, "1,1", 0, outcome, failed if outcome == "failed" else 0, 3, 100, 100, 50, 1, None
        )
        for rank, outcome in enumerate(outcomes)
    ]
    return LayerGroup(name, tuple(tries), {})


def test_a_log_without_a_lost_group_says_how_many_attempts_failed_on_the_way():
    said = groups_sentence(
        [group("g", "failed", "success", failed=2)], lambda _: UNKNOWN, final_known=True
    )
    assert numbers_in(said)[:1] == ["1"]


def test_reasons_are_counted_and_unknown_ones_told():
    groups = [
        group("g", "failed", failed=2),
        group("h", "failed", failed=3),
        group("i", "unfinished"),
    ]
    known = {2: UNKNOWN, 3: UNKNOWN | {"reason": "fragmentation"}}
    said = groups_sentence(groups, lambda one: known[one.failed], final_known=True)
    assert "2 of 3" in said
    assert has_numbers(said, "1", "1")
    assert "the worst, h" in said
    assert "ends inside of 1 group" in said


def test_a_log_that_does_not_tell_what_was_kept_is_said_to():
    groups = [group("g", "failed", "success", failed=2)]
    unknown, known = (
        groups_sentence(groups, lambda _: UNKNOWN, final_known=is_known)
        for is_known in (False, True)
    )
    assert unknown.startswith(known.rstrip(".")) and len(unknown) > len(known)
    assert numbers_in(unknown) == numbers_in(known)


def test_the_search_says_found_proved_or_not_found():
    lab = {"extent": 64, "bound": 128, "proof": "bound", "capacity": 100}
    words = [
        lab_words(UNKNOWN | {"lab": lab | {"status": status}}, pending=False)
        for status in ("feasible", "infeasible", "not_found")
    ]
    assert [text.split(",")[0] for text in words] == ["fits", "cannot", "not found"]
    assert lab_words(UNKNOWN, pending=True) != lab_words(UNKNOWN, pending=False)
    assert lab_words(UNKNOWN | {"lab": None}, pending=False) == "no answer"


LABS = ("feasible", "infeasible", "not_found")
REASONS = ("too_big", "fragmentation", "bank_rule", None)


def failure(reason, status=None):
    """Return a failure with a reason, and with a result of the search if it has a status."""
    excess = {"excess": 1, "step": 0} if reason == "too_big" else {}
    found = {"lab": {"status": status, "extent": 64, "bound": 64}} if status else {}
    return UNKNOWN | {"reason": reason} | excess | found


@pytest.mark.parametrize("reasons", [*combinations_with_replacement(REASONS, 2), ("too_big",)])
@pytest.mark.parametrize("others", [0, 1])
def test_failed_groups_are_counted_by_their_reasons(reasons, others):
    groups = [group(f"g{at}", "failed", failed=at + 1) for at in range(len(reasons))]
    groups += [group("fine", "success")] * others
    known = {at + 1: failure(reason) for at, reason in enumerate(reasons)}
    said = plain(groups_sentence(groups, lambda one: known[one.failed], final_known=True))
    assert not number_faults(said)
    if len(groups) == 1:
        assert "worst" not in said and "g0" in said
        return
    lost, whole = map(int, re.match(rf"{COUNT} of {COUNT} layer groups", said).groups())
    assert (lost, whole) == (len(reasons), len(groups))
    counts = re.findall(rf"(?:: |, ){COUNT} (?:by|although|for)", said)
    assert sum(map(int, counts)) == (lost if lost > 1 else 0)
    assert ("worst" in said) == (lost > 1)


@pytest.mark.parametrize(
    "results", [pair for count in (1, 2) for pair in combinations_with_replacement(LABS, count)]
)
def test_results_of_the_search_sum_to_the_failed_groups(results):
    groups = [group(f"g{at}", "failed", failed=at + 1) for at in range(len(results))]
    known = {at + 1: failure("fragmentation", status) for at, status in enumerate(results)}
    said = plain(groups_sentence(groups, lambda one: known[one.failed], final_known=True))
    assert not number_faults(said)
    if len(results) == 1:
        assert not re.search(r"(fits|proves that|placement of) \d", said)
        return
    of = re.search(
        rf"Of these {COUNT} groups, the built-in search fits {COUNT}, proves that {COUNT}", said
    )
    open_ = re.search(rf"no placement of {COUNT}", said)
    expected = [len(results), results.count("feasible"), results.count("infeasible")]
    assert [int(digits) for digits in of.groups()] == expected
    assert (int(open_[1]) if open_ else 0) == results.count("not_found")
