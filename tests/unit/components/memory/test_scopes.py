from analysis.memory.headline import memory_headline
from analysis.memory.layer_groups import with_groups
from components.memory.scopes import memory_scopes
from components.summary import LEVELS_STRIP, MEMORY_STRIP, PROBLEM_STRIP, memory_strip, metric_strip
from schema.metrics import METRICS
from tests.support.components import words
from tests.support.memory import block, failed, numbered


def test_each_number_of_a_plan_names_its_level_and_waste_is_that_of_every_level():
    rows = [
        block("a", 0, 1, 0, 90),
        block("b", 0, 1, 30, 10, attempt=1),
        block("c", 0, 1, 0, 5, attempt=2),
    ]
    made, _ = numbered(rows, 3, level=["L1", "L3", "L2"], capacity=[100, 1000, 1000])
    scopes = memory_scopes(made)
    assert scopes["capacity_use"] == "L1"
    assert scopes["memory_waste"].split(" · ")[0] == "L3"
    assert [part.split()[0] for part in scopes["memory_waste"].split(" · ")] == ["L3", "L1", "L2"]
    headline = memory_headline(made)
    assert memory_strip(headline) == LEVELS_STRIP
    assert scopes["memory_waste"] in words(metric_strip(headline, LEVELS_STRIP, scopes))


def test_failed_blocks_say_which_attempts_they_are_of():
    rows = [
        failed("a", 0, 1, 50),
        block("a", 0, 1, 0, 40, attempt=1),
        block("b", 0, 1, 0, 60, attempt=2),
    ]
    made, blocks = numbered(rows, 3, capacity=100)
    grouped = with_groups(made, blocks)
    scopes = memory_scopes(grouped)
    assert scopes["peak_memory"] == "attempt 2"
    assert "2 layer groups" in scopes["failed_blocks"]
    assert "1 other attempt" in scopes["failed_searched"]
    assert "final" in memory_scopes(made.assign(final=[False, True, True]))["failed_blocks"]
    assert memory_strip(memory_headline(grouped)) == MEMORY_STRIP
    assert "failed_searched" not in memory_strip(memory_headline(made))


def test_a_problem_has_its_bound_and_its_capacity():
    made, _ = numbered([block("a", 0, 1)], outcome="unsolved", capacity=32)
    assert memory_strip(memory_headline(made)) == PROBLEM_STRIP
    assert memory_scopes(made) == {}


def test_strips_have_registered_metrics_alone():
    assert {*MEMORY_STRIP, *LEVELS_STRIP, *PROBLEM_STRIP} <= set(METRICS)


def test_levels_without_any_waste_are_counted_and_not_named():
    rows = [block("a", 0, 1, 0, 90), block("b", 0, 1, 0, 10, attempt=1)]
    made, _ = numbered(rows, 2, level=["preallocated-temp", "parameter"], capacity=[100, 1000])
    scope = memory_scopes(made)["memory_waste"]
    assert "preallocated-temp" not in scope and "2 levels" in scope
