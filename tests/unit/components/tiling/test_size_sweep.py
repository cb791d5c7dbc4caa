"""Plot and caption of a sweep over a size."""

import numpy as np
import pytest

from analysis.aie.efficiency import Efficiency, SizeSweep, SweptSize
from components.tiling.size_sweep_plot import Series, bridge_gaps, size_sweep_plot
from components.tiling.size_sweep_words import sweep_caption, sweep_cells

NAN = float("nan")


def sweep(*systems):
    sizes = tuple(
        SweptSize(64 * (at + 1), f"run{at}", Efficiency(0.9, system, None))
        for at, system in enumerate(systems)
    )
    return SizeSweep("K", {"M": 128, "N": 32}, 64, 80.0, sizes)


@pytest.mark.parametrize(
    ("values", "places", "bridged"),
    [
        ([0.2, NAN, 0.6], [0, 1, 2, NAN], [0.2, 0.4, 0.6, NAN]),
        ([NAN, 0.2, 0.4, NAN], [], []),
        ([0.1, NAN, NAN, 0.4, NAN, 0.2], [0, 1, 2, 3, NAN, 3, 4, 5, NAN], None),
        ([NAN, NAN], [], []),
        ([], [], []),
    ],
)
def test_only_gaps_between_known_values_are_bridged(values, places, bridged):
    at, found = bridge_gaps(np.array(values, float))
    np.testing.assert_array_equal(at, places)
    expected = [0.1, 0.2, 0.3, 0.4, NAN, 0.4, 0.3, 0.2, NAN] if bridged is None else bridged
    np.testing.assert_allclose(found, expected)


def test_each_series_is_a_line_and_its_gap_has_a_cross():
    series = [Series("kernel", [0.9, 0.8, 0.7]), Series("system", [0.5, None, 0.3])]
    drawn = size_sweep_plot(["64", "128", "256"], series, ["a", "b", "c"], "K", "light")
    kernel, system, gap = drawn.data
    assert list(kernel.y) == [0.9, 0.8, 0.7] and np.isnan(system.y[1])
    assert gap.y[1] == pytest.approx(0.4) and list(gap.marker.size) == [0, 8, 0, 0]
    assert list(drawn.layout.xaxis.ticktext) == ["64", "128", "256"]


def test_the_caption_names_the_best_size_and_counts_unknown_ones():
    caption = sweep_caption(sweep(0.25, None, 0.5))
    assert caption.startswith("K = 192") and "50.0" in caption
    assert "3 sizes" in caption and "1 unknown" in caption and "M = 128 and N = 32" in caption


def test_a_single_size_and_unknown_numbers_have_captions_of_their_own():
    assert "no other run" in sweep_caption(sweep(0.5))
    assert "50" not in sweep_caption(sweep(None, None))


def test_a_row_has_size_efficiencies_and_run():
    assert sweep_cells(sweep(0.5))[0] == ["K = 64", "90.0\u202f%", "50.0\u202f%", "–", "run0"]


def test_a_size_above_the_peak_is_not_the_best_and_is_counted():
    caption = sweep_caption(sweep(0.25, 12.05, 0.5))
    assert caption.startswith("K = 192") and "1 impossible" in caption and "unknown" not in caption
