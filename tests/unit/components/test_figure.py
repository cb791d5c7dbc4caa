"""What is sent to the browser is what plotly's own figure would send."""

import base64
import json

import numpy as np
import pandas as pd
import pytest

from components.figure import Figure
from components.theme import template


def sent(**trace):
    return Figure([{"type": "scatter", **trace}], {"template": template("light")}).to_plotly_json()[
        "data"
    ][0]


def read(spec):
    """Return the numbers of a typed array."""
    values = np.frombuffer(base64.b64decode(spec["bdata"]), spec["dtype"])
    return values.reshape([int(n) for n in spec.get("shape", str(len(values))).split(",")]).tolist()


@pytest.mark.parametrize(
    "values",
    [
        np.array([1, 2, 3]),
        np.array([1.5, np.nan]),
        np.array([0, 2**40]),
        pd.Series([1, 2], dtype="int64").to_numpy(),
    ],
)
def test_numbers_go_as_binary(values):
    np.testing.assert_array_equal(read(sent(x=values)["x"]), values.tolist())


def test_tables_of_numbers_keep_their_shape():
    assert read(sent(customdata=np.arange(6).reshape(2, 3))["customdata"]) == [[0, 1, 2], [3, 4, 5]]


def test_what_has_no_binary_type_goes_as_a_list():
    assert sent(text=np.array(["a", "b"], dtype=object))["text"] == ["a", "b"]
    assert sent(x=np.array([2**53 + 1]))["x"] == [2**53 + 1]
    assert sent(x=np.array([], dtype=np.int64))["x"] == []
    assert sent(marker={"color": pd.Series([True, False])})["marker"] == {"color": [True, False]}


def test_empty_parts_are_left_out():
    assert sent(marker={}) == {"type": "scatter"}


def test_a_layout_with_other_parts_joins_those_of_an_axis():
    figure = Figure([], {"template": template("light"), "yaxis": {"side": "right"}, "height": 30})
    changed = figure.with_layout(yaxis={"fixedrange": True}, height=40)
    assert changed.to_plotly_json()["layout"]["yaxis"] == {"side": "right", "fixedrange": True}
    assert (figure.layout.height, changed.layout.height) == (30, 40)


def test_plotly_refuses_what_it_does_not_know():
    with pytest.raises(ValueError, match="nonsense"):
        _ = Figure([{"type": "scatter", "nonsense": 1}], {"template": template("dark")}).data


def test_the_json_says_what_plotlys_says():
    figure = Figure(
        [{"type": "bar", "x": np.array([1.0, 2.0])}], {"template": template("dark"), "height": 90}
    )
    assert json.loads(figure.to_json()) == json.loads(figure.plotly.to_json())


def test_a_moved_figure_has_its_bars_points_lines_and_marks_elsewhere_and_nothing_else():
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "base": np.array([0, 10]),
            "x": np.array([5, 5]),
            "y": [0, 1],
            "name": "a",
        },
        {
            "type": "scatter",
            "mode": "lines",
            "x": [1, None, 3],
            "y": [4, None, 6],
            "customdata": [[1], [2], [3]],
        },
    ]
    marks = [
        {"type": "line", "x0": 7, "x1": 8, "y0": 0, "y1": 1},
        {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "y0": 2, "y1": 3},
    ]
    notes = [{"text": "n", "x": 4, "y": 0}, {"text": "p", "xref": "paper", "x": 0.5, "y": 0}]
    layout = {"template": template("light"), "shapes": marks, "annotations": notes, "height": 30}
    moved = Figure(traces, layout).move_along(-10).to_plotly_json()
    bar, line = moved["data"]
    assert read(bar["base"]) == [-10, 0]
    assert read(bar["x"]) == [5, 5]
    np.testing.assert_array_equal(read(line["x"]), [-9, np.nan, -7])
    assert [(part["y"], part.get("name"), part.get("customdata")) for part in (bar, line)] == [
        ([0, 1], "a", None),
        ([4, None, 6], None, [[1], [2], [3]]),
    ]
    assert [(one["x0"], one["x1"], one["y0"]) for one in moved["layout"]["shapes"]] == [
        (-3, -2, 0),
        (0, 1, 2),
    ]
    assert [one["x"] for one in moved["layout"]["annotations"]] == [-6, 0.5]
    assert moved["layout"]["height"] == 30
    assert traces[0]["base"].tolist() == [0, 10]


def test_a_figure_moved_there_and_back_is_as_it_was():
    figure = Figure(
        [{"type": "scatter", "x": np.array([2.0**52, 3.0])}], {"template": template("light")}
    )
    assert figure.move_along(2**40).move_along(-(2**40)).to_json() == figure.to_json()
    assert "shapes" not in figure.move_along(3).to_plotly_json()["layout"]


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ({"opacity": np.ones(3)}, {"opacity": 1.0}),
        ({"line": {"width": np.array([2.0, 2.0])}}, {"line": {"width": 2.0}}),
        ({"pattern": {"shape": np.array(["/", "/"])}}, {"pattern": {"shape": "/"}}),
        ({"opacity": np.ones(0)}, {"opacity": []}),
        (
            {"color": np.ones(3)},
            {"color": {"dtype": "f8", "bdata": base64.b64encode(np.ones(3).tobytes()).decode()}},
        ),
    ],
)
def test_a_style_of_every_point_goes_once(style, expected):
    assert sent(marker=style)["marker"] == expected


def test_styles_that_differ_go_as_they_are():
    assert sent(marker={"pattern": {"shape": np.array(["", "/"])}})["marker"] == {
        "pattern": {"shape": ["", "/"]}
    }
