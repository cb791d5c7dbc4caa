import re

import numpy as np
import pandas as pd
import pytest

from analysis.aie.waterfall import EFFICIENCY, GAPS, LOSSES, Waterfall
from components.aie.waterfall import LABELS, waterfall, waterfall_caption
from components.theme import palette
from tests.support.numbers_in_text import has_numbers


def made(peak: float = 100.0, **shares: float) -> Waterfall:
    share = pd.Series({step: shares.get(step, 0.0) for step in LOSSES}, dtype="float64")
    steps = pd.DataFrame(
        {
            "ticks": share * 1_000,
            "share": share,
            "gmacs": share * peak,
            "main_part": "lock_between",
        },
        index=list(LOSSES),
    )
    missing = ("peak_macs_per_cycle", "k", "n") if np.isnan(peak) else ()
    return Waterfall(peak, peak - float(steps["gmacs"].sum()), 4, 3, steps, missing)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_loss_begins_where_the_one_above_it_ends(theme: str) -> None:
    totals, losses, _ = waterfall(made(kernel_efficiency=0.1, gaps=0.3), theme).data
    assert totals.x == (100.0, pytest.approx(60.0))
    ends = np.asarray(losses.base) + np.asarray(losses.x)
    assert ends.tolist() == pytest.approx([100.0, *np.asarray(losses.base)[:-1]])
    assert losses.base[-1] == pytest.approx(60.0)
    assert losses.customdata[:, 0].tolist() == list(LOSSES)


def test_a_loss_is_told_and_clicked_in_all_of_its_row() -> None:
    figure = waterfall(made(kernel_efficiency=0.1, gaps=0.001), "light")
    losses, rows = figure.data[1:]
    low, high = figure.layout.xaxis.range
    assert np.asarray(rows.base).tolist() == [low] * len(LOSSES)
    assert (np.asarray(rows.base) + np.asarray(rows.x)).tolist() == [high] * len(LOSSES)
    assert rows.width == 1
    for told in ("y", "customdata", "hovertemplate"):
        assert np.array_equal(getattr(rows, told), getattr(losses, told))


def test_the_largest_loss_stands_out_and_is_named() -> None:
    found = made(kernel_efficiency=0.1, gaps=0.3)
    losses = waterfall(found, "light").data[1]
    bold = [
        step
        for step, colour in zip(LOSSES, losses.marker.color, strict=True)
        if colour == palette("light").caution
    ]
    assert bold == [GAPS]
    answer = waterfall_caption(found)
    assert LABELS[GAPS] in answer
    assert "60.0 of 100 GMAC/s" in answer
    assert "lock stalls" in answer


def test_kernels_beyond_the_peak_go_up_and_are_hatched() -> None:
    totals, losses, _ = waterfall(made(kernel_efficiency=-0.2), "light").data
    assert totals.x[1] == pytest.approx(120.0)
    assert [shape for shape in losses.marker.pattern.shape if shape] == ["/"]
    assert GAPS not in waterfall_caption(made(kernel_efficiency=-0.2))


def test_the_label_of_a_gain_is_signed_and_to_the_right_of_its_bar() -> None:
    _, losses, _ = waterfall(made(kernel_efficiency=-11.165, gaps=0.1), "light").data
    texts = dict(zip(LOSSES, losses.text, strict=True))
    assert texts[EFFICIENCY].replace("\u202f", " ") == "+1 117 · −1 116.5 %"
    assert not re.search(r"-\d", "".join([*losses.text, *losses.hovertemplate]))
    assert all(size >= 0 for size in losses.x)
    assert losses.base[list(LOSSES).index(EFFICIENCY)] == 100.0


def test_without_a_peak_time_is_shown() -> None:
    found = made(float("nan"), gaps=0.3)
    found.steps.loc[EFFICIENCY, ["ticks", "share"]] = np.nan
    totals, losses, _ = waterfall(found, "light").data
    assert totals.x == (1.0, pytest.approx(0.7))
    assert "–" in losses.text[0]
    assert "GMAC/s" not in waterfall_caption(found)
    assert "peak, k and n" in waterfall_caption(found)
    assert "30.0" in waterfall_caption(found)


def test_without_iterations_there_is_a_sentence() -> None:
    figure = waterfall(None, "light")
    assert len(figure.data) == 0
    assert figure.layout.annotations[0].text == waterfall_caption(None)


def test_the_caption_counts_the_traced_cores_that_are_left_out() -> None:
    assert has_numbers(waterfall_caption(made(gaps=0.2), None, 6), "4", "6")
    assert "(4 cores, " in waterfall_caption(made(gaps=0.2), None, 4)


@pytest.mark.parametrize(("efficiency", "impossible"), [(0.1, False), (-11.05, True)])
def test_the_caption_calls_a_rate_above_the_peak_impossible(efficiency, impossible) -> None:
    caption = waterfall_caption(made(**{EFFICIENCY: efficiency}))
    assert caption.startswith("Impossible") is impossible
