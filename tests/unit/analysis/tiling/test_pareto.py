import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analysis.tiling.pareto import front, spread_rows

PAIRS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=1, max_size=30)


@given(PAIRS)
def test_the_front_is_what_no_pair_beats(pairs):
    first, second = (np.array(column) for column in zip(*pairs, strict=True))
    beaten = [any(a <= x and b <= y and (a, b) != (x, y) for a, b in pairs) for x, y in pairs]
    assert front(first, second).tolist() == [not one for one in beaten]


@given(PAIRS, st.integers(1, 40))
def test_spread_keeps_the_front_and_no_more_than_asked(pairs, most):
    first, second = (np.array(column) for column in zip(*pairs, strict=True))
    best = front(first, second)
    kept = spread_rows(first, best, most)
    assert kept == sorted(set(kept)) and len(kept) <= most
    assert set(np.flatnonzero(best)[:most]) <= set(kept)
    assert len(kept) == min(most, len(pairs)) or most >= len(pairs)
