import numpy as np
import pytest

from analysis.kernels.kernel_table import kernel_table
from analysis.kernels.roofline import roofline_rows
from components.kernels.captions import roofline_caption
from components.kernels.roofline import MAX_POINTS, reason_unplaced, roofline
from components.theme import name_color
from tests.support.numbers_in_text import numbers_in, without_numbers
from tests.support.profiles import kernels, run

PEAKS = (1e12, 1e10)
HOSTILE = "<img src=x onerror=alert(1)> %{x} $y$"


@pytest.fixture
def table():
    def work(operations, memory):
        return {"operations": operations, "memory_bytes": memory}

    runs = [
        run("slow", 0, 1000, program=0, **work(1000, 4000)),
        run("no work", 2000, 900),
        run("fast", 4000, 100, program=1, **work(100_000, 500)),
    ]
    return kernel_table(kernels(*runs))


def points(figure):
    return next(trace for trace in figure.data if trace.mode == "markers")


def test_a_point_is_at_its_intensity_and_rate_and_tells_its_row(table):
    marks = points(roofline(roofline_rows(table), (None, None), None, "light"))
    assert dict(zip(marks.x, marks.y, strict=True)) == pytest.approx({0.25: 1e9, 200.0: 1e12})
    assert [list(row) for row in marks.customdata] == [[0], [2]]
    assert list(marks.marker.color) == [name_color("slow"), name_color("fast")]
    assert marks.marker["size"][0] > marks.marker["size"][1]


def test_roofs_bend_where_memory_no_longer_limits(table):
    figure = roofline(roofline_rows(table, *PEAKS), PEAKS, None, "light")
    line = next(trace for trace in figure.data if trace.mode == "lines")
    assert 100.0 in line.x
    assert np.allclose(line.y, np.minimum(1e12, np.asarray(line.x) * 1e10))
    assert sorted(note.text for note in figure.layout.annotations) == [
        "peak 1.00\u202fTFLOP/s",
        "peak 10.0\u202fGB/s",
    ]


@pytest.mark.parametrize("extreme", [5e-324, 1.7e308])
def test_the_smallest_and_the_largest_numbers_have_a_place(table, extreme):
    rows = roofline_rows(table, *PEAKS).assign(intensity=extreme, flops=extreme)
    figure = roofline(rows, PEAKS, None, "light")
    assert np.all(np.isfinite([*figure.layout.xaxis.range, *figure.layout.yaxis.range]))


def test_with_one_peak_there_is_that_roof_alone(table):
    for peaks in ((1e12, None), (None, 1e10)):
        figure = roofline(roofline_rows(table, *peaks), peaks, None, "light")
        assert len(figure.layout.annotations) == 1
    assert len(roofline(roofline_rows(table), (None, None), None, "light").data) == 1


def test_the_chosen_kernel_is_outlined_and_others_fade(table):
    marks = points(roofline(roofline_rows(table), (None, None), ("fast", 1), "dark"))
    assert list(marks.marker.opacity) == [0.33, 0.85]
    assert marks.marker.line.width[1] > marks.marker.line.width[0]
    both = points(roofline(roofline_rows(table), (None, None), ("fast", 7), "dark"))
    assert set(both.marker.opacity) == {0.33}


def test_names_are_no_templates_and_no_markup():
    table = kernel_table(kernels(run(HOSTILE, operations=10, memory_bytes=10)))
    text = roofline(roofline_rows(table), (None, None), None, "light").data[0].text[0]
    assert "<img" not in text and "%{" not in text and "&lt;img" in text


@pytest.mark.parametrize(
    ("runs", "name"),
    [
        ([], ""),
        ([run("TINY -> CPU", copy=True)], "copies"),
        ([run("a", operations=0, memory_bytes=8)], "operations and bytes."),
        ([run("a", missing="rewrites")], "operations and bytes: needs the rewrites.pkl"),
        (
            [
                run("a", missing="estimate"),
                run("b", 20, missing="rewrites"),
                run("c", 40, missing="estimate"),
            ],
            "operations and bytes: the capture",
        ),
    ],
)
def test_why_nothing_is_drawn_is_said(runs, name):
    reason = reason_unplaced(kernel_table(kernels(*runs)))
    assert without_numbers(reason)
    assert name in reason


def test_the_answer_names_the_fastest_and_what_limits(table):
    said = roofline_caption(roofline_rows(table, *PEAKS), PEAKS)
    assert numbers_in(said) == ["1.00 TFLOP/s", "100.0 %", "90.9 %"]
    assert "fast" in said and "memory" in said
    both = roofline_caption(roofline_rows(table), (None, None))
    assert "FLOP/s" in both and "bytes/s" in both
    one = roofline_caption(roofline_rows(table, 1e12), (1e12, None))
    assert "bytes/s" in one.rpartition(".")[0].rpartition(".")[2]
    assert one.count("peak FLOP/s") == 0


def test_more_than_is_attainable_is_doubted(table):
    low = (PEAKS[0] / 10, PEAKS[1])
    doubts = [
        roofline_caption(roofline_rows(table, *peaks), peaks).count("too low")
        for peaks in (PEAKS, low)
    ]
    assert doubts == [0, 1]


@pytest.mark.slow
def test_only_so_many_points_are_drawn():
    runs = [run(f"k{i}", i * 10, 5, operations=10, memory_bytes=10) for i in range(MAX_POINTS + 3)]
    rows = roofline_rows(kernel_table(kernels(*runs)))
    assert len(points(roofline(rows, (None, None), None, "light")).x) == MAX_POINTS
    drawn = f"{MAX_POINTS:,}".replace(",", " ")
    assert drawn in numbers_in(roofline_caption(rows, (None, None)))
