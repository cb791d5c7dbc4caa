"""Laws of the registry: what page, callbacks and snapshot rely on."""

from collections import Counter

import pytest

from app.views.registry import CHOICES, KEYS, RUN, VIEWS, parse
from app.views.state import RunState
from app.views.tables import _ROWS
from app.views.view import ContentView, Plot
from schema.frames import FRAMES
from services.run.capabilities import Capability
from tests.support.figures import plain
from tests.support.plotly_bundle import BUNDLE, traces_of


def test_no_run_has_two_views_of_one_id(sample_runs):
    for data in sample_runs:
        counts = Counter(view.id for view in RUN.available_views(data))
        assert set(counts.values()) == {1}, data.run_id


def test_every_run_has_views_and_every_view_a_run(sample_runs):
    # Results have one plot: the samples of a number.
    assert all(
        len(RUN.available_plots(data)) > (0 if data.can(Capability.RESULTS) else 1)
        for data in sample_runs
    )
    unseen = {id(view) for view in VIEWS} - {
        id(view) for data in sample_runs for view in RUN.available_views(data)
    }
    assert {view.id for view in VIEWS if id(view) in unseen} <= {
        "counters",
        "sizesweep",
        "ranks",
    }  # no sample has hardware counters, and no two are a GEMM in two sizes or ranks of a job


@pytest.mark.slow
def test_every_view_of_every_run_answers(sample_runs):
    for data in sample_runs:
        for view in RUN.available_views(data):
            drawn = (
                view.draw(data, RunState(), "light")
                if isinstance(view, Plot)
                else view.make(data, RunState())
            )
            assert isinstance(drawn.caption, str)
            if isinstance(view, Plot):
                assert plain(drawn.figure) == plain(drawn.figure.plotly)
            view.tables(data, RunState())
            view.controls(data, RunState())


@pytest.mark.slow
def test_every_figure_is_of_traces_that_the_page_can_draw(sample_runs):
    plots = [
        (data, plot)
        for data in sample_runs
        for view in RUN.available_plots(data)
        for plot in (view, view.strip)
        if plot
    ]
    drawn = {
        trace.type
        for data, plot in plots
        for trace in plot.draw(data, RunState(), "light").figure.data
    }
    assert {"bar", "scatter", "heatmap"} <= drawn <= traces_of(BUNDLE)


def test_views_are_plots_or_words():
    assert all(isinstance(view, Plot | ContentView) for view in VIEWS)
    assert all(view.title and view.help.endswith((".", "!")) for view in VIEWS)


def test_choices_of_one_name_have_one_default():
    for view in VIEWS:
        for choice in view.choices:
            assert choice.default == CHOICES[choice.name][0]


def test_links_and_ids_are_unique():
    assert len({link.type for link in RUN.links()}) == len(RUN.links())


def test_what_no_view_knows_is_no_choice():
    assert parse("layout=tidy&nothing=1&durations=histogram") == RunState()
    assert parse("layout=first_fit").chosen == {"layout": "first_fit"}


def test_every_table_of_the_schema_has_rows():
    assert set(_ROWS) == {spec.name for spec in FRAMES.values() if spec.tabled}


def test_keys_do_something_where_their_needs_are_met(sample_runs):
    for key in KEYS:
        able = [data for data in sample_runs if data.can(*key.needs)]
        assert able
        assert all(
            RUN.press_key(RunState(), data, name) is not None for data in able for name in key.keys
        )
    assert RUN.press_key(RunState(), sample_runs[0], "?") == RunState()
    assert RUN.key.startswith("run-")


def test_capabilities_of_time_exclude_each_other(sample_runs):
    for data in sample_runs:
        assert data.can(Capability.NANOSECONDS) != data.can(Capability.TICKS)
        assert not data.can(Capability.ADDRESSES, Capability.PICTURE)
