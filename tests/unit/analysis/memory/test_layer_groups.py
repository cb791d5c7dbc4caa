import pytest

from analysis.memory.layer_groups import (
    by_group,
    find_previous_attempt,
    is_used_attempt,
    with_groups,
)
from tests.support.memory import attempts, block, blocks, constant

ROWS = [
    block("a", attempt=0),
    block("b", attempt=0),
    block("b", attempt=1),
    block("a", attempt=1, address=64),
    constant("c", attempt=1),
    block("a", attempt=2),
    block("a", attempt=2),
    block("b", attempt=3),
    block("a", attempt=3),
]


def grouped(rows=ROWS, count=5, **columns):
    return with_groups(attempts(count, **columns), blocks(rows))


def test_attempts_with_the_same_tensors_are_of_one_group():
    assert grouped()["group"].tolist() == ["tensors 0", "tensors 0", "tensors 1", "tensors 0", ""]


def test_groups_that_the_file_names_stay():
    named = ["group 1", "", "", "", ""]
    assert grouped(group=named)["group"].tolist() == named


@pytest.mark.parametrize(("count", "levels"), [(1, None), (4, ["L1", "L2", "L3", "L4"])])
def test_one_attempt_and_levels_have_no_group(count, levels):
    assert set(grouped(count=count, level=levels or [None])["group"]) == {""}


def test_the_previous_attempt_is_that_of_the_same_group():
    found = grouped()
    assert [find_previous_attempt(found, attempt) for attempt in range(6)] == [
        None,
        0,
        None,
        1,
        None,
        None,
    ]


def test_the_final_attempts_are_kept_else_the_last_of_each_group_else_all():
    assert is_used_attempt(grouped()).tolist() == [False, False, True, True, True]
    final = [False, True, None, False, False]
    assert is_used_attempt(grouped(final=final)).tolist() == [False, True, False, False, False]
    assert is_used_attempt(attempts(2)).tolist() == [True, True]


def test_a_level_beside_attempts_is_not_kept():
    assert is_used_attempt(attempts(2, level=[None, "DDR"])).tolist() == [True, False]
    assert is_used_attempt(attempts(2, level=["L1", "L2"])).tolist() == [True, True]


def test_attempts_of_one_group_stand_together():
    assert by_group(grouped())["attempt"].tolist() == [0, 1, 3, 2, 4]
    ungrouped = attempts(3)
    assert by_group(ungrouped)["attempt"].tolist() == [0, 1, 2]
