"""The cell of a run against its baseline."""

import pytest

from components.runs.against import checked_cell, failed_cell, member_cell, pending_cell
from components.runs.baselines import ShownBaseline, baseline_list
from storage.checks import Check


def check_of(verdict, metric="", relative=None, delta=None, **said):
    return Check(
        "a&b",
        "ab12",
        "ab12/0",
        "hash",
        verdict,
        metric=metric,
        relative=relative,
        delta=delta,
        **said,
    )


@pytest.mark.parametrize(
    ("check", "shown", "look"),
    [
        (
            check_of("regressed", "gmacs_mean", -0.061, -3.0),
            "▼ regressed −6.1\u202f% GMAC/s",
            "trouble",
        ),
        (
            check_of("improved", "peak_memory", -0.25, -64.0),
            "▲ improved −25.0\u202f% peak mem",
            "good",
        ),
        (
            check_of("unchanged", "peak_memory", 0.0, 0.0),
            "= unchanged 0.0\u202f% peak mem",
            "muted",
        ),
        (
            check_of("unchanged", "gmacs_mean", -0.0001, -0.1),
            "= unchanged 0.0\u202f% GMAC/s",
            "muted",
        ),
        (
            check_of("regressed", "failed_blocks", None, 2.0),
            "▼ regressed +2 failed blocks",
            "trouble",
        ),
        (check_of("undecided", "gmacs_mean"), "? undecided", "caution"),
        (check_of("incomparable"), "≠ incomparable", "caution"),
        # The change of runs that cannot be compared means nothing.
        (check_of("incomparable", "gmacs_mean", -0.061, -3.0), "≠ incomparable", "caution"),
    ],
)
def test_a_verdict_is_symbol_word_change_and_colour(check, shown, look):
    cell = checked_cell(check)
    assert (cell["against"], cell["against_look"]) == (shown, look)
    assert cell["against_href"] == "/compare?baseline=a%26b&new=ab12"


def test_the_tooltip_has_number_reason_and_baseline():
    told = checked_cell(check_of("regressed", "extent", 0.25, 10.0, reason="larger", about="L2"))[
        "against_told"
    ]
    assert [part in told for part in ("a&b", "extent of L2", "+25.0", "larger")] == [True] * 4


def test_names_are_tame_and_cells_without_a_verdict_lead_nowhere():
    for cell in (
        member_cell("x\u202e\x07"),
        pending_cell("x\u202e\x07"),
        failed_cell("x\u202e\x07", "y\x07"),
    ):
        assert cell["against_href"] == ""
        assert all(text.isprintable() for text in cell.values())
    assert member_cell("main")["against"] == "in baseline main"


def test_a_baseline_says_its_runs_and_what_was_deleted():
    told = str(
        baseline_list(
            [ShownBaseline("<b>", "fixed", "hwid=npu", "2026-11-01T10:00", {"ab": "mine"}, ["cd"])]
        )
    )
    assert [part in told for part in ("'<b>'", "mine", "/run/ab", "cd", "hwid=npu")] == [True] * 5
    assert "no run is left" in str(baseline_list([ShownBaseline("x", "fixed", "", "", {}, ["cd"])]))
    assert "no baseline" in str(baseline_list([]))
