from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.memory.selection import MemorySelection
from analysis.selection import Selection
from app.views.address.selections import ViewSelections
from app.views.kernels.selection import CounterSelection
from app.views.registry import CHOICES, parse
from app.views.state import OVERRIDES, RunState, overridden
from app.views.tiling.selection import TilingSelection

TICKS = st.integers(-(2**61), 2**61)
RANGES = st.none() | st.tuples(TICKS, TICKS).filter(lambda r: r[0] != r[1]).map(
    lambda r: (min(r), max(r))
)
WORDS = st.text(st.characters(codec="utf-8"), max_size=60).map(lambda text: " ".join(text.split()))
NAMES = st.none() | st.text(st.characters(codec="utf-8"), min_size=1, max_size=60)
STATES = st.builds(
    RunState,
    method=st.sampled_from(["robust", "reference"]),
    overrides=st.fixed_dictionaries(
        {},
        optional={
            "clock_hz": st.sampled_from(["1.25GHz", "1800000000", "2e9"]),
            "warmup": st.integers(0, 99).map(str),
            "m": st.integers(1, 99).map(str),
            "mac_dtype": st.sampled_from(["bf16", "int8"]),
        },
    ),
    selection=st.builds(
        Selection,
        track=NAMES,
        iteration=st.none() | st.integers(0, 10**9 - 1),
        window=RANGES,
        duration=RANGES,
        kind=NAMES,
    ),
    memory=st.builds(
        MemorySelection,
        **{
            key: st.none() | st.integers(0, 10**9 - 1)
            for key in ("attempt", "against", "block", "bank", "step")
        },
        span=RANGES,
        addresses=RANGES,
    ),
    find=WORDS,
    view_selections=st.builds(
        lambda *records: ViewSelections().with_records(records),
        st.builds(CounterSelection, WORDS),
        st.builds(
            TilingSelection,
            operator=st.none() | st.integers(0, 10**9 - 1),
            l1=st.just("") | st.integers(1, 99_999).map(str),
        ),
    ),
    table=st.sampled_from(
        ["", "attempts", "occupancy", "iterations", "kernels", "activity", "diagnostics"]
    ),
    chosen=st.fixed_dictionaries(
        {}, optional={name: st.sampled_from(known[1:]) for name, known in sorted(CHOICES.items())}
    ),
)


@given(STATES)
def test_every_state_survives_the_address(state):
    assert parse(state.query()) == state


@given(STATES)
def test_equal_states_have_equal_addresses(state):
    assert parse("?" + state.query()).query() == state.query()


@given(st.text())
def test_any_text_is_a_state(text):
    state = parse(text)
    assert parse(state.query()) == state


def test_the_default_state_has_no_query():
    assert RunState().query() == ""


def test_a_link_reads_like_its_view():
    state = RunState(method="reference", overrides={"clock_hz": "1.8GHz"}).selecting(
        track="core 2,1", window=(5, 90)
    )
    assert state.query() == "method=reference&clock_hz=1.8GHz&track=core+2,1&window=5-90"


def test_a_link_into_a_memory_map_reads_like_its_view():
    state = RunState(find="conv 1", chosen={"layout": "best_fit"}).remembering(
        attempt=3, block=0, span=(2, 9)
    )
    assert state.query() == "attempt=3&block=0&span=2-9&find=conv+1&layout=best_fit"


def test_what_is_malformed_is_passed_over():
    values = {
        "method": "best",
        "iteration": "-1",
        "window": "9-3",
        "clock_hz": "fast",
        "m": "0",
        "table": "x",
    }
    assert parse(urlencode(values | {"layout": "tidy"})) == RunState()


def test_a_bad_setting_leaves_the_run_as_stored():
    state = overridden(RunState(), "clock_hz", "2e9")
    assert state.overrides == {"clock_hz": "2e9"}
    assert overridden(state, "clock_hz", "soon") == RunState()
    assert overridden(state, "clock_hz", None) == RunState()
    assert overridden(RunState(), "hwid", "x") == RunState()


def test_overrides_come_in_one_order():
    first = overridden(overridden(RunState(), "m", "32"), "clock_hz", "2e9")
    second = overridden(overridden(RunState(), "clock_hz", "2e9"), "m", "32")
    assert (
        list(first.overrides)
        == list(second.overrides)
        == [key for key in OVERRIDES if key in ("clock_hz", "m")]
    )


@pytest.mark.parametrize("window", ["٥-٩", "5-９", "5_0-90", "²-9"])
def test_ranges_have_the_digits_0_to_9(window):
    assert parse(f"window={window}").selection.window is None
