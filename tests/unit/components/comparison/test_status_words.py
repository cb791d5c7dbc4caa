"""Every number in the sentence and lines of a status, against the rows of its JSON."""

import re
from dataclasses import replace
from itertools import combinations_with_replacement

import pytest

from analysis.comparison.series import SeriesKey
from analysis.comparison.status_row import (
    Acknowledged,
    CommitMoment,
    Since,
    Status,
    StatusRow,
    StatusRun,
)
from components.comparison.status_table import status_table
from components.comparison.status_words import status_lines, status_sentence
from tests.support.sentences import COUNT, number_faults, plain

AT = "2026-11-24T02:00:00+00:00"
KEY = SeriesKey("aie", "npu2", 256, 64, 128, None, None, None, 2, 2, None, "", None)
KNOWN = Acknowledged("ann", "", AT)
KINDS = ("regressed", "acknowledged", "undecided", "incomparable", "unchanged")


def row(kind="unchanged", place=0, commit="c0ffee", since=None):
    key = KEY._replace(hwid=f"npu{place}")
    run = StatusRun(f"id{place}", AT, commit, "main", "f.json", "night")
    verdict = "regressed" if kind == "acknowledged" else kind
    known = KNOWN if kind == "acknowledged" else None
    change = -0.01 * (place + 1)
    numbers = ("gmacs_mean", 240.0, 258.0, change)
    return StatusRow(key, run, *numbers, verdict, "", since, known, [], age_days=0.0)


def status(*kinds, missing=0):
    rows = [row(kind, place) for place, kind in enumerate(kinds)]
    return Status("nightly", AT, rows, missing)


STATUSES = [
    status(*kinds) for count in range(4) for kinds in combinations_with_replacement(KINDS, count)
]


def records(of):
    return of.record()["rows"]


def count(of, verdict):
    return sum(record["verdict"] == verdict for record in records(of))


@pytest.mark.parametrize("of", STATUSES, ids=lambda of: "-".join(row.verdict for row in of.rows))
def test_the_counts_of_the_sentence_are_those_of_the_rows(of):
    sentence = plain(status_sentence(of))
    assert not number_faults(sentence)
    if len(of.rows) < 2:
        return
    whole = re.search(rf"{COUNT} keys", sentence)
    assert int(whole[1]) == len(records(of))
    regressed = re.search(rf"{COUNT} of \d+ keys regressed", sentence)
    assert int(regressed[1] if regressed else 0) == count(of, "regressed")
    for verdict in ("undecided", "incomparable"):
        found = re.search(rf"{COUNT} {verdict}", sentence)
        assert int(found[1] if found else 0) == count(of, verdict)


@pytest.mark.parametrize("of", STATUSES, ids=lambda of: "-".join(row.verdict for row in of.rows))
def test_the_worst_key_is_named_with_the_largest_change_that_is_news(of):
    sentence = plain(status_sentence(of))
    news = [
        record["relative"]
        for record in records(of)
        if record["verdict"] == "regressed" and record["acknowledged"] is None
    ]
    changes = re.findall(r"−([\d.]+) % vs nightly", sentence)
    assert [float(change) for change in changes] == ([-100 * min(news)] if news else [])
    acknowledged = sum(record["acknowledged"] is not None for record in records(of))
    assert ("acknowledged" in sentence) == bool(acknowledged)
    some = re.search(rf"{COUNT} of them acknowledged", sentence)
    assert some is None or int(some[1]) == acknowledged < count(of, "regressed")


def test_a_key_without_a_verdict_is_not_called_good():
    for kinds in (("undecided",), ("undecided", "undecided"), ("incomparable", "undecided")):
        sentence = status_sentence(status(*kinds))
        assert "regress" not in sentence
        assert all(kind in sentence for kind in kinds)


def test_missing_comparisons_are_counted():
    sentence = plain(status_sentence(status("unchanged", "undecided", missing=1)))
    assert re.search(rf"{COUNT} comparison still", sentence)[1] == "1"
    assert not number_faults(sentence)


def test_while_no_key_is_compared_the_sentence_does_not_say_that_the_rule_covers_none():
    sentence = plain(status_sentence(status(missing=7)))
    assert re.search(rf"{COUNT} comparisons still", sentence)[1] == "7"
    assert "covers" not in sentence


def test_without_runs_the_sentence_names_rule_and_time():
    sentence = status_sentence(status())
    assert "nightly" in sentence and AT[:10] in sentence


@pytest.mark.parametrize(("good", "bad"), [("", ""), ("a1", ""), ("", "b2"), ("a1", "b2")])
def test_a_line_names_only_commits_that_are_known(good, bad):
    since = Since(CommitMoment("r2", AT, bad), CommitMoment("r1", AT, good), 3)
    of = Status("nightly", AT, [replace(row("regressed", commit=bad), since=since)])
    _, line = status_lines(of)
    assert "–" not in line.replace("−", "")
    assert [commit in line for commit in ("a1", "b2")] == [bool(good), bool(bad)]
    assert re.search(rf"\({COUNT} runs\)", plain(line))[1] == "3"


@pytest.mark.parametrize("kind", KINDS)
def test_only_an_incomparable_run_has_its_reason_in_line_and_table(kind):
    of = Status("nightly", AT, [replace(row(kind), reason="259 % of its peak")])
    _, line = status_lines(of)
    table = str(status_table(of.rows, "nightly", is_editor=False).to_plotly_json())
    assert ("259 % of its peak" in line) is (kind == "incomparable")
    assert (table.count("259 % of its peak") == 2) is (kind == "incomparable")
