"""The waterfall of a change: it sums from base to new, whatever its causes leave."""

import base64

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.comparison.cause import Cause, largest_first
from components.comparison.attribution import attribution
from schema.comparison import MEMORY, PROFILE
from tests.support.comparisons import HOSTILE, row_of

PEAK, TIME = MEMORY["peak_memory"], PROFILE["kernel_time"]


def points(*amounts):
    return largest_first(
        [
            Cause("gmacs_mean", "kernels", f"core {rank},0", at, "points")
            for rank, at in enumerate(amounts)
        ]
    )


def numbers(sent):
    """Return an array as it is sent to the browser."""
    return (
        np.frombuffer(base64.b64decode(sent["bdata"]), sent["dtype"])
        if isinstance(sent, dict)
        else np.array(sent)
    )


def bars(figure):
    """Return the trace of the causes: starts, sizes, ranks of its bars."""
    totals, causes, _ = figure.to_plotly_json()["data"]
    assert totals["y"] == [0, len(causes["customdata"]) + 1]
    return numbers(causes["base"]), numbers(causes["x"]), [rank for (rank,) in causes["customdata"]]


def assert_chain(figure):
    """Check that each bar begins where the one above it ends, from base to new."""
    starts, sizes, _ = bars(figure)
    ends = figure.to_plotly_json()["data"][0]["x"]
    assert starts[0] == pytest.approx(100)
    np.testing.assert_allclose(starts[1:], (starts + sizes)[:-1], atol=1e-9)
    assert ends[0] == pytest.approx(100)
    assert (starts + sizes)[-1] == pytest.approx(ends[1], abs=0.011 * abs(ends[1] - 100) + 1e-9)


def test_causes_that_sum_to_the_change_leave_nothing():
    figure = attribution(row_of(200.0, 180.0), points(-7.0, -3.0), "light")
    assert_chain(figure)
    assert bars(figure)[2] == [0, 1]
    assert figure.data[0].x == (100.0, 90.0)
    causes, rows = figure.data[1:]
    assert np.array_equal(rows.customdata, causes.customdata)
    assert set(np.asarray(rows.x)) == {figure.layout.xaxis.range[1] - figure.layout.xaxis.range[0]}


def test_what_causes_leave_is_a_bar_of_its_own_that_selects_nothing():
    figure = attribution(row_of(200.0, 180.0), points(-7.0), "light")
    assert_chain(figure)
    _, sizes, ranks = bars(figure)
    assert ranks == [0, -1]
    assert sizes[-1] == pytest.approx(-3)


def test_small_and_many_causes_are_one_bar():
    small = attribution(row_of(100.0, 90.0), points(-9.0, -0.96, -0.02, -0.02), "light")
    assert bars(small)[2] == [0, 1, -1]
    many = attribution(row_of(100.0, 70.0), points(*[-2.0] * 15), "light")
    assert bars(many)[2] == [*range(10), -1]
    assert_chain(many)


def test_bytes_and_time_are_parts_of_the_base():
    grown = [
        Cause("peak_memory", "grown", "b", 512, "bytes"),
        Cause("peak_memory", "gone", "c", -256, "bytes"),
    ]
    figure = attribution(row_of(1024.0, 1280.0, metric=PEAK), grown, "light")
    assert bars(figure)[1].tolist() == [50.0, -25.0]
    assert_chain(figure)
    slower = [Cause("kernel_time", "slower", "r_8", 500.0, "ns")]
    assert_chain(attribution(row_of(1000.0, 1500.0, metric=TIME), slower, "dark"))


def test_what_makes_a_number_worse_is_hatched():
    rate = attribution(row_of(100.0, 95.0), points(-7.0, 2.0), "light").data[1]
    assert [bool(shape) for shape in rate.marker.pattern.shape] == [True, False]
    both = [
        Cause("peak_memory", "grown", "b", 512, "bytes"),
        Cause("peak_memory", "gone", "c", -256, "bytes"),
    ]
    peak = attribution(row_of(1024.0, 1280.0, metric=PEAK), both, "light").data[1]
    assert [bool(shape) for shape in peak.marker.pattern.shape] == [True, False]


@pytest.mark.parametrize(
    "row",
    [None, row_of(None, 3.0), row_of(0.0, 3.0), row_of(3.0, None)],
    ids=["none", "no base", "zero", "no new"],
)
def test_without_a_number_there_is_no_picture(row):
    assert not attribution(row, points(-1.0), "light").has_traces
    assert not attribution(row_of(1.0, 2.0), [], "light").has_traces


def test_names_of_files_are_text():
    figure = attribution(
        row_of(1024.0, 1280.0, metric=PEAK),
        [Cause("peak_memory", "grown", HOSTILE, 256, "bytes")],
        "light",
    )
    words = [*figure.layout.yaxis.ticktext, *figure.data[1].hovertext]
    assert not any(part in word for word in words for part in ("</script>", "%{x}", "\u202e"))


@given(
    st.lists(st.floats(-60, 60), min_size=1, max_size=25), st.floats(1, 1e9), st.floats(0.05, 20)
)
def test_any_causes_sum_from_base_to_new(amounts, base, factor):
    figure = attribution(row_of(base, base * factor), points(*amounts), "light")
    assert_chain(figure)
    assert len(bars(figure)[1]) <= 12
