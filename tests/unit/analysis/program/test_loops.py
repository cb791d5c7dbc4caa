"""Loops of basic blocks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.program.loops import innermost_loops, walk_blocks


@pytest.mark.parametrize(
    ("count", "edges", "loops"),
    [
        (1, [], []),
        (1, [(0, 0)], [{0}]),
        (3, [(0, 1), (1, 1), (1, 2)], [{1}]),
        (4, [(0, 1), (1, 2), (2, 1), (2, 3), (3, 0)], [{1, 2}]),
        (4, [(0, 1), (1, 2), (2, 0), (0, 3)], [{0, 1, 2}]),
        # entered in its middle: what leads there is no part of it
        (5, [(0, 2), (1, 2), (2, 3), (3, 1), (3, 4)], [{1, 2, 3}]),
        (3, [(1, 2), (2, 1)], [{1, 2}]),
        (2, [(0, 7), (9, 1)], []),
    ],
)
def test_innermost_loops(count, edges, loops):
    assert innermost_loops(range(count), edges) == [frozenset(loop) for loop in loops]


@given(
    st.integers(1, 12).flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.tuples(*[st.integers(0, n - 1)] * 2)))
    )
)
def test_without_jumps_back_every_block_comes_after_what_leads_to_it(drawn):
    count, edges = drawn
    order, back = walk_blocks(range(count), edges)
    place = {block: rank for rank, block in enumerate(order)}
    assert sorted(order) == list(range(count))
    assert all(
        place[source] < place[target] for source, target in edges if (source, target) not in back
    )
    assert all(place[target] <= place[source] for source, target in back)
