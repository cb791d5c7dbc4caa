"""What comparisons say in words."""

import pytest

from analysis.comparison.cause import Cause
from components.comparison.words import (
    amount_words,
    cause_words,
    change_words,
    delta_words,
    headline,
    interval_words,
    relative_words,
)
from components.numbers import signed_text
from components.verdicts import SIGNS
from schema.comparison import CAPTURE, EXTENT, MEMORY
from tests.support.comparisons import HOSTILE, row_of

RATE = row_of(100.0, 90.0, low=-0.15, high=-0.05)
CAUSES = [
    Cause("gmacs_mean", "kernels", "core 3,0", -12.0, "points"),
    Cause("gmacs_mean", "idle", "core 3,0", 2.0, "points"),
]


def test_a_part_of_a_change_names_its_base_and_no_digits_that_say_nothing():
    small, large = (
        amount_words(Cause("gmacs_mean", "lock_stall", "core 3,0", amount, "points"))
        for amount in (0.006, -7.24)
    )
    assert small == "less than 0.1\N{NARROW NO-BREAK SPACE}% of base"
    assert large == "−7.2\N{NARROW NO-BREAK SPACE}% of base"


def test_changes_have_their_sign():
    assert [
        signed_text("3", 1),
        signed_text("3", -1),
        signed_text("0", 0),
        signed_text("0.0", 0.01),
    ] == [
        "+3",
        "−3",
        "0",
        "0.0",
    ]
    assert relative_words(-0.5).startswith("−50")
    assert relative_words(1e5) == "×\u202f100\u202f001"
    assert relative_words(1e300) == "×\u202f1.00\u202f×\u202f10³⁰⁰"
    assert relative_words(None) == relative_words(float("nan")) == ""
    assert delta_words(row_of(None, 1.0)) == "–"
    assert delta_words(row_of(1.0, 1.0)) == "="
    assert delta_words(row_of(0.1, 0.2, metric=CAPTURE["lock_stall"])).endswith("percentage points")


@pytest.mark.parametrize(
    ("estimate", "said"),
    [
        (-0.1, "(−10"),  # as the shown numbers
        (-0.1001, "(−10"),  # reads alike
        (-0.11, "−11"),  # the test weighs samples otherwise
        (-0.003, "without odd samples"),  # outside of its interval
        (-0.119, "−11.9"),  # near the shown numbers
    ],
)
def test_a_table_has_the_change_that_the_verdict_is_about(estimate, said):
    row = row_of(100.0, 90.0, estimate=estimate, low=estimate - 0.02, high=estimate + 0.02)
    shown = change_words(row)
    assert said in shown
    assert relative_words(row.judged_change) in shown


@pytest.mark.parametrize("estimate", [-0.264, 0.1])
def test_a_change_that_the_shown_numbers_contradict_names_its_basis(estimate):
    row = row_of(213.0, 225.0, estimate=estimate, low=-0.9, high=2.0)
    assert change_words(row) == f"{relative_words(estimate)} of geometric means"
    assert "geometric" not in change_words(row_of(213.0, 225.0, estimate=0.06, low=-0.9, high=2.0))


def test_an_interval_is_told_where_there_is_one():
    assert (
        interval_words(row_of(1.0, 2.0))
        == interval_words(row_of(1.0, 2.0, low=0.5, high=0.5))
        == ""
    )
    assert " to " in interval_words(RATE)


@pytest.mark.parametrize(
    "cause",
    [
        Cause("gmacs_mean", "lock_stall", "column 2", -3.0, "points"),
        Cause("peak_memory", "grown", "conv1", 4096, "bytes"),
        Cause("peak_memory", "born", "conv1", 4096, "bytes"),
        Cause("peak_memory", "buffers gone", "r_8", -4096, "bytes"),
        Cause("kernel_time", "slower", "r_8", 1500.0, "ns"),
        Cause("kernel_time", "born", HOSTILE, 1500.0, "ns"),
    ],
)
def test_a_cause_names_its_place_and_its_amount(cause):
    said = cause_words(cause)
    assert cause.where[-3:] in said
    assert "_" not in said.replace(cause.where, "")
    assert "\u202e" not in said
    assert amount_words(cause)[0] == ("+" if cause.amount > 0 else "−")


def test_the_sentence_names_the_number_its_change_and_what_explains_it():
    said = headline([RATE], CAUSES, "regressed")
    assert all(part in said for part in ("GMAC/s mean", "fell", "core 3,0"))
    assert said.endswith(".")
    assert "core 3,0" not in headline([RATE], [CAUSES[1]], "regressed")


def test_the_sentence_is_about_the_largest_change_of_the_verdict():
    two = [
        RATE,
        row_of(64.0, 640.0, metric=EXTENT, level="attempt", key="L1"),
        row_of(1.0, 3.0, "improved"),
    ]
    said = headline(two, [], "regressed")
    assert "L1" in said
    assert "rose" in said
    assert "1 more" in said


@pytest.mark.parametrize("verdict", ["undecided", "incomparable"])
def test_what_is_not_decided_says_why(verdict):
    row = row_of(1.0, None, verdict, metric=MEMORY["peak_memory"], reason=f"{HOSTILE} differs")
    said = headline([row], [], verdict)
    assert "differs" in said
    assert "\u202e" not in said


@pytest.mark.parametrize("verdict", SIGNS)
def test_there_is_a_sentence_for_every_verdict(verdict):
    for rows in (
        [],
        [row_of(1.0, 1.0, verdict)],
        [row_of(None, None, verdict)] * 3,
        [row_of(0.0, 2.0, verdict)],
    ):
        said = headline(rows, CAUSES, verdict)
        assert said[0].isupper()
        assert said.endswith(".")
