"""Dives of every kind: what each proves is true, by one that tries all addresses, and they draw as they are seeded."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.allocators.components import components
from analysis.allocators.orders import SEARCHED, Traits
from analysis.allocators.placement import Question
from analysis.allocators.portfolio import Portfolio
from analysis.allocators.search import begin_dive, search
from analysis.allocators.search_kernel import go_on
from analysis.allocators.search_state import EXHAUSTED, FOUND, NOBODY, RUNNING, new_state
from analysis.allocators.sections import sections, uses
from tests.support.memory import block
from tests.support.placements import LENGTH, least_extent, problem

ENOUGH = 1_000_000
ROUND = 5 * len(SEARCHED)


@st.composite
def plain_rows(draw, blocks=6):
    """Return rows of blocks with lives and sizes alone, some of them twins."""
    lives = st.tuples(st.integers(0, LENGTH - 1), st.integers(1, LENGTH), st.integers(1, 4))
    drawn = draw(st.lists(lives.filter(lambda one: one[0] < one[1]), min_size=2, max_size=blocks))
    plain = {"alignment": None, "alias_of": None, "plan": None}
    return [
        block(f"b{rank}", start, end, size=size, **plain)
        for rank, (start, end, size) in enumerate(drawn)
    ]


def parts_of(posed):
    cut = sections(posed)
    return components(posed, cut, uses(posed, cut))


def dives_of(posed, part, number=ROUND, seed=0):
    return list(islice(Portfolio(part, Traits(posed), np.random.default_rng(seed)).dives(), number))


def standing(part, dive, aim, state=None):
    state = new_state(part) if state is None else state
    if begin_dive(part, state, dive, aim) != RUNNING:
        return begin_dive(part, state, dive, aim)
    return go_on(part, state, ENOUGH)[0]


def own_rows(rows, part):
    return [rows[storage] for storage in part.storage.tolist()]


@pytest.mark.slow
@given(plain_rows())
def test_every_dive_finds_the_least_extent_and_proves_that_there_is_no_lower_one(rows):
    posed = problem(rows, length=LENGTH)
    for part in parts_of(posed):
        least, state = least_extent(own_rows(rows, part)), new_state(part)
        for dive in dives_of(posed, part):
            assert standing(part, dive, least, state) == FOUND
            assert int((state.place + part.size).max()) <= least
            assert standing(part, dive, least - 1, state) == EXHAUSTED


@pytest.mark.slow
@given(plain_rows())
def test_without_room_for_lists_of_stretches_proofs_are_the_same(rows):
    posed = problem(rows, length=LENGTH)
    for part in parts_of(posed):
        state = new_state(part)
        state = state._replace(members=np.zeros(len(part.size), dtype=np.int64))
        least = least_extent(own_rows(rows, part))
        for dive in dives_of(posed, part):
            assert standing(part, dive, least, state) == FOUND
            assert standing(part, dive, least - 1, state) == EXHAUSTED


@pytest.mark.parametrize("seed", range(6))
def test_dives_agree_about_problems_with_many_stretches(seed):
    draw = np.random.default_rng(seed)
    start = draw.integers(0, 24, 18)
    lives = zip(
        start.tolist(),
        (start + draw.integers(1, 9, 18)).tolist(),
        draw.integers(1, 9, 18).tolist(),
        strict=True,
    )
    posed = problem(
        [
            block(f"b{at}", *life, size=size, alignment=None)
            for at, (*life, size) in enumerate(lives)
        ],
        length=33,
    )
    least = search(posed, Question(effort=ENOUGH)).extent
    extents = []
    for part in parts_of(posed):
        dives = dives_of(posed, part)
        bound = int(np.bincount(part.use_section, part.use_size).max())
        verdicts = [
            [standing(part, dive, aim) for dive in dives] for aim in range(bound, least + 1)
        ]
        assert all(len(set(found)) == 1 for found in verdicts)
        extents.append(next(aim for aim, found in enumerate(verdicts, bound) if found[0] == FOUND))
    assert max(extents) == least


class TestTurns:
    @pytest.fixture
    def posed(self):
        lives = [(at % 5, at % 5 + 1 + at % 3, 3 + at % 4) for at in range(20)]
        return problem(
            [block(start=start, end=end, size=size, alignment=None) for start, end, size in lives],
            length=8,
        )

    @pytest.fixture
    def part(self, posed):
        (part,) = parts_of(posed)
        return part

    def test_each_order_is_taken_sorted_again_and_throughout_before_chance_changes_any(
        self, posed, part
    ):
        one, other = dives_of(posed, part, seed=1), dives_of(posed, part, seed=2)
        first = 2 * len(SEARCHED)
        for left, right in zip(one[:first], other[:first], strict=True):
            assert left.order.tolist() == right.order.tolist()
        assert [dive.load_at == NOBODY for dive in one[:first]] == [False] * len(SEARCHED) + [
            True
        ] * len(SEARCHED)
        assert any(
            a.order.tolist() != b.order.tolist()
            for a, b in zip(one[first:], other[first:], strict=True)
        )

    def test_equal_seeds_draw_equal_dives(self, posed, part):
        one, other = (dives_of(posed, part, 3 * ROUND, seed=4) for _ in range(2))
        assert [dive.order.tolist() for dive in one] == [dive.order.tolist() for dive in other]
        assert all((a.keys == b.keys).all() for a, b in zip(one, other, strict=True))

    def test_budgets_double_and_most_of_what_chance_changes_stays_short(self, posed, part):
        orders = len(SEARCHED)
        doublings = [dive.doublings for dive in dives_of(posed, part, 12 * orders)]
        first, second = doublings[: 5 * orders], doublings[5 * orders :]
        assert set(first) == {0}
        assert set(second[: 2 * orders]) == {1}
        assert (second.count(1), second.count(0)) == (3 * orders, 4 * orders)

    def test_blocks_of_one_kind_are_disturbed_alike(self, posed, part):
        for dive in dives_of(posed, part):
            for kind in np.unique(part.kind):
                alike = np.flatnonzero(part.kind == kind)
                assert (dive.keys[alike] == dive.keys[alike[0]]).all()
                assert (dive.load_factor[alike] == dive.load_factor[alike[0]]).all()
