import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.memory import sweep as memory_sweep
from analysis.memory.sweep import highest, pairs_by_address, sweep

CELLS, TOP = 9, 40


@st.composite
def parts(draw):
    """Return (first, last, low, high) of a few parts."""
    rows = draw(
        st.lists(
            st.tuples(
                st.integers(0, CELLS - 1),
                st.integers(1, 5),
                st.integers(0, TOP),
                st.integers(1, 12),
            ),
            max_size=12,
        )
    )
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return (
        columns[0],
        np.minimum(columns[0] + columns[1], CELLS),
        columns[2],
        columns[2] + columns[3],
    )


def covered(rows, cell, ceiling):
    """Return which bytes of a cell are covered, up to what is needed."""
    used = np.zeros(max(ceiling, TOP + 20), dtype=bool)
    for begin, end, bottom, top in zip(*rows, strict=True):
        if begin <= cell < end:
            used[bottom:top] = True
    return used


def runs(free):
    """Return the lengths of the runs of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], free.astype(int), [0]])))
    return list(edges[1::2] - edges[::2])


def sharing(first, last, low, high):
    """Return every pair of parts that overlap in time and address."""
    found = set()
    for one in range(len(first)):
        for other in range(one):
            in_time = max(first[one], first[other]) < min(last[one], last[other])
            if in_time and max(low[one], low[other]) < min(high[one], high[other]):
                found.add(frozenset((one, other)))
    return found


@given(parts(), st.integers(0, 60))
def test_a_sweep_tells_what_counting_bytes_tells(rows, ceiling):
    made = sweep(*rows, np.full(CELLS, ceiling))
    for cell in range(CELLS):
        used = covered(rows, cell, ceiling)
        assert made.covered[cell] == used.sum()
        gaps = runs(~used[:ceiling])
        assert made.free[cell] == sum(gaps)
        assert made.largest[cell] == max(gaps, default=0)
        whole = np.nan if not gaps else 1 - max(gaps) / sum(gaps)
        assert made.fragmentation[cell] == pytest.approx(whole, nan_ok=True)


@given(parts())
def test_pairs_are_true_and_leave_no_clash_unseen(rows):
    first, last, *_ = rows
    truth = sharing(*rows)
    swept = sweep(*rows, np.full(CELLS, TOP)).pairs
    for pairs in (swept, pairs_by_address(*rows, np.zeros(len(first), dtype=np.int64))):
        told = {frozenset(pair) for pair in pairs[:2].T.tolist()}
        assert told <= truth
        assert bool(told) == bool(truth)
        for one, other, cell in pairs.T:
            assert max(first[one], first[other]) <= cell < min(last[one], last[other])


def test_parts_of_different_owners_share_nothing():
    first, last = np.array([0, 1]), np.array([1, 2])
    low, high = np.array([0, 0]), np.array([8, 8])
    assert not pairs_by_address(first, last, low, high, np.array([0, 1])).size


@given(parts())
def test_the_highest_end_of_every_cell(rows):
    first, last, _, high = rows
    wanted = [max(high[(first <= cell) & (cell < last)], default=0) for cell in range(CELLS)]
    assert highest(first, last, high, CELLS).tolist() == wanted


@given(parts())
def test_where_there_is_too_much_some_cells_are_looked_at(rows):
    whole = sweep(*rows, np.full(CELLS, TOP))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory_sweep, "MIN_ENTRIES", 4)
        patch.setattr(memory_sweep, "_ENTRIES_PER_PART", 0)
        made = sweep(*rows, np.full(CELLS, TOP))
    assert made.looked[0]
    assert (made.covered[made.looked] == whole.covered[made.looked]).all()
    assert (made.free[made.looked] == whole.free[made.looked]).all()
    assert not made.covered[~made.looked].any()
    assert np.isnan(made.fragmentation[~made.looked]).all()


def test_too_many_addresses_are_not_looked_for(monkeypatch):
    monkeypatch.setattr(memory_sweep, "_PAIR_ENTRIES", 1)
    whole = np.array([0, 0]), np.array([1, 1]), np.array([0, 0]), np.array([8, 8]), np.array([0, 0])
    assert pairs_by_address(*whole) is None


def test_a_map_that_is_all_overlaps_keeps_some_pairs():
    count = 50
    same = np.zeros(count, dtype=np.int64)
    made = sweep(same, same + 1, np.arange(count), np.arange(count) + 1000, np.array([4000]))
    assert 0 < made.pairs.shape[1] <= 8 * count


def test_addresses_near_the_end_of_int64_are_exact():
    high = 2**62 + 2**61
    made = sweep(*(np.array([n]) for n in (0, 1, 2**62, high)), np.array([2**63 - 1]))
    assert made.covered[0] == 2**61
    assert made.largest[0] == 2**62
    assert made.free[0] == 2**62 + (2**63 - 1 - high)


@given(parts())
def test_long_lists_come_in_pieces_that_change_nothing(rows):
    whole = sweep(*rows, np.full(CELLS, TOP))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("analysis.memory.entries._CHUNK", 2)
        made = sweep(*rows, np.full(CELLS, TOP))
    assert (made.covered == whole.covered).all()
    assert (made.largest == whole.largest).all()
    assert {tuple(pair) for pair in made.pairs[:2].T.tolist()} == {
        tuple(pair) for pair in whole.pairs[:2].T.tolist()
    }
