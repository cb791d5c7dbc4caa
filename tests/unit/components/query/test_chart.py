"""The chart of an answer: which columns it takes, and what it draws of them."""

import pytest

from components.query.chart import CHARTS, chart_axes, chart_figure, chart_summary

COLUMNS = [("name", "VARCHAR"), ("at", "VARCHAR"), ("n", "BIGINT"), ("share", "DOUBLE")]
ROWS = [["a", "2026-11-01T10:00:00", 3, 0.5], ["b", None, None, 0.25]]


@pytest.mark.parametrize(
    ("chart", "x", "y", "axes"),
    [
        ("bar", "", "", ("name", "n")),
        ("line", "n", "", ("n", "share")),
        ("scatter", "gone", "share", ("name", "share")),
        ("histogram", "", "share", ("n", "")),
        ("histogram", "name", "", ("name", "")),
    ],
)
def test_axes_are_those_asked_for_or_the_first_that_fit(chart, x, y, axes):
    assert chart_axes(COLUMNS, chart, x, y) == axes


@pytest.mark.parametrize("chart", CHARTS)
def test_every_chart_draws_the_rows(chart):
    axes = chart_axes(COLUMNS, chart, "n", "share")
    drawn = chart_figure(chart, COLUMNS, ROWS, axes, "light").to_plotly_json()
    assert drawn["data"][0]["x"] == [3, None]
    assert "2 rows" in chart_summary(chart, axes, 2)


def test_dates_and_names_have_axes_of_their_kind():
    kinds = [
        chart_figure("bar", COLUMNS, ROWS, (x, "n"), "light")
        .to_plotly_json()["layout"]["xaxis"]
        .get("type")
        for x in ("name", "at", "share")
    ]
    assert kinds == ["category", "date", None]


def test_an_answer_without_numbers_has_no_second_axis():
    assert chart_axes(COLUMNS[:2], "bar", "", "") == ("name", "")
