"""The name with the most busy time in ranges of intervals, beside a count in plain Python."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.timeline import largest_names as module
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.largest_names import largest_names

NAMES = [*"abcdefgh"]
intervals = st.lists(
    st.tuples(st.integers(0, 2), st.integers(-1, 5), st.integers(0, 9)), min_size=1, max_size=80
)
"""Steps to the next start, codes of names (-1: no name), and lengths."""


def index_of(steps: list[tuple[int, int, int]]) -> LaneIndex:
    gap, code, length = np.array(steps, np.int64).T
    start = np.cumsum(gap + np.append(0, length[:-1]))
    one = pd.Categorical(["lane"] * len(steps))
    names = pd.Categorical.from_codes(code, categories=NAMES)
    return LaneIndex.of_events(
        pd.DataFrame(
            {"track": one, "lane": one, "name": names, "start": start, "end": start + length}
        )
    )


def counted(index: LaneIndex, first: int, last: int) -> tuple[int, int]:
    """Return code and ticks of the largest name of a range, one interval after the other."""
    ticks: Counter[int] = Counter()
    for at in range(first, last):
        ticks[int(index.code[at])] += int(index.end[at] - index.start[at])
    most = max(ticks.values())
    return min(code for code, sum_ in ticks.items() if sum_ == most), most


@pytest.mark.parametrize("cells", [0, 100], ids=["by sorting", "by table"])
@pytest.mark.parametrize("chunk", [4, 1000])
@given(steps=intervals, data=st.data())
def test_the_largest_name_is_that_of_a_count(
    cells: int, chunk: int, steps: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    index = index_of(steps)
    count = len(index)
    cuts = sorted({0, count, *data.draw(st.lists(st.integers(0, count), max_size=12))})
    pairs = [*pairwise(cuts)]
    ranges = [pair for pair in pairs if data.draw(st.booleans())] or pairs
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK", chunk)
        patch.setattr(module, "_MAX_CELLS_PER_INTERVAL", cells)
        first, last = np.array(ranges, np.int64).T
        code, ticks = largest_names(index, first, last)
    for at, (begin, end) in enumerate(ranges):
        wanted, most = counted(index, begin, end)
        assert ticks[at] == most
        assert code[at] == (wanted if most else index.code[begin])


def test_equal_shares_have_the_first_name() -> None:
    index = index_of([(0, 3, 5), (0, 1, 2), (0, 1, 3)])
    code, ticks = largest_names(index, np.array([0]), np.array([3]))
    assert (code.tolist(), ticks.tolist()) == ([1], [5])
