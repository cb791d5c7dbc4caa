"""The figure of a number over time, and its words."""

import json
from dataclasses import replace

import numpy as np
import pytest

from analysis.comparison.series import Band, rank_changes
from components.comparison.changes_table import MAX_ROWS, changes_table
from components.comparison.trend import MAX_POINTS, count_thinned, trend_figure
from components.comparison.trend_names import series_names
from components.comparison.trend_notes import band_text, basis_text, shown_text
from components.comparison.trend_places import BY, places
from components.comparison.trend_words import (
    compare_address,
    development_text,
    trends_caption,
)
from components.numbers import relative_text
from components.theme import palette
from schema.metrics import METRICS
from tests.support.components import every, words
from tests.support.numbers_in_text import has_numbers, numbers_in
from tests.support.trends import COMMITS, METRIC, levels, series_of

STEP = series_of(levels((100, 22), (82, 18)), hwid="npu2", M=256)
RISE = series_of(levels((100, 10), (113, 10)), hwid="npu1")
STEADY = series_of(levels((50, 12)), hwid="npu1", tags="fast")
SHORT = series_of(levels((50, 5)), hwid="npu3")
DIP = series_of(levels((217, 11), (194, 4), (217, 15)), hwid="npu4")
DRIFT = series_of([100 * 1.004**night for night in range(40)], hwid="npu5")


def marks(figure):
    return [trace for trace in figure.data if trace.mode == "markers+text"]


def test_runs_are_points_and_a_change_is_a_mark_that_leads_to_its_comparison():
    figure = trend_figure([STEP], METRIC, "time", "light")
    points = next(
        trace
        for trace in figure.data
        if trace.customdata is not None and len(trace.customdata) == 39
    )
    assert points.customdata[7] == "npu2-7"
    (mark,) = marks(figure)
    assert mark.customdata[0] == compare_address(STEP, STEP.development.events[0])
    assert (mark.x[0][:10], mark.y[0]) == (STEP.points[22].date[:10], STEP.points[22].value)
    assert mark.x[0] not in points.x  # a click on a mark is none on a run
    assert mark.marker.color[0] == palette("light").trouble


def test_levels_are_steps_of_medians():
    figure = trend_figure([STEP], METRIC, "order", "light")
    line = next(trace for trace in figure.data if trace.line.shape == "hv")
    assert list(line.x) == [1, 23, 40]
    assert [round(value) for value in line.y] == [100, 82, 82]


def test_a_dip_is_marked_at_its_first_run_and_its_runs_are_joined_beside_one_level():
    figure = trend_figure([DIP], METRIC, "order", "light")
    (mark,) = marks(figure)
    assert (list(mark.x), mark.text[0].split()[0]) == ([12], "dip")
    lines = {
        trace.line.dash: trace for trace in figure.data if trace.mode == "lines" and trace.xaxis
    }
    assert list(lines["dot"].x) == [12, 13, 14, 15, None]
    assert list(lines[None].x) == [1, 30]
    assert "dip" in [trace.name for trace in figure.data]


def test_a_drift_is_a_line_that_slopes():
    figure = trend_figure([DRIFT], METRIC, "order", "light")
    (mark,) = marks(figure)
    assert mark.text[0].split()[0] == "drift"
    (line,) = [trace for trace in figure.data if trace.line.dash == "dashdot" and trace.xaxis]
    assert (line.x[0], line.x[-1]) == (1, 40)
    assert line.y[0] < line.y[-1]


def test_a_verdict_has_a_symbol_of_its_own_and_the_legend_names_it():
    figure = trend_figure([STEP, RISE], METRIC, "time", "dark")
    signs = {mark.marker.symbol[0] for mark in marks(figure)}
    assert len(signs) == 2
    named = {
        trace.name: trace.marker.symbol
        for trace in figure.data
        if trace.name in ("regressed", "improved")
    }
    assert set(named.values()) == signs


def test_few_runs_are_points_alone_and_the_plot_says_why():
    figure = trend_figure([SHORT], METRIC, "time", "light")
    assert marks(figure) == []
    assert not [trace for trace in figure.data if trace.mode == "lines"]
    assert SHORT.development.note in figure.layout.annotations[0].text


def test_series_of_one_hardware_and_size_share_a_plot_and_differ_in_symbol():
    figure = trend_figure([RISE, STEADY, STEP], METRIC, "time", "light")
    assert len(figure.layout.annotations) == 2
    symbols = {
        trace.marker.symbol
        for trace in figure.data
        if trace.mode == "markers" and trace.xaxis == "x"
    }
    assert {"circle", "square"} <= symbols


def test_a_plot_of_several_sources_without_hardware_is_named_after_none_of_them():
    bare = {"hwid": "", "M": None, "K": None, "N": None}
    made = [series_of([1.0] * 3, source=source, **bare) for source in ("deeploy", "minimalloc")]
    (both,) = trend_figure(made, METRIC, "time", "light").layout.annotations
    title, *signs = both.text.split("<br>")
    assert "no hwid" in title
    assert [source for source in ("deeploy", "minimalloc") if source in title] == []
    assert all(source in "".join(signs) for source in ("deeploy", "minimalloc"))
    assert "deeploy" in trend_figure(made[:1], METRIC, "time", "light").layout.annotations[0].text


def rooms_of(layout, plots):
    """Return the rooms of the plots: left, right, foot, top."""
    each = [
        [layout[f"{axis}axis{rank if rank > 1 else ''}"]["domain"] for axis in "xy"]
        for rank in range(1, plots + 1)
    ]
    return {(*x, *y) for x, y in each}


@pytest.mark.parametrize(("hwids", "sizes"), [(3, 3), (12, 1), (2, 6), (1, 1), (1, 12)])
def test_plots_stand_in_a_grid_without_touching_and_on_a_narrow_page_in_one_column(hwids, sizes):
    made = [
        series_of([1.0] * 3, hwid=f"npu{h}", M=64 * (1 + s))
        for h in range(hwids)
        for s in range(sizes)
    ]
    layout = trend_figure(made, METRIC, "time", "light").layout
    wide, narrow = (rooms_of(one, len(made)) for one in (layout, layout.meta["narrow"]))
    for rooms in (wide, narrow):
        assert len(rooms) == hwids * sizes
        for a in rooms:
            assert not [
                b
                for b in rooms
                if b != a and a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]
            ]
    if sizes == 3:
        assert len({room[:2] for room in wide}) == 3  # a column per size
        assert len({room[2:] for room in wide}) == 3  # a row per hwid
    assert {room[:2] for room in narrow} == {(0.0, 1.0)}


def test_a_baseline_is_a_band_and_its_median():
    band = Band("main", (95.0, 99.0, 97.0), deleted=1)
    with_band = replace(STEP, bands=(band, Band("old", (1.0,))))
    shapes = {
        shape.type: shape
        for shape in trend_figure([with_band], METRIC, "time", "light").layout.shapes
    }
    assert (shapes["rect"].y0, shapes["rect"].y1) == (95.0, 99.0)
    assert shapes["line"].y0 == 97.0
    said = band_text("npu2", band, with_band.bands[1:], METRIC)
    assert "1 deleted" in said
    assert "old" in said


def test_runs_of_a_commit_share_a_place_and_those_without_one_have_their_own():
    bare = replace(SHORT, points=tuple(point._replace(commit="") for point in SHORT.points))
    first, second = places([STEP, bare], "commit")
    assert first[:COMMITS] == [first[0]] * COMMITS
    assert first[COMMITS] > first[0]
    assert len(set(second)) == 5
    assert not set(first) & set(second)
    axis = trend_figure([STEP, bare], METRIC, "commit", "light").layout.xaxis
    assert len(axis.tickvals) <= 12
    assert axis.ticktext[0] == STEP.points[0].commit[:8]
    alone = trend_figure([bare], METRIC, "commit", "light").layout.xaxis
    assert [*alone.ticktext] == [point.date[:10] for point in SHORT.points]


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_sent_is_what_plotly_would_send(by, theme):
    figure = trend_figure([STEP, RISE, STEADY, SHORT, DIP, DRIFT], METRIC, by, theme)
    assert json.loads(figure.to_json())["layout"]["height"] == figure.layout.height
    assert len(figure.to_plotly_json()["data"]) == len(figure.data)


@pytest.mark.parametrize(
    "name", ["peak_memory", "kernel_time", "flops_total", "utilization", "kernels", "failed_blocks"]
)
@pytest.mark.parametrize("values", [[0.0] * 3, [5.0, 5.0], [0.5, 3e9], [-2.0, 4.0]])
def test_every_unit_has_a_scale_that_holds_its_numbers(name, values):
    axis = trend_figure([series_of(values)], METRICS[name], "time", "light").layout.yaxis
    assert axis.range[0] <= min(values) <= max(values) <= axis.range[1]
    assert axis.range[0] < axis.range[1]
    if axis.tickvals is not None:
        assert 0 < len(axis.tickvals) == len(set(axis.ticktext)) <= 8


@pytest.mark.parametrize(
    "name", ["peak_memory", "kernel_time", "flops_total", "utilization", "gmacs_mean"]
)
@pytest.mark.parametrize(
    "values", [[5e-324] * 2, [5e-324, 1e-310], [-1.7e308, 1.7e308], [0.0, 1.7e308]]
)
def test_the_smallest_and_the_largest_numbers_have_a_scale(name, values):
    axis = trend_figure([series_of(values)], METRICS[name], "time", "light").layout.yaxis
    assert np.all(np.isfinite(axis.range))
    assert axis.range[0] < axis.range[1]
    assert axis.tickvals is None or 0 < len(axis.tickvals) <= 8


@pytest.mark.slow
def test_long_series_are_thinned_and_changes_stay():
    long = series_of(levels((100, 3000), (80, 3000)))
    figure = trend_figure([long, STEADY], METRIC, "order", "light")
    drawn = sum(
        len(trace.customdata)
        for trace in figure.data
        if trace.mode == "markers" and trace.customdata is not None
    )
    assert drawn <= MAX_POINTS
    assert count_thinned([long, STEADY]) == 6012 - drawn - 1
    assert len(marks(figure)[0].x) == 1


def test_names_tell_series_apart_by_what_differs():
    names = series_names([RISE, STEADY, STEP])
    assert len(set(names)) == 3
    assert "fast" in names[1]
    assert "aie" not in "".join(names)


def test_the_answer_names_what_regressed_with_numbers_and_units():
    said = trends_caption([RISE, STEP], METRIC)
    assert "regressed" in said.casefold()
    assert "npu2 · 256×64×64" in said
    assert has_numbers(said, "100 GMAC/s", "82.2 GMAC/s", "−18.0 %")
    assert "run 23 (night 22" in said
    assert "npu1" not in said


def test_a_regression_that_lasts_comes_before_one_that_recovered_and_before_what_improved():
    ranked = rank_changes([RISE, DIP, STEP])
    assert [at for at, _ in ranked] == [2, 1, 0]
    assert "npu4" in trends_caption([RISE, DIP], METRIC)
    none = trends_caption([RISE], METRIC)
    assert "no regression" in none.casefold()


def test_while_runs_are_compared_no_size_is_shown():
    (step,) = STEP.development.events
    events = (replace(step, basis="pending"),)
    pending = replace(STEP, development=replace(STEP.development, events=events))
    size = relative_text(step.relative)
    figure = trend_figure([pending], METRIC, "time", "light")
    texts = [
        trends_caption([pending], METRIC),
        words(changes_table([pending], METRIC)),
        figure.layout.annotations[0].text,
    ]
    texts += [*marks(figure)[0].text, *marks(figure)[0].hovertext]
    texts.append(development_text(len(STEP.points), pending.development, str))
    assert [text for text in texts if size in text or "82.2" in text or "regressed" in text] == []
    assert (
        marks(figure)[0].marker.symbol
        != marks(trend_figure([STEP], METRIC, "time", "light"))[0].marker.symbol
    )


@pytest.mark.parametrize("verdict", ["unchanged", "undecided", "incomparable"])
def test_every_verdict_of_a_comparison_has_a_mark(verdict):
    events = (replace(STEP.development.events[0], basis="comparison", verdict=verdict),)
    judged = replace(STEP, development=replace(STEP.development, events=events))
    figure = trend_figure([judged], METRIC, "time", "dark")
    assert verdict in [trace.name for trace in figure.data]
    assert verdict in words(changes_table([judged], METRIC))


def test_the_levels_that_a_sentence_names_are_those_of_the_comparison():
    compared = replace(
        DIP.development.events[0],
        before=211.0,
        after=190.0,
        relative=190 / 211 - 1,
        basis="comparison",
    )
    development = replace(DIP.development, events=(compared,))
    said = development_text(len(DIP.points), development, "{:.0f}".format)
    assert said.startswith(f"211, dipped to 190 ({relative_text(190 / 211 - 1)})")
    assert basis_text([replace(DIP, development=development)]) == ""
    assert "1 change" in basis_text([DIP])


def test_a_level_that_a_comparison_begins_at_is_named_where_it_is_not_the_one_before():
    two = series_of(levels((100, 20), (80, 20), (120, 20)))
    first, second = two.development.events
    events = (first, replace(second, before=75.0))
    said = development_text(60, replace(two.development, events=events), "{:.0f}".format)
    assert said.count("from 75") == 1
    plain = development_text(60, two.development, "{:.0f}".format)
    assert " from " not in plain.replace("from run", "")


def test_tile_grid_and_data_type_are_in_every_name():
    key = {"m": 16, "k": 32, "n": 64, "mac_dtype": "bf16"}
    one = series_of(levels((100, 22), (82, 18)), **key)
    (heading,) = trend_figure([one], METRIC, "time", "light").layout.annotations
    for text in (
        *series_names([one]),
        trends_caption([one], METRIC),
        words(changes_table([one], METRIC)),
        heading.text,
    ):
        assert [part for part in ("16×32×64", "4×4 cores", "bf16") if part not in text] == []
    assert trends_caption([STEADY], METRIC) != trends_caption([SHORT], METRIC)
    assert "8" in trends_caption([SHORT], METRIC)


def test_a_dip_is_told_with_its_runs_and_the_level_that_is_back():
    said = development_text(len(DIP.points), DIP.development, "{:.0f}".format)
    size = relative_text(DIP.development.events[0].relative)
    assert numbers_in(said) == ["217", "194", *numbers_in(size), "12", "15", "217"]
    assert "217" in trends_caption([DIP], METRIC)
    assert "run 12 to 15" in trends_caption([DIP], METRIC)


@pytest.mark.parametrize("series", [[STEP], [DIP], [DRIFT], [STEADY, DIP]])
def test_a_series_with_an_event_holds_no_level(series):
    assert "holds its level" in trends_caption([STEADY], METRIC)
    assert "holds its level" not in trends_caption(series, METRIC)
    for one in series[-1:]:
        assert "holds" not in development_text(len(one.points), one.development, str)


def test_odd_runs_are_counted():
    values = levels((50, 20))
    values[9] *= 1.5
    (spiky, steady) = series_of(values), series_of(levels((50, 20)), hwid="npu6")
    for series in ([spiky], [spiky, steady]):
        said = trends_caption(series, METRIC)
        assert "1 odd run" in said
        assert "holds its level" not in said


def test_what_is_not_drawn_is_said():
    assert "1" in shown_text([STEP, SHORT], [STEP], 0)
    assert "not drawn" in shown_text([STEP, SHORT], [STEP], 0)
    assert "not drawn" not in shown_text([STEP], [STEP], 0)


def test_the_table_lists_regressions_first_with_links():
    table = changes_table([RISE, STEADY, STEP], METRIC)
    rows = every(table, "Tr")[1:]
    assert ["npu2" in words(row) for row in rows] == [True, False]
    links = [link.href for link in every(rows[0], "Link")]
    event = STEP.development.events[0]
    assert links == ["/run/npu2-21", "/run/npu2-22", compare_address(STEP, event)]
    assert every(changes_table([STEADY], METRIC), "Table") == []


def test_the_table_has_dips_and_drifts_with_their_first_and_last_runs():
    for one, first, last in ((DIP, 11, 14), (DRIFT, 0, 39)):
        (row,) = every(changes_table([one], METRIC), "Tr")[1:]
        (event,) = one.development.changes
        links = [link.href for link in every(row, "Link")]
        names = [f"/run/{one.points[at].run_id}" for at in (first, last)]
        assert links == [*names, compare_address(one, event)]
        assert event.kind in words(row)


@pytest.mark.slow
def test_a_long_table_says_what_it_leaves_out():
    many = [series_of(levels((100, 8), (80, 8)), hwid=f"n{rank}") for rank in range(MAX_ROWS + 3)]
    table = changes_table(many, METRIC)
    assert len(every(table, "Tr")) == MAX_ROWS + 1
    assert "3 more" in words(table)


def test_names_of_files_are_no_markup_and_no_template():
    hostile = series_of(levels((100, 8), (80, 8)), hwid="<b>%{x}</b>", tags="$a$")
    points = [point._replace(run_id="0", name="<i>%{y}", commit="<u>") for point in hostile.points]
    named = replace(hostile, points=tuple(points))
    for by in BY:
        sent = trend_figure(
            [named, replace(named, key=named.key._replace(tags=""))], METRIC, by, "light"
        ).to_json()
        assert not [part for part in ("<b>%{x}", "%{x}", "%{y}", "<i>", "<u>") if part in sent]
