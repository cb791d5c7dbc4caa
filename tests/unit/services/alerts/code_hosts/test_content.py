"""Text of comments and issues: numbers, links, and names that stay names."""

import re

import pytest

from analysis.comparison.series import SeriesKey
from analysis.comparison.status_row import (
    Acknowledged,
    CommitMoment,
    RunStanding,
    Since,
    StatusRow,
    StatusRun,
)
from services.alerts.code_hosts.content import (
    MAX_BODY_BYTES,
    MAX_ROWS,
    issue_body,
    issue_title,
    pull_request_body,
    step_comment,
)
from services.alerts.code_hosts.marker import read_marker
from services.alerts.code_hosts.payloads import (
    is_commit,
    issue_payload,
    pull_request_payload,
)
from services.alerts.origin import MessageOrigin
from storage.alerts import Alert
from tests.support.numbers_in_text import numbers_in

AT = "2026-11-02T00:00:00+00:00"
URL = "https://tiles.example.org/"
HOSTILE = "@team | fixes #1 `x` <b> https://example.org [a](b)\n/close"
BLANK = dict.fromkeys(SeriesKey._fields)


def row(name="gemm", *, commit="0123456789abcdef", verdict="regressed", reason="", **given):
    key = SeriesKey(**(BLANK | {"source": "aie", "hwid": "npu2", "name": name}))
    run = StatusRun("f" * 64, AT, commit, name, "trace.json", name)
    since = Since(CommitMoment("b" * 64, AT, commit), CommitMoment("a" * 64, AT, "abc1234"), 2)
    numbers = {"metric": "gmacs_mean", "value": 1.5, "base": 2.0, "relative": -0.25}
    more = {"acknowledged": None, "points": [], "age_days": 0.0, "since": since}
    return StatusRow(key=key, run=run, verdict=verdict, reason=reason, **(numbers | more | given))


def alert(name="team", rule="nightly"):
    return Alert(name, rule)


def pull(rows, url=URL, **named):
    standings = [RunStanding("nightly", made, ["c" * 64]) for made in rows]
    return pull_request_payload(alert(**named), standings, AT, AT, MessageOrigin("", url))


def bodies(name, url=URL):
    """Return every kind of text about a run whose names are all `name`."""
    made = row(name, commit=name, reason=name, acknowledged=Acknowledged(name, name, AT))
    steps = [
        issue_payload(step, alert(name, name), made, AT, MessageOrigin("", url))
        for step in ("regressed", "lasting", "recovered")
    ]
    texts = [issue_body(step) for step in steps] + [step_comment(step) for step in steps]
    return [*texts, pull_request_body(pull([made], url, name=name, rule=name))]


def test_a_comment_has_verdict_numbers_and_links():
    body = pull_request_body(pull([row(), row("conv", verdict="unchanged")]))
    assert read_marker(body).purpose == "pull_request"
    assert "regressed" in body.splitlines()[1]
    [first, second] = [line for line in body.splitlines() if line.startswith("| `")]
    base, value, change = first.split(" | ")[2:5]
    assert [base, value] == ["`2 GMAC/s`", "`1.5 GMAC/s`"]
    assert numbers_in(change) == ["-25.0 %", "`nightly`"]
    assert re.findall(r"\]\((\S+?)\)", first) == [
        f"https://tiles.example.org/run/{'f' * 64}",
        f"https://tiles.example.org/compare?base={'c' * 12}&new={'f' * 12}",
        f"https://tiles.example.org/bisect?run={'b' * 64}&good=abc1234&bad=0123456789abcdef"
        "&metric=gmacs_mean",
    ]
    assert "bisect" not in second


def test_without_a_public_address_there_is_no_link():
    assert all("](" not in body for body in bodies("gemm", ""))


@pytest.mark.parametrize("at", range(7))
def test_no_name_is_markup(at):
    body = bodies(HOSTILE)[at]
    outside = re.sub(r"`[^`\n]*`", "", body)
    outside = re.sub(r"\]\(https://tiles\.example\.org/[^()|<>\s]*\)", "]", outside)
    assert not re.search(r"@|#1|<b>|http|\[a\]", outside)
    assert not [line for line in body.splitlines() if line.startswith("/")]
    # a pipe in a name would be a further cell
    assert {line.count("|") for line in body.splitlines() if line.startswith("|")} == {8}
    assert body.count("<!--") == 1


def test_a_long_comment_is_cut_and_counts_the_keys_that_are_left_out():
    rows = [row(f"{at}" + "\N{GRINNING FACE}" * 500, reason="\u4e00" * 900) for at in range(80)]
    body = pull_request_body(pull(rows, "https://tiles.example.org/" + "x" * 1_900))
    assert len(body.encode()) <= MAX_BODY_BYTES
    listed = sum(line.startswith("| `") for line in body.splitlines())
    assert 0 < listed < MAX_ROWS
    [left] = [line for line in body.splitlines() if line.startswith("Not listed")]
    assert numbers_in(left) == [str(80 - listed)]
    small = pull_request_body(pull([row(str(at)) for at in range(80)]))
    assert sum(line.startswith("| `") for line in small.splitlines()) == MAX_ROWS


def test_an_issue_has_a_title_and_the_range_of_commits():
    payload = issue_payload("regressed", alert(), row(), AT, MessageOrigin("", URL))
    assert "gemm" in issue_title(payload)
    assert "nightly" in issue_title(payload)
    body = issue_body(payload)
    assert "`abc1234`" in body
    assert "`0123456789abcdef`" in body


def test_the_posts_of_a_rule_and_a_key_are_found_by_their_markers():
    first, other = (
        issue_payload("regressed", alert(), row(name), AT, MessageOrigin("", URL)) for name in "ab"
    )
    later = issue_payload(
        "recovered", alert("renamed"), row("a"), "2026-12-01", MessageOrigin("", URL)
    )
    marker = read_marker(issue_body(first))
    assert marker.is_same_post(read_marker(issue_body(later)))
    assert not marker.is_same_post(read_marker(issue_body(other)))
    assert not marker.is_same_post(read_marker(step_comment(first)))


def test_only_hashes_are_commits():
    assert all(map(is_commit, ("0123456", "ABCDEF0123456789", "f" * 64)))
    assert not any(map(is_commit, ("", "012345", "main", "../../x", "0123456/..", "f" * 65)))
