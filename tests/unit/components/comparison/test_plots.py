"""The plots of both sides: what each draws, and what a click on it names."""

import numpy as np
import pandas as pd
import pytest

from components.comparison.banks import banks
from components.comparison.durations import durations
from components.comparison.iterations import RunIterations, iterations
from components.comparison.parts import LABELS, parts
from components.comparison.sides import SIDES, side_color
from components.comparison.tile_changes import tile_changes
from schema.time_units import NANOSECONDS
from tests.support.comparisons import HOSTILE
from tests.support.contrast import words_on_bars


def of(side, rates, *, warm=1, odd=(), name="run"):
    numbers = np.arange(len(rates))
    return RunIterations(
        side, name, numbers, np.array(rates, float), numbers >= warm, np.isin(numbers, odd)
    )


def test_iterations_are_a_line_per_run_with_the_mean_of_what_is_compared():
    runs = [of("base", [1, 10, 12]), of("base", [1, 14, 12]), of("new", [2, 6, 60, 8], odd=(2,))]
    figure = iterations(runs, 1, "light")
    assert [trace.name for trace in figure.data] == ["base", "base", "new"]
    assert [trace.showlegend for trace in figure.data] == [True, False, True]
    assert [shape.y0 for shape in figure.layout.shapes] == [12, 7]
    assert list(figure.data[2].marker.symbol) == ["circle-open", "circle", "x-thin-open", "circle"]
    assert [list(one) for one in figure.data[2].customdata] == [[0], [1], [2], [3]]
    sizes = figure.data[0].marker.size
    assert sizes[1] > sizes[0] == sizes[2]


def test_without_iterations_a_sentence_stands_there():
    figure = iterations([of("base", []), of("new", [])], None, "light")
    assert not figure.has_traces
    assert figure.notes
    assert len(iterations([of("base", []), of("new", [1, 2])], None, "dark").data) == 1


@pytest.mark.parametrize("unit", ["cycles", NANOSECONDS])
@pytest.mark.parametrize("form", ["histogram", "ecdf"])
def test_distributions_of_both_sides_are_shares_on_one_axis(form, unit):
    base, new = np.array([100.0, 110.0, 120.0, 100.0]), np.array([150.0, 160.0])
    figure = durations({"base": base, "new": new}, "light", form=form, unit=unit)
    assert len(figure.data) == len(figure.layout.shapes) == 2
    if form == "histogram":
        assert [sum(trace.y) for trace in figure.data] == [pytest.approx(1), pytest.approx(1)]
        edges = {
            round(x - width / 2, 9)
            for trace in figure.data
            for x, width in zip(trace.x, trace.width, strict=True)
        }
        assert len(edges) <= 5
    else:
        assert all(trace.y[0] == 0 and trace.y[-1] == pytest.approx(1) for trace in figure.data)
    medians = [shape.x0 for shape in figure.layout.shapes]
    assert medians[0] < medians[1]


def test_a_side_without_kernels_is_left_out():
    assert (
        len(
            durations(
                {"base": np.empty(0), "new": np.array([3.0])},
                "light",
                form="histogram",
                unit="cycles",
            ).data
        )
        == 1
    )
    assert durations(
        {"base": np.empty(0), "new": np.empty(0)}, "light", form="ecdf", unit="cycles"
    ).notes


def test_parts_of_the_time_are_pairs_of_bars():
    shares = {
        "base": {"kernels": 0.7, "lock_stall": 0.3},
        "new": {"kernels": 0.6, "lock_stall": 0.3, "late_start": 0.1},
    }
    figure = parts(shares, "light")
    assert list(figure.layout.yaxis.ticktext) == [
        LABELS[name] for name in ("late_start", "kernels", "lock_stall")
    ]
    assert [sum(trace.x) for trace in figure.data] == [pytest.approx(1), pytest.approx(1)]
    assert parts({"base": {}, "new": {}}, "light").notes


def tiles(*rows):
    return pd.DataFrame(rows, columns=["track", "row", "col", "harm", "text", "hover", "verdict"])


def test_tiles_stand_at_their_places_and_a_sign_tells_what_became_of_them():
    rows = tiles(
        ("core 2,0", 2, 0, 0.1, "+10 %", "a", "regressed"),
        ("core 3,1", 3, 1, -0.1, "-10 %", "b", "improved"),
        ("core 4,1", 4, 1, np.nan, "", "c", ""),
        ("nowhere", None, None, 0.5, "", "d", "regressed"),
    )
    (cells,) = tile_changes(rows, "core 3,1", "median", "light").data
    assert [name for (name,) in cells.customdata] == ["core 2,0", "core 3,1", "core 4,1"]
    assert list(cells.x) == [0, 1, 1]
    assert [low + height / 2 for low, height in zip(cells.base, cells.y, strict=True)] == [2, 3, 4]
    assert len(set(cells.marker.color)) == 3
    assert list(np.flatnonzero(cells.marker.line.width)) == [1]
    assert [text[-1:] for text in cells.text] == ["▼", "▲", ""]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_on_tiles_read_however_strong_their_colour(theme):
    verdicts = ("regressed", "improved", "same", "")
    rows = [
        (f"core {row},0", row, 0, 0.01 * row, "10 %", "", verdicts[row % 4]) for row in range(2, 14)
    ]
    found = [
        contrast
        for _, contrast in words_on_bars(tile_changes(tiles(*rows), "", "median", theme), theme)
    ]
    assert len(found) == len(rows)
    assert min(found) >= 4.5


def test_without_places_there_is_no_array():
    assert tile_changes(tiles(("core", None, None, 0.1, "", "", "")), "", "x", "light").notes


def test_names_of_tiles_are_text():
    (cells,) = tile_changes(tiles((HOSTILE, 2, 0, 0.1, "", "", "")), "", "x", "light").data
    assert not any(part in cells.hovertext[0] for part in ("</script>", "%{x}", "\u202e"))
    assert cells.customdata[0][0] == HOSTILE


def test_banks_have_means_and_peaks_of_both_sides():
    base = pd.DataFrame({"bank": [0, 1], "mean": [10.0, 0.0], "peak": [40.0, 0.0]})
    figure = banks(base, base.assign(mean=[12.0, 5.0], peak=[40.0, 20.0]), "light")
    assert [(trace.type, list(trace.x)) for trace in figure.data] == [
        ("bar", [10, 0]),
        ("scatter", [40, 0]),
        ("bar", [12, 5]),
        ("scatter", [40, 20]),
    ]


def test_the_sides_look_alike_everywhere_and_differ_from_each_other():
    for theme in ("light", "dark"):
        assert len({side_color(side, theme) for side in SIDES}) == 2
