import pytest

from analysis.memory.headline import headline_attempt, memory_headline
from analysis.memory.layer_groups import with_groups
from schema.metrics import METRICS
from tests.support.memory import attempts, block, constant, failed, numbered


def test_the_fullest_of_the_final_attempts_is_the_headline():
    rows = [
        block("a", 0, 1, 0, 50),
        block("b", 0, 1, 0, 20, attempt=1),
        block("c", 0, 1, 0, 30, attempt=2),
    ]
    made, _ = numbered(rows, 3, capacity=100, final=[False, True, True])
    assert headline_attempt(made) == 2
    assert memory_headline(made) == {
        "attempts": 3.0,
        "levels": None,
        "failed_blocks": 0.0,
        "failed_searched": 0.0,
        "peak_memory": 30.0,
        "capacity_use": 0.3,
        "memory_capacity": 100.0,
        "memory_bound": 30.0,
        "bound_use": 0.3,
        "memory_waste": 0.0,
        "fragmentation": 0.0,
    }


@pytest.mark.parametrize("final", [None, False])
def test_all_attempts_count_where_none_is_known_to_be_final(final):
    rows = [
        failed("a", 0, 1, 50),
        block("b", 0, 1, 0, 20),
        block("c", 0, 1, 0, 30, attempt=1),
        failed("d", attempt=1),
    ]
    made, _ = numbered(rows, 2, final=final)
    assert headline_attempt(made) == 1
    numbers = memory_headline(made)
    assert (numbers["failed_blocks"], numbers["failed_searched"]) == (2.0, None)


def test_what_failed_while_the_compiler_searched_is_counted_apart():
    rows = [
        failed("a", 0, 1, 50),
        failed("a", 0, 1, 50, attempt=1),
        block("a", 0, 1, 0, 40, attempt=2),
    ]
    made, blocks = numbered([*rows, failed("b", attempt=3)], 4)
    numbers = memory_headline(with_groups(made, blocks))
    assert (numbers["failed_blocks"], numbers["failed_searched"]) == (1.0, 2.0)


def test_of_levels_the_largest_waste_leads():
    rows = [block("a", 0, 1, 0, 90, level="L1"), block("b", 0, 1, 30, 10, attempt=1, level="L3")]
    made, _ = numbered(rows, 2, level=["L1", "L3"], capacity=[100, 1000])
    numbers = memory_headline(made)
    assert (numbers["capacity_use"], numbers["memory_waste"]) == (0.9, 30.0)
    assert (numbers["levels"], numbers["attempts"]) == (2.0, None)


def test_constants_are_part_of_the_peak_and_of_the_bound():
    made, _ = numbered([constant(size=40), block("a", 0, 1, 8, 8)], capacity=112, static_bytes=40)
    numbers = memory_headline(made)
    assert (numbers["peak_memory"], numbers["memory_bound"], numbers["memory_waste"]) == (
        56.0,
        48.0,
        8.0,
    )
    assert numbers["capacity_use"] == 0.5


def test_a_problem_has_a_bound_alone():
    rows = [block("a", 0, 1, None), block("b", 0, 1, None, 65, attempt=1)]
    made, _ = numbered(rows, 2, outcome="unsolved", capacity=130)
    assert headline_attempt(made) == 1
    numbers = memory_headline(made)
    assert (numbers["memory_bound"], numbers["memory_capacity"], numbers["bound_use"]) == (
        65.0,
        130.0,
        0.5,
    )
    unknown = {"peak_memory", "capacity_use", "memory_waste", "fragmentation"}
    assert unknown <= {name for name, value in numbers.items() if value is None}


def test_without_attempts_there_is_none():
    assert headline_attempt(attempts(0)) is None
    assert memory_headline(attempts(0)) == {}


def test_without_numbers_the_first_attempt_stands_for_all():
    assert headline_attempt(attempts(2)) == 0


def test_every_number_is_a_registered_metric():
    made, _ = numbered([block("a", 0, 1, 0)])
    assert set(memory_headline(made)) <= set(METRICS)


def test_a_level_beside_attempts_is_no_headline():
    rows = [block("a", 0, 1, 0, 50), block("b", 0, 1, 0, 900, attempt=1)]
    made, _ = numbered(rows, 2, level=[None, "DDR"])
    assert headline_attempt(made) == 0
    assert memory_headline(made)["attempts"] == 1.0


def test_a_level_that_is_only_reported_is_the_headline_if_it_is_the_fullest():
    levels = {
        "level": ["L2", "L1"],
        "static_bytes": [20, 8],
        "reported_bytes": [10, 96],
        "capacity": [1000, 100],
    }
    made, _ = numbered([], 2, **levels)
    numbers = memory_headline(made)
    assert (numbers["peak_memory"], numbers["capacity_use"], numbers["memory_bound"]) == (
        104,
        1.04,
        None,
    )
