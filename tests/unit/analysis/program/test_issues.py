"""How often instructions were issued, and the loop that issued most."""

from itertools import pairwise

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from analysis.program.issues import count_issues, hottest_loop, issues_by_pc

ISSUED = pd.DataFrame({"trace": [0, 0, 0, 1, 1, 2], "pc": pd.array([0, 4, 4, 4, None, 8], "Int64")})
BLOCKS = pd.DataFrame({"block": [0, 1, 2], "start": [0, 4, 8], "end": [4, 8, 12]})
LOOPS = [frozenset({1}), frozenset({2})]


def test_instructions_are_counted_over_the_traces_of_a_program():
    assert issues_by_pc(ISSUED, [0, 1]).to_dict() == {4: 3, 0: 1}
    assert len(issues_by_pc(ISSUED, [])) == 0


def test_the_hottest_loop_is_the_one_that_issued_most():
    issued = issues_by_pc(ISSUED, [0, 1, 2])
    assert hottest_loop(LOOPS, BLOCKS, issued) == {1}
    assert count_issues(BLOCKS, issued, {1, 2}) == 4


def test_without_issues_or_loops_none_is_hottest():
    assert hottest_loop(LOOPS, BLOCKS, issues_by_pc(ISSUED, [])) == frozenset()
    assert hottest_loop([], BLOCKS, issues_by_pc(ISSUED, [0])) == frozenset()


@given(
    st.lists(st.integers(0, 12), min_size=2, unique=True).map(sorted),
    st.lists(st.integers(-2, 15)),
    st.randoms(),
)
def test_an_instruction_counts_for_the_block_that_has_its_address(ends, pcs, random):
    spans = [*pairwise(ends), (ends[0], ends[0])]
    random.shuffle(spans)
    del spans[len(spans) // 2 :]
    blocks = pd.DataFrame(
        {"block": range(len(spans)), "start": [a for a, _ in spans], "end": [b for _, b in spans]}
    )
    issued = issues_by_pc(pd.DataFrame({"trace": 0, "pc": pd.array(pcs, "Int64")}), [0])
    counts = [sum(start <= pc < end for pc in pcs) for start, end in spans]
    assert [count_issues(blocks, issued, {block}) for block in blocks["block"]] == counts
    hottest = hottest_loop([frozenset({block}) for block in blocks["block"]], blocks, issued)
    assert sum(counts[block] for block in hottest) == max(counts, default=0)


def test_blocks_without_a_loop_are_not_counted():
    assert hottest_loop([], pd.DataFrame(), issues_by_pc(ISSUED, [0])) == frozenset()
