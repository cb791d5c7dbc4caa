"""A watched view state is the view state, and what is read of it is known."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from analysis.memory.selection import MemorySelection
from analysis.selection import Selection
from app.views.reads import ReadWatch, is_unchanged, value
from app.views.registry import parse
from app.views.state import RunState

STATE = parse(
    "track=core+2,0&iteration=1&window=3-9&block=7&find=a&layout=first_fit&method=reference"
)
NUMBER = st.none() | st.integers(0, 3)
STATES = st.builds(
    RunState,
    selection=st.builds(Selection, iteration=NUMBER, kernel=NUMBER, kind=st.none() | st.just("a")),
    memory=st.builds(MemorySelection, block=NUMBER, step=NUMBER, span=st.none() | st.just((1, 4))),
    find=st.sampled_from(["", "a"]),
    chosen=st.dictionaries(st.sampled_from(["layout", "colour"]), st.sampled_from(["x", "y"])),
)


def read(draw, state=STATE):
    watch = ReadWatch(state)
    return draw(watch.of("view")), watch.reads["view"]


def test_only_what_is_read_is_noted():
    assert read(lambda s: s.selection.window) == ((3, 9), {"selection.window": [3, 9]})
    assert read(lambda s: s.chosen.get("layout")) == ("first_fit", {"chosen.layout": "first_fit"})
    assert read(lambda s: s.chosen.get("colour", "kind")) == ("kind", {"chosen.colour": None})
    assert read(lambda _: 3) == (3, {})


def test_a_watched_state_is_equal_to_the_state():
    same, reads = read(lambda s: s == STATE and s == STATE)
    assert same
    assert {"method", "find", "selection.kind", "memory.span"} <= set(reads)
    assert read(lambda s: hash(s.selection) == hash(STATE.selection))[0]
    assert read(lambda s: s.selection == Selection())[0] is False


def test_a_changed_copy_of_a_watched_state_is_watched_where_it_was_not_changed():
    step, reads = read(lambda s: replace(s, memory=MemorySelection(step=5)).selection.iteration)
    assert step == 1
    assert reads["selection.iteration"] == 1
    assert "memory.step" not in reads


def test_the_query_reads_everything():
    query, reads = read(lambda s: s.query())
    assert query == STATE.query()
    assert set(reads) >= {"method", "find", "chosen", "selection.track", "memory.block"}


def test_paths_that_lead_nowhere_have_no_value():
    for path in (
        "nothing",
        "selection.nothing",
        "selection",
        "query",
        "__class__",
        "memory.__class__",
        "x.y",
    ):
        assert value(STATE, path) != value(STATE, path)
    assert not is_unchanged(STATE, {"nothing": None})
    assert not is_unchanged(STATE, ["method"])


READERS = (
    lambda s: (s.selection.iteration, s.memory.block if s.selection.iteration else s.memory.step),
    lambda s: s.chosen.get("layout", "z") + s.find,
    lambda s: sorted(s.chosen.items()) if s.memory.span else s.selection.kind,
    lambda s: s.selecting(kernel=2).query(),
)


@given(STATES, STATES, st.sampled_from(READERS))
def test_a_drawing_is_kept_only_where_it_would_be_the_same(before, after, draw):
    drawn, reads = read(draw, before)
    if is_unchanged(after, reads):
        assert draw(after) == drawn
    assert is_unchanged(before, reads)
