"""Every strategy, by the same rules; then what each of the simple ones is known for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.allocators.listed import DEFAULT
from analysis.allocators.packing import PACKERS, pack_map
from analysis.allocators.placement import Question
from analysis.allocators.strategies import STRATEGIES
from tests.support.memory import amap, block
from tests.support.placements import LENGTH, faults, least_extent, placed, problem, problems

SIMPLE = sorted(name for name, strategy in STRATEGIES.items() if not strategy.proves)
every_strategy = pytest.mark.parametrize("name", STRATEGIES)


def found(rows, name, question=None, fixed=None, **columns):
    """Return the address of every block by its name."""
    asked = problem(rows, fixed, **columns)
    where = placed(asked, STRATEGIES[name].allocate(asked, question or Question(effort=500), None))
    return {row["name"]: where[rank] for rank, row in enumerate(rows)}


class TestAll:
    @pytest.mark.slow
    @given(problems(), st.sampled_from(sorted(STRATEGIES)), st.integers(0, 3))
    def test_no_byte_is_used_twice(self, rows, name, seed):
        asked = problem(rows, length=LENGTH)
        answer = STRATEGIES[name].allocate(asked, Question(effort=300, seed=seed), None)
        assert faults(rows, placed(asked, answer)) == ([], answer.extent)
        assert answer.bound <= answer.extent
        assert (answer.status == "optimal") == (answer.proof is not None)

    @pytest.mark.slow
    @given(problems(blocks=6, most=4), st.sampled_from(SIMPLE), st.data())
    def test_what_is_fixed_stays(self, rows, name, data):
        fixed = {data.draw(st.integers(0, len(rows) - 1)): 8 * data.draw(st.integers(0, 3))}
        asked = problem(rows, fixed, length=LENGTH)
        answer = STRATEGIES[name].allocate(asked, Question(effort=100), None)
        assert faults(rows, placed(asked, answer), fixed) == ([], answer.extent)

    @pytest.mark.slow
    @given(problems(blocks=6, most=4), st.sampled_from(SIMPLE), st.integers(0, 12))
    def test_simple_ones_claim_no_more_than_the_bound_says(self, rows, name, room):
        answer = STRATEGIES[name].allocate(
            problem(rows, length=LENGTH), Question(room=room, effort=100), None
        )
        assert answer.proof in (None, "bound")
        if answer.status == "infeasible":
            assert least_extent(rows) >= answer.bound > room
        elif answer.status == "not_found":
            assert answer.address is None
        else:
            assert answer.extent <= room
            assert answer.stopped == "fits"

    @every_strategy
    def test_what_the_bound_says_cannot_fit_costs_no_search(self, name):
        asked = problem([block(f"b{at}", 0, 2, size=16) for at in range(6)])
        answer = STRATEGIES[name].allocate(asked, Question(room=80, effort=50_000), None)
        assert (answer.status, answer.proof) == ("infeasible", "bound")
        assert answer.effort <= len(asked)

    @every_strategy
    def test_nothing_to_place_is_no_trouble(self, name):
        answer = STRATEGIES[name].allocate(problem([]), Question(), None)
        assert (answer.status, answer.extent, len(answer.address)) == ("optimal", 0, 0)

    @every_strategy
    def test_equal_seed_and_effort_give_an_equal_answer(self, name):
        rows = [block(f"b{at}", at % 7, at % 7 + 3, size=16 * (1 + at % 5)) for at in range(40)]
        assert found(rows, name, Question(effort=2_000, seed=4)) == found(
            rows, name, Question(effort=2_000, seed=4)
        )

    def test_one_is_the_default_and_some_do_not_prove(self):
        assert STRATEGIES[DEFAULT].proves
        assert SIMPLE


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("name", PACKERS)
@given(rows=problems())
def test_those_that_pages_draw_are_the_same(name, rows):
    made = pack_map(amap(rows, length=LENGTH), name).blocks
    assert list(found(rows, name, length=LENGTH).values()) == made["address"].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("gaps", ["2-5@24:32", "2-3@24:32 3-5@0:8"])
def test_addresses_between_the_windows_of_a_storage_are_free(gaps):
    rows = [
        block("under", 0, 1, size=24), block("before", 0, 5, size=8, gaps="1-2"), block("own", 1, 6, size=32, gaps=gaps)
    ]  # fmt: skip
    made = pack_map(amap(rows, length=LENGTH), "first_fit").blocks
    assert (
        list(found(rows, "first_fit", length=LENGTH).values())
        == made["address"].tolist()
        == [0, 24, 8]
    )


def test_where_there_is_no_room_to_note_them_they_count_as_taken(monkeypatch):
    monkeypatch.setattr("analysis.allocators.place._MAX_SPARE", 0)
    rows = [
        block("under", 0, 1, size=24), block("before", 0, 5, size=8, gaps="1-2"),
        block("own", 1, 6, size=32, gaps="2-3@24:32 3-5@0:8"),
    ]  # fmt: skip
    assert found(rows, "first_fit", length=LENGTH)["own"] == 32


class TestSimple:
    ROWS = (
        block("early", 0, 2, size=16), block("large", 1, 4, size=64), block("late", 2, 4, size=32),
    )  # fmt: skip
    HOLES = (
        block("p", 0, 2, size=100), block("q", 0, 4, size=90), block("r", 0, 2, size=80), block("s", 0, 4, size=70),
        block("fits", 2, 4, size=60),
    )  # fmt: skip

    def test_first_fit_begins_with_the_earliest(self):
        assert found(self.ROWS, "first_fit") == {"early": 0, "large": 16, "late": 80}

    def test_greedy_by_size_takes_the_lowest_gap_and_best_fit_the_tightest(self):
        assert found(self.HOLES, "greedy_by_size")["fits"] == 0
        assert found(self.HOLES, "best_fit")["fits"] == 190

    @pytest.mark.slow
    def test_tetris_leaves_holes_empty(self):
        rows = [
            block("low", 0, 4, size=8),
            block("high", 0, 2, size=8),
            block("after", 2, 4, size=8),
        ]
        orders = {
            tuple(found(rows, "tetris_random", Question(seed=seed)).values()) for seed in range(20)
        }
        assert len(orders) > 1
        assert all(set(order) <= {0, 8, 16} for order in orders)

    @pytest.mark.parametrize(
        ("better", "than"), [("hill_climb", "greedy_by_size"), ("tetris_co_opt", "tetris_random")]
    )
    def test_exchanges_make_it_no_worse(self, better, than):
        draw = np.random.default_rng(1)
        begins = draw.integers(0, 20, 90).tolist()
        rows = [
            block(f"b{at}", begin, begin + 1 + at % 9, size=8 * (1 + at % 31))
            for at, begin in enumerate(begins)
        ]
        asked = problem(rows)
        climbed = STRATEGIES[better].allocate(asked, Question(effort=20_000, seed=2), None)
        at_once = STRATEGIES[than].allocate(asked, Question(seed=2), None)
        assert climbed.extent < at_once.extent
        assert climbed.stopped in ("effort", "optimal")
