import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.selection import Selection
from components.kernels.cycle_durations import available_duration_views, durations
from components.kernels.duration_scale import DurationScale
from components.theme import FADE
from tests.support.numbers_in_text import without_numbers
from tests.support.profiles import kernels, run

HOSTILE = "<img src=x onerror=alert(1)> %{x} $y$"


@pytest.fixture
def frame():
    runs = [
        run("r_8", 1_000_000 * i, duration)
        for i, duration in enumerate((9_000_000, 40_000, 50_000, 60_000))
    ]
    runs += [run("E_4", 20_000_000 + 1_000_000 * i, 2_000 + i, track="CPU:1") for i in range(6)]
    return kernels(*runs)


def drawn(frame, view="histogram", selection=None, theme="light"):
    return durations(frame, selection or Selection(), theme, view=view, unit="ns")


def test_profiles_and_captures_have_views_of_their_own():
    assert list(available_duration_views(True)) == ["histogram", "ecdf", "tile", "kind", "first"]
    assert list(available_duration_views(False)) == [
        "histogram",
        "ecdf",
        "tile",
        "iteration",
        "kind",
    ]
    assert available_duration_views(False)["tile"] == "by tile"


def test_the_histogram_counts_every_run_once_and_a_click_tells_its_range(frame):
    bars = drawn(frame).data
    assert sum(trace.y.sum() for trace in bars) == len(frame)
    for trace in bars:
        own = frame.loc[frame["name"] == trace.name, "duration"]
        for (low, high), count in zip(trace.customdata, trace.y, strict=True):
            assert own.between(low, high, inclusive="left").sum() == count


def test_durations_that_are_all_the_same_have_one_bin_about_them():
    figure = drawn(kernels(*(run("r_8", 5_000 * i, 1_000) for i in range(3))))
    (bar,) = figure.data
    assert [list(span) for span in bar.customdata] == [[950, 1_050]]
    assert (bar.x[0], bar.y[0]) == (1_000, 3)
    low, high = figure.layout.xaxis.range
    assert low < 950 and high > 1_050
    assert figure.layout.yaxis.dtick == 1


@pytest.mark.parametrize("length", [0, 1, 3])
def test_the_shortest_durations_have_a_bin(length):
    (bar,) = drawn(kernels(run("r_8", 0, length))).data
    ((low, high),) = bar.customdata
    assert 0 <= low <= length < high


def test_a_kernel_without_a_name_is_said_to_have_none():
    frame = kernels(run("", 0, 10), run("", 20, 30), run("\x00", 60, 10))
    assert {bar.name for bar in drawn(frame).data} == {"(no name)"}
    assert "(no name) (2)" in {curve.name for curve in drawn(frame, "ecdf").data}
    assert set(drawn(frame, "kind").layout.yaxis.ticktext) == {"(no name)"}


def test_the_rest_is_told_from_kernels_by_more_than_its_colour():
    frame = kernels(*(run(f"k{i}", 1_000 * i, 10 + i) for i in range(12)))
    *kernel_bars, rest = drawn(frame).data
    assert rest.name == "other kernels"
    assert rest.marker.pattern.shape == "/"
    assert "/" not in {bar.marker.pattern.shape for bar in kernel_bars}
    assert drawn(frame, "ecdf").data[-1].line.dash == "dot"


@pytest.mark.parametrize("view", ["histogram", "ecdf"])
def test_kernels_of_one_colour_differ_by_hatch_or_dashes(view):
    frame = kernels(*(run(f"k{i}", 1_000 * i, 10 + i) for i in range(9)))
    traces = drawn(frame, view=view).data
    looks = [
        (trace.marker.color, trace.marker.pattern.shape)
        if view == "histogram"
        else (trace.line.color, trace.line.dash)
        for trace in traces
    ]
    assert len({colour for colour, _ in looks}) < len(traces) == len(set(looks))


def test_durations_far_apart_are_drawn_over_their_logarithm_with_times_on_the_axis(frame):
    axis = drawn(frame).layout.xaxis
    assert "100\u202fµs" in axis.ticktext and "1\u202fms" in axis.ticktext
    assert "logarithmic" in axis.title.text
    assert drawn(frame[frame["track"] == "CPU:1"]).layout.xaxis.title.text == "duration"


def test_the_selected_range_is_marked_not_applied(frame):
    figure = drawn(frame, selection=Selection(duration=(1_000, 10_000)))
    assert sum(trace.y.sum() for trace in figure.data) == len(frame)
    (band,) = figure.layout.shapes
    assert (band.x0, band.x1) == (pytest.approx(3), pytest.approx(4))
    short, long = (
        next(trace for trace in figure.data if trace.name == name) for name in ("E_4", "r_8")
    )
    assert set(short.marker.opacity) == {1.0}
    assert set(long.marker.opacity) == {FADE}


@pytest.mark.parametrize(("view", "groups"), [("tile", ["CPU", "CPU:1"]), ("kind", ["r_8", "E_4"])])
def test_groups_are_rows_that_tell_their_group(frame, view, groups):
    figure = drawn(frame, view)
    marks = figure.data[-1]
    assert [name for (name,) in marks.customdata] == groups
    assert list(figure.layout.yaxis.ticktext) == groups
    assert "median 55.0\u202fµs" in marks.text[0]


def test_first_runs_stand_against_the_median_of_the_later_ones(frame):
    figure = drawn(frame, "first")
    steady, first = (
        next(t for t in figure.data if t.name == name)
        for name in ("median of the later runs", "first run")
    )
    assert first.customdata[0][0] == "r_8"
    assert 10 ** first.x[0] == pytest.approx(9_000_000)
    assert 10 ** steady.x[0] == pytest.approx(50_000)
    assert "180.00 ×" in first.text[0]


def test_where_nothing_ran_twice_that_is_said():
    once = drawn(kernels(run("a")), "first").layout.annotations[0].text
    empty = drawn(kernels()).layout.annotations[0].text
    assert without_numbers(once) and without_numbers(empty) and once != empty


@pytest.mark.parametrize("view", list(available_duration_views(True)))
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_hostile_names_stay_text(view, theme):
    frame = kernels(
        *(
            run(name, 1_000 * i, 7, track=HOSTILE)
            for i, name in enumerate([HOSTILE, HOSTILE, "{{7*7}}", "x" * 300])
        )
    )
    figure = drawn(frame, view, theme=theme)
    shown = [
        figure.layout.yaxis.ticktext,
        *((trace.name, trace.text, trace.hovertemplate) for trace in figure.data),
    ]
    words = str(shown).replace("%{text}", "")
    assert "<img" not in words and "%{" not in words and "&lt;img" in words


@pytest.mark.parametrize("view", list(available_duration_views(True)))
def test_a_hundred_thousand_runs_of_many_names_send_little(view):
    many = kernels(*(run(f"k{i % 300}", i * 100, 10 + i % 97) for i in range(3_000)))
    many = many.iloc[np.arange(100_000) % len(many)]
    assert len(drawn(many, view).to_json()) < 80_000


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=60))
def test_edges_cover_every_duration_and_rise(durations_ns):
    values = np.array(durations_ns, dtype=np.float64)
    scale = DurationScale(min(durations_ns), max(durations_ns))
    edges = scale.edges(values)
    assert edges[0] <= min(durations_ns) and max(durations_ns) < edges[-1]
    assert (np.diff(edges) > 0).all()
    assert np.isfinite(scale.at(edges)).all()
    assert scale.axis()["title"]["text"].startswith("duration")


@pytest.mark.parametrize("view", ["histogram", "ecdf"])
def test_a_narrow_page_has_room_for_each_name_of_the_legend(frame, view):
    few = drawn(frame[frame["name"].isin(sorted(frame["name"].unique())[:2])], view)
    many = pd.concat([frame.assign(name=f"kernel {rank}") for rank in range(8)])
    assert "meta" not in few.to_plotly_json()["layout"]
    meta = drawn(many, view).to_plotly_json()["layout"]["meta"]
    assert meta["narrow"]["height"] == meta["height"] + 5 * 20
