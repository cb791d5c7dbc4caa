import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.pages.runs.state import CAPTURE, FACETS, RunsState, make, parse
from components.runs.runs_grid import COLUMN_NAMES

text = st.text(max_size=30)
numbers = st.floats(allow_nan=True, allow_infinity=True)
ranges = st.none() | st.tuples(numbers, numbers)
# A lone surrogate cannot be in a URL; parse replaces it.
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
states = st.builds(
    make,
    facets=st.dictionaries(st.sampled_from(FACETS), st.lists(words, max_size=4)),
    q=words,
    sort=st.sampled_from(["-created_at", "name", "-gmacs_mean", "not a column!"]),
    size=ranges,
    rate=ranges,
    capture=st.dictionaries(
        st.sampled_from(CAPTURE), st.sampled_from(["", "4f2a", "2026-11-23"]) | words
    ),
    columns=st.lists(st.sampled_from([*COLUMN_NAMES, "name", "no column"]), max_size=5),
    grouped=st.booleans(),
)


@given(states)
def test_a_state_survives_its_query(state: RunsState):
    assert parse(state.query()) == state


@given(text)
def test_any_query_has_one_canonical_form(query: str):
    canonical = parse(query).query()
    assert parse(canonical).query() == canonical


def test_one_capture_fits_branch_commit_and_days_of_which_the_last_is_whole():
    capture = parse(
        "branch=main&commit=4f2a&since=2026-11-01&until=2026-11-23&grid=4x4&m=32"
    ).fits.capture
    assert (capture.branch, capture.commit) == (("main",), "4f2a")
    assert capture.since <= "2026-11-01T00:00:00+00:00"
    assert "2026-11-23T23:59:59" <= capture.until < "2026-11-24"


def test_the_default_is_an_empty_query():
    assert RunsState().query() == ""
    assert parse("") == RunsState()


def test_a_query_reads_as_people_write_it():
    state = parse("?N=64&hwid=npu2&hwid=npu1&M=256&q=best+one&sort=-gmacs_mean&size=100,2e6&page=7")
    assert state.hwid == ("npu1", "npu2")
    assert state.q == "best one"
    assert state.size == (100.0, 2e6)
    assert (
        state.query()
        == "hwid=npu1&hwid=npu2&M=256&N=64&q=best+one&sort=-gmacs_mean&size=100,2000000"
    )


@pytest.mark.parametrize(
    "bad",
    [
        "size=2,1",
        "size=1,٢",
        "size=1,2_0",
        "size=1,2,3",
        "size=a,b",
        "size=1",
        "rate=nan,2",
        "rate=0,inf",
        "sort=;drop",
        "since=2026-02-30",
        "since=7d",
        "until=20261123",
        "commit=a+b",
        "x=1",
    ],
)
def test_what_is_malformed_is_passed_over(bad: str):
    assert parse(bad) == RunsState()


def test_a_range_never_loses_the_point_it_was_drawn_around():
    span = make({}, rate=(604.123456789, 604.123456789)).rate
    assert span is not None
    assert span[0] <= 604.123456789 <= span[1]


def test_columns_and_groups_are_in_the_query_in_one_order():
    state = parse("columns=health,M,nonsense&grouped=1")
    assert (state.columns, state.grouped) == (("M", "health"), True)
    assert state.query() == "columns=M,health&grouped=1"
    assert parse("grouped=yes") == RunsState()
