from analysis.memory.group_table import GroupAttempt, LayerGroup
from components.memory.group_words import groups_sentence, lab_words
from tests.support.numbers_in_text import has_numbers

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
    assert said.startswith(
        "The only layer group did not fail for good; 1 attempt failed on the way."
    )


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
    assert "does not mark the final attempts" in groups_sentence(
        groups, lambda _: UNKNOWN, final_known=False
    )
    assert "does not mark the final attempts" not in groups_sentence(
        groups, lambda _: UNKNOWN, final_known=True
    )


def test_the_search_says_found_proved_or_not_found():
    lab = {"extent": 64, "bound": 128, "proof": "bound", "capacity": 100}
    words = [
        lab_words(UNKNOWN | {"lab": lab | {"status": status}}, pending=False)
        for status in ("feasible", "infeasible", "not_found")
    ]
    assert [text.split(",")[0] for text in words] == ["fits", "cannot", "not found"]
    assert lab_words(UNKNOWN, pending=True) != lab_words(UNKNOWN, pending=False)
    assert lab_words(UNKNOWN | {"lab": None}, pending=False) == "no answer"
