"""Placement in banks: nothing meets, what one step uses is apart where that can be, counts are those of findings."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.allocators.conflict_bound import least_conflicts
from analysis.allocators.packing import laid_out
from analysis.allocators.placement import Question
from analysis.allocators.problem import build_problem
from analysis.allocators.strategies import STRATEGIES
from analysis.memory.findings.bank_conflicts import bank_conflicts
from tests.support.banks import events, shown
from tests.support.memory import block
from tests.support.placements import LENGTH, faults, lifetimes, placed, problems

WIDTH, COUNT = 4, 4
MEMORY = WIDTH * COUNT
TINY = {"banks": COUNT, "bank_bytes": WIDTH, "capacity": MEMORY}


def lines(count):
    """Draw what steps compute and move, of so many blocks."""
    names = st.sampled_from([f"b{rank}" for rank in range(count)])
    row = st.tuples(st.integers(0, LENGTH - 1), st.sampled_from(["gdma", "layer"]), names)
    return st.lists(row, min_size=1, max_size=10)


def asked(rows, said, fixed=None, **more):
    """Return a map, its events and the problem that it poses."""
    one, log = shown(*rows, length=LENGTH, **(TINY | more)), events(*said)
    return one, log, build_problem(one, fixed, log)


def allocate(posed, effort=2_000, room=None, seed=0):
    return STRATEGIES["bank_aware"].allocate(
        posed, Question(room=room, effort=effort, seed=seed), None
    )


def conflicts_of(one, log, address):
    """Return what the findings count on the map with storages at these addresses."""
    return len(bank_conflicts(laid_out(one, np.asarray(address), "made"), log))


def layouts(posed, limit):
    """Yield every valid layout that ends at most at a limit, by trying all addresses."""
    wanted = posed.demand
    places = [
        range(0, limit - size + 1, align)
        for size, align in zip(wanted.size, wanted.alignment, strict=True)
    ]
    parts = list(
        zip(wanted.storage, wanted.start, wanted.end, wanted.bottom, wanted.top, strict=True)
    )
    met = [
        (one, other)
        for rank, one in enumerate(parts)
        for other in parts[:rank]
        if one[0] != other[0] and one[1] < other[2] and other[1] < one[2]
    ]
    for address in product(*places):
        if all(
            address[one[0]] + one[4] <= address[other[0]] + other[3]
            or address[other[0]] + other[4] <= address[one[0]] + one[3]
            for one, other in met
        ):
            yield address


@st.composite
def few(draw):
    """Return rows of three blocks or fewer, without windows, that all fit."""
    lives = draw(
        st.lists(lifetimes().filter(lambda life: "gaps" not in life), min_size=1, max_size=3)
    )
    sizes = [draw(st.integers(1, 7)) for _ in lives]
    return [
        block(f"b{rank}", size=size, **life)
        for rank, (size, life) in enumerate(zip(sizes, lives, strict=True))
    ]


class TestPlacement:
    @pytest.mark.slow
    @given(problems(), st.data())
    def test_no_byte_is_used_twice_and_conflicts_are_those_of_the_findings(self, rows, data):
        one, log, posed = asked(rows, data.draw(lines(len(rows))))
        answer = allocate(posed, effort=300)
        assert faults(rows, placed(posed, answer)) == ([], answer.extent)
        assert posed.conflicts(answer.address) == conflicts_of(one, log, answer.address)

    @pytest.mark.slow
    @given(problems(blocks=6, most=4), st.data())
    def test_what_is_fixed_stays(self, rows, data):
        fixed = {data.draw(st.integers(0, len(rows) - 1)): 8 * data.draw(st.integers(0, 3))}
        _, _, posed = asked(rows, data.draw(lines(len(rows))), fixed)
        answer = allocate(posed, effort=200)
        assert faults(rows, placed(posed, answer), fixed) == ([], answer.extent)

    @pytest.mark.slow
    @given(few(), st.data(), st.integers(0, 3))
    def test_no_conflict_where_that_can_be_and_never_fewer_than_there_have_to_be(
        self, rows, data, seed
    ):
        _, _, posed = asked(rows, data.draw(lines(len(rows))))
        answer = allocate(posed, seed=seed)
        every = map(np.array, layouts(posed, MEMORY))
        known = [(posed.conflicts(where), posed.extent(where)) for where in every]
        if not known:
            assert answer.extent > MEMORY
            return
        fewest, extent = min(known)
        assert answer.extent <= MEMORY
        assert least_conflicts(posed) <= fewest <= posed.conflicts(answer.address)
        if not fewest:
            assert (posed.conflicts(answer.address), answer.extent) == (0, extent)

    def test_partners_lie_in_banks_of_their_own_and_others_between_them(self):
        rows = [
            block("out", 1, 3, size=2),
            block("next", 1, 4, size=2),
            block("other", 0, 4, size=2),
        ]
        _, _, posed = asked(rows, [(1, "layer", "out"), (1, "gdma", "next")])
        answer = allocate(posed)
        assert (answer.extent, posed.conflicts(answer.address), answer.bound) == (6, 0, 6)
        assert (answer.status, answer.proof) == ("optimal", "bound")
        assert len({place // WIDTH for place in answer.address[:2].tolist()}) == 2

    @pytest.mark.slow
    def test_a_higher_end_is_no_reason_to_share_a_bank_but_the_end_of_the_memory_is(self):
        rows = [block("out", 1, 3, size=6), block("next", 1, 4, size=6)]
        said = [(1, "layer", "out"), (1, "gdma", "next")]
        _, _, wide = asked(rows, said)
        answer = allocate(wide, effort=100_000)
        assert (answer.extent, wide.conflicts(answer.address)) == (14, 0)
        assert (answer.status, answer.stopped) == ("feasible", "done")
        _, _, tight = asked(rows, said, capacity=13)
        answer = allocate(tight)
        assert (answer.extent, tight.conflicts(answer.address), least_conflicts(tight)) == (
            12,
            1,
            1,
        )
        assert answer.status == "optimal"

    @pytest.mark.slow
    def test_what_does_not_fit_at_all_ends_as_low_as_can_be(self):
        rows = [block("out", 1, 3, size=10), block("next", 1, 4, size=10)]
        _, _, posed = asked(rows, [(1, "layer", "out"), (1, "gdma", "next")])
        assert allocate(posed).extent == 20

    def test_a_room_is_kept_and_less_than_all_conflicts_is_looked_for_in_it(self):
        rows = [block("out", 1, 3, size=6), block("next", 1, 4, size=6)]
        _, _, posed = asked(rows, [(1, "layer", "out"), (1, "gdma", "next")])
        assert [allocate(posed, room=room).stopped for room in (15, 14, 13)] == ["fits"] * 3
        assert [posed.conflicts(allocate(posed, room=room).address) for room in (14, 13)] == [0, 1]
        assert (allocate(posed, room=11).status, allocate(posed, room=11).proof) == (
            "infeasible",
            "bound",
        )

    @pytest.mark.slow
    def test_equal_seed_and_effort_give_an_equal_answer(self):
        rows = [block(f"b{at}", at % 5, at % 5 + 2, size=1 + at % 7) for at in range(20)]
        said = [(at % 5, ("gdma", "layer")[at % 2], f"b{at}") for at in range(20)]
        _, _, posed = asked(rows, said)
        first, again = (allocate(posed, seed=3).address.tolist() for _ in range(2))
        assert first == again


class TestBound:
    @pytest.mark.parametrize(
        ("fixed", "least"),
        [({}, 0), ({0: 0, 1: 6}, 1), ({0: 0, 1: 8}, 0), ({0: 4}, 1), ({0: 0}, 0), ({0: 8}, 0)],
    )
    def test_pairs_that_fixed_blocks_leave_no_room_for(self, fixed, least):
        rows = [block("out", 1, 3, size=6, alignment=2), block("next", 1, 4, size=6, alignment=2)]
        _, _, posed = asked(rows, [(1, "layer", "out"), (1, "gdma", "next")], fixed)
        assert least_conflicts(posed) == least

    @pytest.mark.slow
    def test_an_alias_shares_the_banks_of_its_storage_and_equal_names_count_once(self):
        rows = [
            block("out", 1, 3, size=9),
            block("view", 1, 3, size=6, alias_of=0, status="shared"),
        ]
        one, log, posed = asked(rows, [(1, "layer", "out"), (1, "gdma", "view")])
        assert least_conflicts(posed) == conflicts_of(one, log, allocate(posed).address) == 2
        twice = [block("out", 1, 3, size=9), block("w", 1, 3, size=9), block("w", 1, 3, size=2)]
        one, log, posed = asked(
            twice,
            [(1, "layer", "out"), (1, "gdma", "w")],
            {0: 0, 1: 9, 2: 18},
            capacity=64,
            banks=8,
        )
        assert (
            posed.conflicts(allocate(posed).address)
            == conflicts_of(one, log, allocate(posed).address)
            == 1
        )


@pytest.mark.slow
def test_an_attempt_without_banks_or_events_has_no_pairs():
    rows = [block("out", 1, 3), block("next", 1, 4)]
    said = [(1, "layer", "out"), (1, "gdma", "next")]
    assert asked(rows, said)[2].pairs is not None
    assert asked(rows, [])[2].pairs is None
    assert asked(rows, said, banks=None)[2].pairs is None
    assert asked(rows, [])[2].memory is None
