"""The search: what it proves is true, by a solver that tries everything, and what it places can be there."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from analysis.allocators import search as searching
from analysis.allocators.placement import Question
from analysis.allocators.search import NoCompilerError, search, warm_up
from analysis.allocators.search_kernel import begin_search, go_on
from tests.support.memory import block
from tests.support.numbers_in_text import numbers_in
from tests.support.placements import LENGTH, faults, least_extent, placed, problem, problems

SMALL = problems(blocks=6, most=4)
OUT_OF_REACH = [
    (0, 1, 3), (0, 2, 3), (2, 3, 1), (2, 3, 2), (0, 4, 3), (1, 4, 3), (3, 5, 1), (3, 5, 1), (4, 5, 2), (3, 6, 1),
    (4, 6, 4), (5, 7, 4), (6, 7, 3), (6, 7, 2),
]  # fmt: skip
"""Lives and sizes with a bound of 9, which no placement reaches."""


def rows_of(lives):
    plain = {"alignment": None, "alias_of": None, "plan": None}
    return [
        block(f"b{rank}", start, end, size=size, **plain)
        for rank, (start, end, size) in enumerate(lives)
    ]


def has_windows(rows):
    return any("@" in row["gaps"] for row in rows)


def many(seed, count=60, length=40):
    """Return rows of a problem that greedy layouts leave open."""
    draw = np.random.default_rng(seed)
    start = draw.integers(0, length, count)
    return rows_of(
        [
            (int(at), int(at + draw.integers(1, 12)), int(8 * draw.integers(1, 40)))
            for at in start.tolist()
        ]
    )


class TestLeast:
    @pytest.mark.slow
    @given(SMALL)
    @example(rows_of([(0, 2, 3), (1, 3, 2), (2, 4, 3), (0, 1, 1), (3, 6, 2)]))
    def test_the_least_extent_is_found_and_proved(self, rows):
        asked = problem(rows, length=LENGTH)
        answer = search(asked, Question(effort=20_000))
        wrong, highest = faults(rows, placed(asked, answer))
        least = least_extent(rows)
        assert not wrong
        assert highest == answer.extent >= least >= answer.bound
        if not has_windows(rows):
            assert (answer.status, answer.extent) == ("optimal", least)
        elif answer.status == "optimal":
            assert (answer.proof, answer.extent) == ("bound", least)

    @pytest.mark.slow
    @given(problems(blocks=12))
    def test_no_byte_is_used_twice_in_larger_ones(self, rows):
        asked = problem(rows, length=LENGTH)
        answer = search(asked, Question(effort=3_000))
        wrong, highest = faults(rows, placed(asked, answer))
        assert not wrong
        assert highest == answer.extent >= answer.bound

    def test_a_bound_that_nobody_reaches_is_left_to_the_search(self):
        answer = search(problem(rows_of(OUT_OF_REACH)), Question())
        assert (answer.status, answer.proof, answer.extent, answer.bound) == (
            "optimal",
            "search",
            10,
            9,
        )
        assert answer.stopped == "optimal"

    def test_sizes_count_rounded_up_where_all_are_aligned(self):
        answer = search(problem([block(size=65), block(size=65)], align_bytes=64), Question())
        assert (answer.status, answer.proof, answer.extent, answer.bound) == (
            "optimal",
            "bound",
            193,
            193,
        )

    def test_nothing_to_place_needs_nothing(self):
        answer = search(problem([]), Question())
        assert (answer.status, answer.extent, answer.bound, answer.gap) == ("optimal", 0, 0, 0.0)


class TestRoom:
    @pytest.mark.slow
    @given(SMALL, st.integers(-1, 20))
    def test_what_fits_is_placed_and_what_does_not_is_proved(self, rows, room):
        asked = problem(rows, length=LENGTH)
        answer = search(asked, Question(room=room, effort=20_000))
        fits = least_extent(rows) <= room
        if answer.address is not None:
            wrong, highest = faults(rows, placed(asked, answer))
            assert not wrong
            assert fits
            assert highest == answer.extent <= room
        elif has_windows(rows):
            assert answer.status == "not_found" or (answer.proof == "bound" and answer.bound > room)
        else:
            assert not fits
            assert answer.status == "infeasible"
        assert answer.proof != "bound" or answer.bound in (
            answer.extent,
            answer.bound if answer.bound > room else None,
        )

    def test_it_stops_at_the_first_placement_that_fits(self):
        answer = search(problem(rows_of(OUT_OF_REACH)), Question(room=30))
        assert (answer.status, answer.stopped) == ("feasible", "fits")
        assert answer.effort == len(OUT_OF_REACH)

    def test_what_is_a_byte_short_is_proved_by_search(self):
        answer = search(problem(rows_of(OUT_OF_REACH)), Question(room=9))
        assert (answer.status, answer.proof, answer.stopped) == (
            "infeasible",
            "search",
            "infeasible",
        )
        assert (answer.extent, answer.address, answer.gap) == (None, None, None)

    def test_less_than_what_is_alive_at_once_is_proved_by_the_bound(self):
        answer = search(problem(rows_of(OUT_OF_REACH)), Question(room=8))
        assert (answer.status, answer.proof, answer.effort) == ("infeasible", "bound", 0)


class TestFixed:
    @pytest.mark.slow
    @given(SMALL, st.data())
    def test_what_is_fixed_stays_and_the_rest_is_least(self, rows, data):
        rank = data.draw(st.integers(0, len(rows) - 1))
        fixed = {rank: 8 * data.draw(st.integers(0, 1))}
        asked = problem(rows, fixed, length=LENGTH)
        answer = search(asked, Question(effort=20_000))
        wrong, highest = faults(rows, placed(asked, answer), fixed)
        least = least_extent(rows, fixed)
        assert not wrong
        assert highest == answer.extent >= least >= answer.bound
        assert has_windows(rows) or (answer.status, answer.extent) == ("optimal", least)

    @pytest.mark.slow
    @given(problems(blocks=7, most=4), st.data())
    def test_several_that_are_fixed(self, rows, data):
        ranks = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=3, unique=True))
        fixed = {rank: 8 * data.draw(st.integers(0, 2)) for rank in ranks}
        try:
            asked = problem(rows, fixed, length=LENGTH)
        except ValueError:
            assume(False)
        answer = search(asked, Question(room=24, effort=20_000))
        least = least_extent(rows, fixed)
        if answer.address is None:
            assert has_windows(rows) or least > 24
        else:
            assert faults(rows, placed(asked, answer), fixed) == ([], answer.extent)
            assert answer.extent <= 24


class TestRepeated:
    @pytest.mark.parametrize("effort", [70, 700, 7_000])
    def test_equal_effort_gives_an_equal_answer(self, effort):
        asked = problem(many(3))
        one, other = (search(asked, Question(effort=effort, seed=5)) for _ in range(2))
        assert one.address.tolist() == other.address.tolist()
        traces = [[(step.effort, step.extent) for step in answer.trace] for answer in (one, other)]
        assert traces[0] == traces[1]
        assert one.effort == other.effort <= max(effort, len(asked))

    def test_more_effort_is_never_worse(self):
        asked = problem(many(3))
        extents = [
            search(asked, Question(effort=effort)).extent for effort in (60, 600, 6_000, 60_000)
        ]
        assert extents == sorted(extents, reverse=True)
        assert extents[-1] < extents[0]

    def test_the_trace_goes_down(self):
        answer = search(problem(many(4)), Question(effort=20_000))
        extents, efforts = [s.extent for s in answer.trace], [s.effort for s in answer.trace]
        assert extents == sorted(set(extents), reverse=True)
        assert efforts == sorted(efforts)
        assert extents[-1] == answer.extent


class TestWatched:
    def test_a_watcher_is_told_and_can_stop_it(self, monkeypatch):
        monkeypatch.setattr("analysis.allocators.watch.REPORT_SECONDS", 0.0)
        told = []
        answer = search(
            problem(many(4)), Question(), lambda progress: told.append(progress) or len(told) < 3
        )
        assert (answer.stopped, answer.status) == ("cancelled", "feasible")
        assert len(told) == 3
        assert told[-1].effort == answer.effort
        assert told[0].bound == answer.bound

    def test_time_that_is_over_stops_it_with_what_there_is(self):
        answer = search(problem(many(4)), Question(seconds=0))
        assert (answer.stopped, answer.status) == ("time", "feasible")
        assert answer.effort == 60


class TestMany:
    @pytest.mark.slow
    def test_more_pairs_than_fit_are_placed_without_the_search(self, monkeypatch):
        monkeypatch.setattr("analysis.allocators.pairs.MAX_PAIRS", 100)
        rows = many(4)
        asked = problem(rows)
        answer = search(asked, Question(effort=2_000))
        assert (answer.status, answer.stopped) == ("feasible", "effort")
        assert not faults(rows, placed(asked, answer), length=60)[0]

    def test_components_are_searched_for_themselves(self):
        rows = rows_of(
            [
                (start + 10 * at, end + 10 * at, size)
                for at in range(8)
                for start, end, size in OUT_OF_REACH
            ]
        )
        answer = search(problem(rows), Question())
        assert (answer.status, answer.proof, answer.extent) == ("optimal", "search", 10)

    def test_one_compiled_search_serves_all(self):
        search(problem(rows_of(OUT_OF_REACH), {0: 64}), Question())
        search(
            problem([block("g", 0, 6, size=8, gaps="1-3@2:4"), *rows_of(OUT_OF_REACH)]),
            Question(effort=500),
        )
        assert [len(function.signatures) for function in (begin_search, go_on)] == [1, 1]


class TestCompiler:
    def test_without_a_compiler_there_is_a_sentence(self, monkeypatch):
        monkeypatch.setattr(searching, "is_compiled", lambda: False)
        with pytest.raises(NoCompilerError, match="numba"):
            search(problem([block()]), Question())
        with pytest.raises(NoCompilerError):
            warm_up(print)

    def test_a_first_use_is_said(self, monkeypatch):
        said = []
        monkeypatch.setattr(searching, "is_cached", lambda _: False)
        warm_up(said.append)
        assert [numbers_in(sentence) for sentence in said] == [["10", "30"]]

    def test_a_later_use_is_not(self):
        said = []
        warm_up(lambda _: None)
        warm_up(said.append)
        assert not said
