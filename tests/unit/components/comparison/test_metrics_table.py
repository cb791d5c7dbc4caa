"""The table of compared numbers and the pictures of their intervals."""

import re

import pytest

from components.comparison.metrics_table import common_scale, interval, metrics_table, rows_frame
from components.comparison.words import change_words
from components.verdicts import SIGNS, verdict_words
from schema.comparison import CAPTURE, MEMORY
from tests.support.comparisons import HOSTILE, row_of
from tests.support.components import every, words

RATE = row_of(100.0, 90.0, estimate=-0.1, low=-0.15, high=-0.05, n_base=9, n_new=9)
SHARE = row_of(0.1, 0.4, metric=CAPTURE["lock_stall"], estimate=0.3, low=0.2, high=0.4)
EXACT = row_of(64.0, 96.0, metric=MEMORY["peak_memory"], estimate=0.5, low=0.5, high=0.5)
NONE = row_of(None, None, "incomparable", reason="neither side has a value")


def place(part):
    """Return where a mark begins, and how wide it is, in percent of the picture."""
    return [
        float(part.style[name].removesuffix("%"))
        for name in ("left", "width")
        if name in part.style
    ]


def test_the_interval_lies_at_its_place_on_a_scale_around_zero():
    band, zero, span, dot = interval(RATE, 0.2).children
    assert place(band) == [pytest.approx(45), pytest.approx(10)]
    assert place(span) == [pytest.approx(12.5), pytest.approx(25)]
    assert place(dot) == [pytest.approx(25)]
    assert not hasattr(zero, "style")


def test_what_is_wider_than_the_picture_is_cut_off():
    wide = row_of(1.0, 2.0, estimate=3.0, low=-9.0, high=float("inf"))
    _, _, span, dot = interval(wide, 1.0).children
    assert place(span) == [0, 100]
    assert place(dot) == [100]
    assert 1 <= common_scale([wide]) < 1.1


def test_a_scale_shows_every_interval_and_what_is_called_unchanged():
    scale = common_scale([RATE, SHARE, NONE])
    assert 0.4 < scale <= 1.05
    assert common_scale([NONE]) > 0
    assert common_scale([row_of(1.0, 1.0, threshold=0.1, estimate=0.0, low=0.0, high=0.0)]) > 0.2


def test_an_exact_number_has_a_mark_that_is_seen():
    _, _, span, dot = interval(EXACT, 1.0).children
    assert place(span)[1] > 0
    assert place(dot)[0] == pytest.approx(place(span)[0])


def test_a_row_without_an_interval_has_no_picture():
    assert interval(NONE, 1.0) == ""
    assert interval(row_of(1.0, 2.0, estimate=1.0, low=None, high=2.0), 1.0) == ""


def test_what_decides_is_marked():
    made = metrics_table([RATE, SHARE, EXACT, NONE])
    heads = [row.children[0] for row in made.children[1].children]
    assert [bool(every(head, "Small")) for head in heads] == [
        row.gates for row in (RATE, SHARE, EXACT, NONE)
    ]
    assert rows_frame([RATE, SHARE])["decides"].tolist() == ["yes", ""]


def test_every_verdict_has_a_sign_beside_its_colour():
    for verdict in SIGNS:
        made = metrics_table([row_of(1.0, 2.0, verdict)])
        assert verdict_words(verdict) in words(made)
    assert len(set(SIGNS.values())) == len(SIGNS)


def test_keys_and_reasons_are_text_without_direction_characters():
    hostile = row_of(1.0, 2.0, "incomparable", key=HOSTILE, reason=f"{HOSTILE} differs")
    made = metrics_table([hostile])
    assert "<b>" in words(made)
    assert "\u202e" not in words(made)
    assert all("\u202e" not in one.title for one in every(made, "Th") if hasattr(one, "title"))


def test_the_text_of_the_rows_has_a_line_for_each():
    frame = rows_frame([RATE, SHARE, EXACT, NONE])
    assert frame["verdict"].tolist() == ["regressed", "regressed", "regressed", "incomparable"]
    intervals = frame["95 % interval of the change vs base"]
    assert re.search(r"15.*5", intervals[0])
    assert "percentage points" in intervals[1]
    assert intervals[2:].tolist() == ["", ""]
    assert len(rows_frame([])) == 0


def test_the_basis_of_a_change_has_a_line_of_its_own():
    row = row_of(213.0, 225.0, estimate=-0.264, low=-0.9, high=2.0)
    (cell,) = [cell for cell in every(metrics_table([row]), "Td") if "geometric" in words(cell)]
    text, basis = cell.children
    assert text == change_words(row).removesuffix(basis.children).rstrip()
