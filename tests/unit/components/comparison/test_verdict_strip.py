"""The verdict strip of a run: its text, its links, and what its attributes say."""

from urllib.parse import parse_qs, urlsplit

import pytest
from dash import dcc

from analysis.comparison.cause import Cause
from analysis.comparison.series import SeriesKey
from analysis.comparison.status_row import (
    Acknowledged,
    CommitMoment,
    RunStanding,
    Since,
    StatusPoint,
    StatusRow,
    StatusRun,
)
from components.comparison.verdict_strip import strip_text, verdict_strip
from tests.support.components import words
from tests.support.numbers_in_text import has_numbers, numbers_in

KEY = SeriesKey("aie", "npu2", 256, 64, 128, None, None, None, 2, 2, None, "", None)
GOOD = CommitMoment("good", "2026-11-20T02:00:00+00:00", "goodc0ffee")
BAD = CommitMoment("bad", "2026-11-21T02:00:00+00:00", "1f0939a7b0")
KERNELS = Cause("gmacs_mean", "kernels", "all cores", -7.0, "points")


def standing(verdict="regressed", relative=-0.07, rule="nightly", runs=5, **changed):
    """A run against a rule that compares it with so many runs."""
    run = StatusRun("latest", "2026-11-24T02:00:00+00:00", "c0ffee", "main", "f.json", "night")
    since = Since(BAD, GOOD, 4, None, 258.2) if verdict == "regressed" else None
    cause = KERNELS if verdict in ("regressed", "improved") else None
    given = {
        "key": KEY,
        "run": run,
        "metric": "gmacs_mean",
        "value": 240.0,
        "base": 258.0,
        "relative": relative,
        "verdict": verdict,
        "reason": "why",
        "since": since,
        "acknowledged": None,
        "points": [StatusPoint("latest", run.taken_at, 240.0, verdict)],
        "age_days": 0.0,
        "cause": cause,
    }
    ids = None if runs is None else [f"b{rank}" for rank in range(runs)]
    return RunStanding(rule, StatusRow(**given | changed), ids)


def plain(text):
    return text.replace("\u202f", " ").replace("\N{NO-BREAK SPACE}", " ")


def links(strip):
    pieces = [piece for part in strip for piece in part.children]
    return {piece.children: piece.href for piece in pieces if isinstance(piece, dcc.Link)}


def test_a_regressed_run_says_by_how_much_since_when_why_and_what_was_good():
    (strip,) = verdict_strip([standing()])
    text = plain(strip_text([standing()]))
    assert numbers_in(text) == ["−7.0 %", "5", "258 GMAC/s"]
    assert all(name in text for name in ("▼", "nightly", "1f0939a7", "kernels", "all cores"))
    attributes = strip.to_plotly_json()["props"]
    assert (attributes["data-verdict"], attributes["data-base"]) == ("regressed", "nightly")


def test_base_first_bad_and_last_good_run_are_links():
    found = links(verdict_strip([standing()]))
    compare = urlsplit(found.pop("nightly (5 runs)"))
    assert compare.path == "/compare"
    assert parse_qs(compare.query) == {"baseline": ["nightly"], "new": ["latest"]}
    assert {*found.values()} == {"/run/bad", "/run/good"}


@pytest.mark.parametrize(
    ("given", "lead", "numbers", "end"),
    [
        (standing("unchanged", -0.009), "= unchanged", ["−0.90 %", "5"], ""),
        (standing("improved", 0.075, runs=1), "▲ improved", ["+7.5 %", "1"], "all cores"),
        (standing("undecided", None, value=None, runs=0), "? undecided", [], "why"),
    ],
)
def test_other_verdicts_name_their_base(given, lead, numbers, end):
    text = plain(strip_text([given]))
    assert text.startswith(lead) and "nightly" in text and text.endswith(end)
    assert numbers_in(text) == numbers


def test_a_comparison_that_is_not_made_yet_has_no_count_of_runs_but_a_link():
    pending = standing("undecided", None, runs=None, value=None, metric="")
    assert plain(strip_text([pending])) == "? undecided vs nightly: why"
    assert [*links(verdict_strip([pending]))] == ["nightly"]


def test_a_run_without_older_runs_has_no_comparison():
    assert links(verdict_strip([standing("undecided", None, runs=0)])) == {}


def test_incomparable_counts_as_undecided():
    (strip,) = verdict_strip([standing("incomparable", None)])
    assert strip.to_plotly_json()["props"]["data-verdict"] == "undecided"
    assert "incomparable" in words(strip)


def test_a_number_that_is_not_the_main_one_is_named():
    points = [StatusPoint("latest", "2026-11-24", 17.0, "regressed")]
    assert "−7.0 % GMAC/s mean vs nightly" in plain(strip_text([standing(points=points)]))


def test_a_change_from_zero_has_both_numbers():
    text = plain(strip_text([standing(relative=None)]))
    assert has_numbers(text, "240 GMAC/s", "258 GMAC/s")


def test_a_regression_without_commits_has_its_date():
    since = Since(CommitMoment("bad", "2026-11-21T02:00:00", ""), None, 4)
    text = plain(strip_text([standing(since=since)]))
    assert "since 2026-11-21 02:00" in text
    assert "last good" not in text


def test_an_acknowledgement_and_other_rules_are_named():
    known = standing(acknowledged=Acknowledged("edgar", "compiler", "2026-11-25"))
    text = plain(strip_text([known, standing("unchanged", 0.0, "weekly")]))
    assert "; acknowledged by edgar: compiler" in text
    assert text.endswith("; other rules: weekly = unchanged")


def test_names_of_a_rule_are_text():
    name = "<b>&\u202e" + "n" * 90
    (strip,) = verdict_strip([standing(rule=name)])
    assert "\u202e" not in words(strip)
    assert len(words(strip)) < 200


def test_a_run_without_a_rule_has_no_strip():
    assert verdict_strip([]) == []
    assert strip_text([]) == ""
