"""Answers that nobody has to ask for: those of the strategies of that name, and none where it would take long."""

import pytest

from analysis.allocators.packing import PACKERS
from analysis.allocators.placement import Question
from analysis.allocators.strategies import STRATEGIES
from services.lab import at_once
from services.lab.at_once import place_at_once
from services.run.placements import placement_record
from tests.support.memory import block
from tests.support.placements import problem

LIVES = [(0, 3, 20), (1, 4, 30), (2, 6, 10), (4, 6, 50), (0, 6, 8)]
ROWS = [block(f"b{start}", start, end, size=size) for start, end, size in LIVES]
TIMES = ("seconds", "trace")


@pytest.mark.parametrize("room", [None, 200, 70, 1])
def test_they_are_what_the_strategies_answer(room):
    posed = problem(ROWS)
    found = dict(place_at_once(posed, room))
    assert set(found) == set(PACKERS)
    for name, record in found.items():
        asked = placement_record(STRATEGIES[name].allocate(posed, Question(room=room), None), "")
        assert {key: value for key, value in record.items() if key not in TIMES} == {
            key: value for key, value in asked.items() if key not in TIMES
        }


def test_a_large_problem_and_one_with_fixed_blocks_have_none(monkeypatch):
    assert not list(place_at_once(problem(ROWS, {0: 64}), None))
    monkeypatch.setattr(at_once, "MAX_PARTS", len(ROWS) - 1)
    assert not list(place_at_once(problem(ROWS), None))
