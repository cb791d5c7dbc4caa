"""The view state of a comparison as a query string: both ways, and what of a query is passed over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.views.comparison.registry import CHOICES, parse
from app.views.comparison.state import Chosen, CompareState, clear_part, toggle_part
from app.views.state import OVERRIDES
from schema.comparison import COMPARED, MAX_RUNS
from services.comparison.thresholds import MAX_PERCENT

IDS = st.lists(
    st.text("0123456789abcdefXYZ_-", min_size=1, max_size=64), max_size=5, unique=True
).map(tuple)
NAMES = st.just("") | st.text(st.characters(codec="utf-8"), max_size=60)
WORDS = NAMES.map(lambda text: " ".join(text.split()))
WHOLE = st.none() | st.integers(0, 10**18 - 1)
RANGES = st.none() | st.tuples(*[st.integers(-(2**61), 2**61)] * 2).filter(
    lambda r: r[0] != r[1]
).map(lambda r: (min(r), max(r)))
GIVEN = st.fixed_dictionaries(
    {},
    optional={
        "clock_hz": st.sampled_from(["1.25GHz", "1800000000", "2e9"]),
        "warmup": st.integers(0, 99).map(str),
        "mac_dtype": st.sampled_from(["bf16", "int8"]),
    },
).map(lambda found: tuple((key, found[key]) for key in OVERRIDES if key in found))
PERCENTS = st.integers(0, MAX_PERCENT * 10**6).map(lambda millionths: millionths / 10**6)
THRESHOLDS = st.dictionaries(st.sampled_from(sorted(COMPARED)), PERCENTS).map(
    lambda found: tuple(sorted(found.items()))
)
STATES = st.builds(
    CompareState,
    base=IDS,
    new=IDS,
    against=st.sampled_from(["", "previous", "baseline"]),
    shown=st.just("") | st.text("0123456789abcdef", min_size=1, max_size=64),
    together=st.booleans(),
    settings=st.tuples(GIVEN, GIVEN),
    thresholds=THRESHOLDS,
    selection=st.builds(
        Chosen,
        track=NAMES,
        iteration=WHOLE,
        kernel=NAMES,
        attempt=NAMES,
        block=WHOLE,
        window=RANGES,
        span=RANGES,
    ),
    chosen=st.fixed_dictionaries(
        {}, optional={name: st.sampled_from(known[1:]) for name, known in sorted(CHOICES.items())}
    ),
)


@given(STATES)
def test_every_state_survives_the_address(state):
    assert parse(state.query()) == state


@given(STATES, WORDS.filter(bool))
def test_a_baseline_stands_in_place_of_the_runs_of_the_base(state, name):
    query = f"{state.query()}&{CompareState(baseline=name).query()}"
    found = parse(query)
    assert (found.base, found.baseline) == ((), name)
    assert parse(found.query()) == found


@given(st.text())
def test_any_text_is_a_state(text):
    state = parse(text)
    assert parse(state.query()) == state


KEYS = st.sampled_from(
    [*CompareState().__dict__, *Chosen().__dict__, "base.clock_hz", "new.m", "threshold", "nothing"]
)


@given(st.lists(st.tuples(KEYS, st.text(st.characters(codec="utf-8"), max_size=30)), max_size=8))
def test_any_values_are_a_state(pairs):
    state = parse("&".join(f"{key}={value}" for key, value in pairs))
    assert parse("?" + state.query()).query() == state.query()


@pytest.mark.parametrize("percent", ["0.00001", "12.123456", "999999.5", "1000000"])
def test_a_threshold_is_kept_as_it_was_given(percent):
    state = parse(f"threshold=gmacs_mean:{percent}")
    assert state.thresholds == (("gmacs_mean", float(percent)),)
    assert parse(state.query()) == state


def test_the_default_state_has_no_query():
    assert CompareState().query() == ""


def test_a_link_reads_like_its_view():
    query = "base=a&new=b&new=c&shown=c&base.clock_hz=1GHz&new.m=32&threshold=gmacs_mean:3.5&track=core+2,1&window=5-90"
    state = parse(query)
    assert state.query() == query
    assert state.settings == ((("clock_hz", "1GHz"),), (("m", "32"),))
    assert (state.each, state.focus, state.selects_nothing) == (True, "c", False)
    question = state.question
    assert (question.base, question.new, question.thresholds) == (
        ("a",),
        ("b", "c"),
        (("gmacs_mean", 0.035),),
    )


@pytest.mark.parametrize(
    "part",
    [
        "nothing=1",
        "base=../../etc",
        "base=a%2Fb",
        f"new={'a' * 65}",
        "base=%3Cb%3E",
        "iteration=-1",
        "iteration=٣",
        f"block={'9' * 19}",
        "block=1.5",
        "window=9-3",
        "span=a-b",
        "threshold=gmacs_mean",
        "threshold=none:3",
        "threshold=gmacs_mean:-1",
        "threshold=gmacs_mean:nan",
        "threshold=gmacs_mean:1e3",
        "threshold=gmacs_mean:1000001",
        "base.clock_hz=fast",
        "new.hwid=npu1",
        "other.clock_hz=1GHz",
        "clock_hz=1GHz",
        "setup=tidy",
        "align=part",
        "against=nobody",
        "shown=%00",
        "together=yes",
        "%ff=%fe",
        "&&=&",
    ],
)
def test_what_is_unknown_or_malformed_is_passed_over(part):
    assert parse(part) == CompareState()


def test_runs_are_named_once_and_there_are_not_too_many():
    assert parse("base=a&base=b&base=a").base == ("a", "b")
    asked = [f"new=r{rank}" for rank in range(500)]
    assert len(parse("&".join(asked[:MAX_RUNS])).new) == MAX_RUNS
    assert len(parse("&".join(asked)).new) == MAX_RUNS + 1, "enough to be refused"


def test_several_new_runs_stand_side_by_side_unless_they_are_a_group():
    assert not parse("base=a&new=b").each
    assert parse("base=a&new=b&new=c").each
    assert not parse("base=a&new=b&new=c&together=1").each
    assert parse("base=a&new=b&new=c&shown=other").focus == "b"


def test_what_is_selected_is_cleared_in_parts_and_as_a_whole():
    state = parse("base=a&new=b&setup=all").selecting(track="core 2,0", iteration=3)
    assert toggle_part(state, "track", "core 2,0").selection == Chosen(iteration=3)
    assert toggle_part(state, "track", "core 3,0").selection == Chosen("core 3,0", 3)
    assert clear_part(state, "iteration").selection == Chosen("core 2,0")
    emptied = clear_part(state, "all")
    assert emptied.selects_nothing
    assert (emptied.base, emptied.chosen) == (state.base, {"setup": "all"})
