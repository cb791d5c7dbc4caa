import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.pages.trends.state import ANY, TrendsState, make, parse
from schema.metrics import METRICS
from services.trends.trends import FILTERS

# A lone surrogate cannot be in a URL; parse replaces it.
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
values = words | st.none() | st.just(ANY)
chosen = st.fixed_dictionaries(
    {},
    optional={
        "metric": st.sampled_from([*METRICS, "no metric", ""]) | st.none(),
        "by": st.sampled_from(["time", "order", "commit", "size"]) | st.none(),
        **dict.fromkeys((*FILTERS, "q", "rule"), values),
    },
)


@given(st.builds(make, chosen))
def test_a_state_survives_its_query(state: TrendsState):
    assert parse(state.query()) == state


@given(st.text(max_size=60))
def test_any_query_has_one_canonical_form(query: str):
    canonical = parse(query).query()
    assert parse(canonical).query() == canonical


def test_the_default_is_an_empty_query():
    assert TrendsState().query() == ""
    assert parse("?metric=gmacs_mean&by=time&hwid=*") == parse("") == TrendsState()


def test_a_query_reads_as_people_write_it():
    state = parse("?M=256&hwid=npu2&tag=nightly&by=commit&metric=peak_memory&page=7")
    assert state.filters == {
        "source": "",
        "hwid": "npu2",
        "M": "256",
        "K": "",
        "N": "",
        "tag": "nightly",
    }
    assert state.query() == "metric=peak_memory&by=commit&hwid=npu2&M=256&tag=nightly"


@pytest.mark.parametrize("bad", ["metric=none", "by=size", "x=1", "%ff", "="])
def test_what_is_malformed_is_passed_over(bad: str):
    assert parse(bad) == TrendsState()
