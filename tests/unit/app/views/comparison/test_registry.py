"""Laws of the views of a comparison, on pairs of every kind: what page, callbacks and snapshot rely on."""

from collections import Counter

import pytest

from app.views.comparison.registry import CHOICES, COMPARE, VIEWS, parse
from app.views.comparison.state import CompareState
from app.views.comparison.tables import TABLES
from app.views.text_tables import Table
from app.views.view import ContentView, Part, Plot
from tests.support.comparisons import PAIRS
from tests.support.figures import plain
from tests.support.plotly_bundle import BUNDLE, traces_of


def states(view):
    """Return the default state, and those that differ from it by one of a view's choices."""
    others = [{choice.name: value} for choice in view.choices for value in [*choice.options][1:]]
    return [CompareState(), *(CompareState(chosen=chosen) for chosen in others)]


@pytest.mark.quick_every(4)
def test_every_view_answers_under_every_choice(pair):
    for view in COMPARE.available_views(pair):
        for state in states(view):
            made = (
                view.draw(pair, state, "light")
                if isinstance(view, Plot)
                else view.make(pair, state)
            )
            assert isinstance(made.caption, str)
            assert made.caption or isinstance(made, Part)
            assert all(
                isinstance(table, Table) and table.labels for table in view.tables(pair, state)
            )
            assert isinstance(view.controls(pair, state), list)


@pytest.mark.slow
def test_every_figure_is_plotlys_own_of_traces_that_the_page_can_draw(pair):
    known = traces_of(BUNDLE)
    for view in COMPARE.available_plots(pair):
        for theme in ("light", "dark"):
            figure = view.draw(pair, CompareState(), theme).figure
            assert plain(figure) == plain(figure.plotly), view.id
            assert {trace.type for trace in figure.data} <= known


def test_a_pair_has_each_id_once(pair):
    assert set(Counter(view.id for view in COMPARE.available_views(pair)).values()) == {1}


def test_every_table_is_a_frame(pair):
    for make in TABLES.values():
        frame = make(pair)
        assert frame.columns.is_unique
        assert len(frame.columns)
    assert len(TABLES["numbers"](pair)) == len(pair.result.rows)
    assert len(TABLES["attribution"](pair)) == len(pair.result.attribution)


@pytest.mark.parametrize("name", [name for name in PAIRS if name.endswith("itself")])
def test_a_run_against_itself_has_nothing_to_explain(pairs, name):
    data = pairs.data(name)
    assert data.result.verdict == "unchanged"
    assert not len(TABLES["blocks"](data))
    assert set(TABLES["kernels"](data).get("change", [])) <= {0}
    (attribution,) = [view for view in COMPARE.available_plots(data) if view.id == "attribution"]
    assert not attribution.draw(data, CompareState(), "light").figure.has_traces


def test_every_view_has_a_pair(pairs):
    seen = {view.title for name in PAIRS for view in COMPARE.available_views(pairs.data(name))}
    assert {view.title for view in VIEWS} <= seen


def test_views_are_plots_or_words_and_say_what_they_are():
    assert all(isinstance(view, Plot | ContentView) for view in VIEWS)
    assert all(view.title and view.help.endswith(".") for view in VIEWS)


def test_choices_of_one_name_have_one_default():
    assert all(
        choice.default == CHOICES[choice.name][0] for view in VIEWS for choice in view.choices
    )


def test_links_and_grids_are_told_apart_by_their_ids():
    assert len({link.type for link in COMPARE.links()}) == len(COMPARE.links())
    grids = [view.grid.id for view in VIEWS if isinstance(view, ContentView) and view.grid]
    assert len(set(grids)) == len(grids)


@pytest.mark.parametrize(
    ("zoom", "window"),
    [
        ({"window": [10.7, 5000.2]}, (10, 5001)),
        ({"window": [5000, 10]}, (10, 5000)),
        ({"window": None}, None),
        ({"window": [1, 2, 3]}, None),
        ({"window": 3}, None),
        ({"nothing": [1, 5]}, (1, 99)),
        ({}, (1, 99)),
    ],
)
def test_a_zoom_becomes_a_window_of_whole_ticks(zoom, window):
    assert COMPARE.zoomed(parse("window=1-99"), zoom).selection.window == window


def test_a_zoom_has_a_size_and_an_end():
    low, high = COMPARE.zoomed(CompareState(), {"window": [5.2, 5.3]}).selection.window
    assert low < high
    low, high = COMPARE.zoomed(CompareState(), {"window": [-1e300, 1e300]}).selection.window
    assert parse(CompareState().selecting(window=(low, high)).query()).selection.window == (
        low,
        high,
    )
    assert COMPARE.zoomed(CompareState(), {"span": [2.5, 2.6]}).selection.span == (2, 3)
