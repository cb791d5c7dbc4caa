"""A view with a selection of its own: a record of its family, and the view's line in the registry."""

from dataclasses import dataclass, replace
from itertools import chain

import pytest

from app.pages.run import steps
from app.views import run_words
from app.views.actions import clear_part
from app.views.address.fields import declared_params, param
from app.views.address.kinds import Flag, Whole
from app.views.comparison.registry import COMPARE
from app.views.lab.registry import LAB
from app.views.program.registry import PROGRAM
from app.views.reads import ReadWatch, is_unchanged
from app.views.registry import RUN
from app.views.state import OVERRIDES, RunState
from app.views.view import ContentView, Part, ViewSelection


@dataclass(frozen=True)
class LaneSelection:
    lane: int | None = param(Whole())
    wide: bool = param(Flag(), default=False, requires="lane")


def lane_words(_data, state):
    lane = state.selected(LaneSelection).lane
    return {} if lane is None else {"lane": f"lane {lane}"}


def lane_listed(state, _data, row, _column=""):
    return state.with_selected(LaneSelection(row))


MADE_UP = ContentView(
    id="lanes_made_up",
    title="Lanes",
    help="A view of a test.",
    selection=ViewSelection(LaneSelection, lane_words),
    make=lambda _data, state: Part(None, f"{state.selected(LaneSelection).lane}"),
)


@pytest.fixture
def page(monkeypatch):
    """The page of a run with one more view in its registry."""
    page = replace(RUN, views=(*RUN.views, MADE_UP))
    for module in (run_words, steps):
        monkeypatch.setattr(module, "RUN", page)
    return page


def test_the_selection_is_in_the_address_and_read_back(page, capture):
    state = lane_listed(page.parse("track=core+2,0&find=a&layout=best_fit"), capture, 7)
    assert state.query() == "track=core+2,0&find=a&lane=7&layout=best_fit"
    assert page.parse(state.query()) == state
    assert page.parse("lane=7&wide=1").selected(LaneSelection) == LaneSelection(7, wide=True)
    assert page.parse("lane=x&wide=1") == RunState()
    assert RUN.parse("lane=7") == RunState()


def test_the_selection_is_in_the_words_above_the_views_and_cleared_there(page, capture):
    state = page.parse("iteration=1&lane=7&wide=1")
    words = run_words.selection_words(capture, state)
    assert list(words) == ["iteration", "lane"] and words["lane"] == "lane 7"
    assert clear_part(state, "lane") == page.parse("iteration=1")
    assert clear_part(state, "all") == RunState()


def test_a_control_sets_and_shows_it(page):
    state = steps.choices_made(RunState(), {"lane": "3"})
    assert state == page.parse("lane=3")
    assert (steps.field_value(state, "lane"), steps.field_value(RunState(), "lane")) == ("3", "")


def test_the_view_is_drawn_anew_where_its_selection_changes_and_only_there(page, capture):
    watch = ReadWatch(page.parse("lane=7"))
    assert MADE_UP.make(capture, watch.of("view")).caption == "7"
    reads = watch.reads["view"]
    assert reads == {"view_selections.lane": 7}
    assert is_unchanged(page.parse("lane=7&wide=1&track=a"), reads)
    assert not is_unchanged(page.parse("lane=8"), reads)
    assert not is_unchanged(page.parse(""), reads)


@pytest.mark.parametrize("page", [RUN, COMPARE, LAB, PROGRAM], ids=lambda page: page.name)
def test_every_field_of_an_address_has_a_name_of_its_own(page):
    state = page.state()
    records = [getattr(state, name) for name in ("selection", "memory") if hasattr(state, name)]
    names = [
        *(OVERRIDES if page is RUN else ()),
        *page.choices,
        *(param.name for param in declared_params(page.state)),
    ]
    names += chain.from_iterable(record.__dataclass_fields__ for record in records)
    names += [param.name for record in page.selections for param in declared_params(record)]
    assert len(names) == len(set(names))
