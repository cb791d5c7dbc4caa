"""Attempts with other blocks, lives and rules: what is changed, what is refused, and that placements stay sound."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.allocators.placement import Question
from analysis.allocators.problem import build_problem
from analysis.allocators.strategies import STRATEGIES
from analysis.allocators.what_if import (
    APART,
    POSSIBLE,
    STORED,
    Changes,
    apply_changes,
    can_spill,
    spilled_bytes,
)
from tests.support.memory import amap, block, constant
from tests.support.placements import LENGTH, faults, placed, problems


def rows_of(posed):
    """Return the blocks of a map as the checks of placements take them, aliases by their position."""
    blocks = posed.blocks
    rank = {number: at for at, number in enumerate(blocks["block"].tolist())}
    rows = blocks.astype(object).where(blocks.notna(), None).to_dict("records")
    return [row | {"alias_of": rank.get(row["alias_of"])} for row in rows]


def extent_of(shown, changes):
    """Return the least extent that the first strategies find, with the changes."""
    posed = build_problem(apply_changes(shown, changes))
    return STRATEGIES["search"].allocate(posed, Question(effort=2_000), None).extent


@st.composite
def asked(draw):
    rows = draw(problems())
    ranks = st.lists(st.integers(0, len(rows) - 1), unique=True, max_size=3)
    shown = amap(rows, length=LENGTH)
    spilled = [rank for rank in draw(ranks) if can_spill(shown, rank)]
    sizes = tuple((rank, draw(st.integers(0, 12))) for rank in draw(ranks))
    rules = (
        st.sampled_from([None, 1, 4, 16]),
        st.sampled_from([STORED, APART]),
        st.sampled_from([APART, POSSIBLE]),
    )
    alignment, aliases, in_place = map(draw, rules)
    return shown, Changes(alignment, aliases, in_place, tuple(draw(ranks)), sizes, tuple(spilled))


class TestAnyChange:
    @pytest.mark.slow
    @given(asked(), st.sampled_from(sorted(STRATEGIES)))
    def test_no_byte_is_used_twice_and_nothing_is_below_the_bound(self, question, name):
        shown, changes = question
        posed = apply_changes(shown, changes)
        problem = build_problem(posed)
        answer = STRATEGIES[name].allocate(problem, Question(effort=300), None)
        where = placed(problem, answer)
        by_rank = [where[number] for number in posed.blocks["block"].tolist()]
        wrong, highest = faults(rows_of(posed), by_rank, length=posed.length)
        assert not wrong
        assert highest == answer.extent >= answer.bound

    @pytest.mark.slow
    @given(asked())
    def test_what_is_dropped_is_gone_and_all_else_keeps_its_number(self, question):
        shown, changes = question
        left = apply_changes(shown, changes).blocks["block"].tolist()
        assert left == [
            number for number in shown.blocks["block"].tolist() if number not in changes.dropped
        ]


def test_nothing_changed_is_the_map_itself():
    shown = amap([block("a", 0, 2, size=4)])
    assert apply_changes(shown, Changes()) is shown


def test_sizes_drops_and_alignment_show_in_the_extent():
    shown = amap([block("a", 0, 2, size=30), block("b", 0, 2, size=20), block("c", 0, 1, size=10)])
    assert extent_of(shown, Changes()) == 60
    assert extent_of(shown, Changes(sizes=((0, 10),))) == 40
    assert extent_of(shown, Changes(dropped=(1,))) == 40
    assert extent_of(shown, Changes(alignment=32)) == 74


def test_a_spilled_block_leaves_room_between_its_steps_and_is_counted_twice():
    shown = amap([block("kept", 0, 6, size=30), block("x", 2, 4, size=30)])
    changes = Changes(spilled=(0,))
    assert extent_of(shown, Changes()) == 60
    assert extent_of(shown, changes) == 30
    assert spilled_bytes(shown, changes) == 60
    assert spilled_bytes(shown, Changes(spilled=(0,), sizes=((0, 8),))) == 16


def test_views_may_have_bytes_of_their_own():
    shown = amap(
        [block("a", 0, 3, size=30), block("v", 1, 4, size=30, alias_of=0, status="shared")]
    )
    assert (extent_of(shown, Changes()), extent_of(shown, Changes(aliases=APART))) == (30, 60)


def test_an_output_takes_over_what_ends_in_its_first_step():
    shown = amap([block("a", 0, 3, size=30), block("b", 2, 5, size=20), block("c", 2, 5, size=10)])
    posed = apply_changes(shown, Changes(in_place=POSSIBLE))
    # The larger output has it; the other one has to lie apart.
    assert posed.blocks["alias_of"].astype(object).where(
        posed.blocks["alias_of"].notna(), None
    ).tolist() == [None, 0, None]
    assert extent_of(shown, Changes(in_place=POSSIBLE)) == 40


@pytest.mark.parametrize("in_place", [STORED, POSSIBLE])
def test_more_pairs_in_a_step_than_can_be_looked_at_are_refused(in_place):
    rows = [block(f"a{at}", 0, 3) for at in range(1_100)] + [
        block(f"b{at}", 2, 5) for at in range(1_100)
    ]
    with pytest.raises(ValueError, match="1210000 pairs"):
        apply_changes(amap(rows), Changes(in_place=in_place))


def test_only_stored_pairs_are_taken_over_where_that_is_asked_for():
    shown = amap(
        [block("a", 0, 3, 0, size=30), block("b", 2, 5, 0, size=30), block("c", 4, 6, 64, size=30)]
    )
    posed = apply_changes(shown, Changes(in_place=STORED))
    assert posed.blocks["alias_of"].notna().tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (Changes(dropped=(9,)), "has no block 9"),
        (Changes(sizes=((0, 5),)), "block 0 is a constant"),
        (Changes(sizes=((1, 2**63),)), "a size must be a number"),
        (Changes(spilled=(1,)), "block 1 cannot be spilled"),
        (Changes(alignment=3), "a power of two"),
    ],
)
def test_what_cannot_be_is_said(changes, why):
    shown = amap([constant("c", size=8), block("a", 0, 2, size=4), block("b", 0, 4, size=4)])
    with pytest.raises(ValueError, match=why):
        apply_changes(shown, changes)


def test_what_wraps_is_held_or_has_gaps_is_not_spilled():
    rows = [
        block("short", 0, 2), block("long", 0, 5), block("wraps", 4, 1, wraps=True),
        block("held", 0, 5, hold=True), block("gaps", 0, 5, gaps="2-3"),
    ]  # fmt: skip
    shown = amap(rows)
    assert [can_spill(shown, row) for row in range(len(rows))] == [False, True, False, False, False]
    assert pd.notna(shown.whole("steps"))
