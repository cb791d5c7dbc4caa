import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.minimalloc.gaps import half_open_gaps


def read(*cells, start=0, end=100, inclusive=False):
    bounds = (np.full(len(cells), value, dtype=np.int64) for value in (start, end))
    text, bad = half_open_gaps(pa.array(cells, pa.string()), *bounds, inclusive)
    return text.tolist(), bad.tolist()


def test_spans_and_windows_are_kept():
    assert read("4-6 9-12", "", "4-6@0:64 8-9") == (["4-6 9-12", "", "4-6@0:64 8-9"], [False] * 3)


def test_an_inclusive_end_becomes_exclusive_and_a_window_stays():
    assert read("4-5  9-11@0:64 ", inclusive=True) == (["4-6 9-12@0:64"], [False])


def test_one_step_that_is_counted_in_is_a_span():
    assert read("4-4", inclusive=True) == (["4-5"], [False])
    assert read("4-4") == ([""], [True])


@pytest.mark.parametrize(
    "cell", ["4", "4-", "a-b", "6-4", "-1-3", "4-6@", "4-6@1", "4-6;8-9", "9" * 30 + "-" + "9" * 31]
)
def test_what_is_no_span_costs_the_gaps_of_its_row(cell):
    assert read("1-2", f"{cell} 8-9", "3-4") == (["1-2", "", "3-4"], [False, True, False])


def test_a_span_lies_within_the_lifetime():
    assert read("4-6", start=5) == ([""], [True])
    assert read("4-6", end=5) == ([""], [True])
    assert read("4-6", start=4, end=6) == (["4-6"], [False])


def test_no_rows_are_no_gaps():
    assert read() == ([], [])


SPAN = st.tuples(st.integers(0, 99), st.integers(1, 10), st.booleans())


@given(rows=st.lists(st.lists(SPAN, max_size=3), max_size=5), inclusive=st.booleans())
def test_what_is_written_is_read(rows, inclusive):
    def written(span, addend):
        low, length, window = span
        return f"{low}-{low + length + addend}" + ("@8:16" if window else "")

    cells = [" ".join(written(span, -1 if inclusive else 0) for span in row) for row in rows]
    expected = [" ".join(written(span, 0) for span in row) for row in rows]
    assert read(*cells, end=200, inclusive=inclusive) == (expected, [False] * len(rows))


@given(cells=st.lists(st.text(max_size=20), max_size=5))
def test_any_text_is_gaps_or_none(cells):
    text, bad = read(*cells)
    assert all(not gaps for gaps, none in zip(text, bad, strict=True) if none)
