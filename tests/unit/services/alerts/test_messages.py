"""What a message of an alert has, and that no name in it is markup or another line."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from analysis.comparison.series import SeriesKey
from analysis.comparison.status_row import CommitMoment, Since, StatusPoint, StatusRow, StatusRun
from schema.metrics import METRICS
from services.alerts.messages import check_payload, mail_text, slack_text, status_payload, summary
from services.alerts.origin import MessageOrigin
from storage.alerts import Alert
from tests.support.numbers_in_text import has_numbers

ALERT = Alert("team", "nightly", "https://hooks.example.org/secret")
RUN = StatusRun(
    "a/b c", "2026-11-01T10:00:00+00:00", "0123456789abcdef", "main", "trace.json", "gemm"
)
BLANK = dict.fromkeys(SeriesKey._fields)
METRIC = "gmacs_mean"
AT = "2026-11-02T00:00:00+00:00"


def row(key=None, **given):
    names = {
        "source": "aie",
        "hwid": "npu2",
        "M": 64,
        "K": 32,
        "N": 16,
        "m": 8,
        "k": 8,
        "n": 8,
        "rows": 4,
        "cols": 2,
    }
    known = SeriesKey(**(BLANK | names | (key or {})))
    since = Since(CommitMoment("r2", AT, "def"), CommitMoment("r1", AT, "abc"), 2)
    made = {
        "run": RUN,
        "metric": METRIC,
        "value": 1.5,
        "base": 2.0,
        "relative": -0.25,
        "verdict": "regressed",
    }
    more = {
        "reason": "",
        "since": since,
        "acknowledged": None,
        "points": [StatusPoint("r2", AT, 1.5, "regressed")],
    }
    return StatusRow(known, **(made | more | {"age_days": 0.5} | given))


def payload(event="regressed", url="https://tiles.example.org/", key=None, **given):
    return status_payload(event, ALERT, row(key, **given), AT, MessageOrigin("", url))


def test_a_message_is_json_with_key_run_and_numbers():
    made = json.loads(json.dumps(payload()))
    assert (made["event"], made["alert"], made["rule"], made["at"]) == (
        "regressed",
        "team",
        "nightly",
        AT,
    )
    assert (made["key"]["M"], made["key"]["hwid"]) == (64, "npu2")
    assert made["run"] == {
        "run_id": "a/b c",
        "commit": RUN.commit,
        "branch": "main",
        "taken_at": RUN.taken_at,
    }
    assert (made["metric"], made["value"], made["base"], made["relative"]) == (
        METRIC,
        1.5,
        2.0,
        -0.25,
    )
    assert made["since"]["last_good"]["commit"] == "abc"
    assert "secret" not in json.dumps(made)


def test_the_address_of_a_run_is_below_the_public_one_and_quoted():
    assert payload()["url"] == "https://tiles.example.org/run/a%2Fb%20c"
    assert payload(url="")["url"] is None
    public_url = "https://tiles.example.org/t/"
    assert check_payload(ALERT, AT, public_url)["url"] == "https://tiles.example.org/t/alerts"


def test_a_regression_has_the_address_that_finds_its_commit():
    made = payload()
    query = parse_qs(urlsplit(made["bisect"]).query)
    assert query == {"run": ["r2"], "good": ["abc"], "bad": ["def"], "metric": [METRIC]}
    assert any(made["bisect"] in line for line in mail_text(made).splitlines())
    assert made["bisect"].replace("&", "&amp;") in slack_text(made)
    same = Since(CommitMoment("r2", AT, "abc"), CommitMoment("r1", AT, "abc"), 2)
    others = [payload("recovered"), payload(url=""), payload(since=None), payload(since=same)]
    assert [other["bisect"] for other in others] == [None] * 4


def test_a_message_of_an_older_release_has_no_address_for_its_commit():
    made = {name: value for name, value in payload().items() if name != "bisect"}
    assert "bisect" not in mail_text(made) + slack_text(made)


def test_a_test_has_the_members_of_every_message():
    made = check_payload(ALERT, AT, "")
    assert set(made) == set(payload())
    assert (made["event"], made["key"], made["run"], made["value"]) == ("test", None, None, None)
    assert "team" in summary(made)
    assert mail_text(made).endswith("\n")
    assert "team" in slack_text(made)


def test_the_summary_names_sizes_and_change_in_one_line():
    said = summary(payload())
    assert has_numbers(said, "64", "32", "16", "8", "8", "8", "4", "2")
    made = payload()
    assert said.endswith(f"{100 * made['relative']:+.1f} % vs {made['rule']}")
    assert summary(payload(relative=None)).endswith("grid 4 x 2")


def test_sizes_that_are_not_whole_are_left_out():
    said = summary(payload(key={"K": None, "rows": None, "name": "attention", "tags": "fast"}))
    assert " x 16" not in said and "grid" not in said
    assert has_numbers(said, "8", "8", "8")


def test_a_key_without_new_runs_has_no_change():
    assert "%" not in summary(payload("no_data"))


def test_numbers_are_in_the_unit_of_their_metric_and_left_out_where_one_is_missing():
    for text in (mail_text(payload()), slack_text(payload())):
        metric = METRICS[METRIC]
        assert f"{metric.label}: 1.5 {metric.unit}, baseline 2 {metric.unit}" in text.splitlines()
    whole = len(mail_text(payload()).splitlines())
    for missing in ({"base": None}, {"value": None}, {"metric": "no such metric"}):
        assert len(mail_text(payload(**missing)).splitlines()) == whole - 1


def test_a_mail_has_commit_branch_and_address():
    lines = mail_text(payload()).splitlines()
    assert "commit 0123456789ab" in lines
    assert "branch main" in lines
    assert lines[-1] == "https://tiles.example.org/run/a%2Fb%20c"


HOSTILE = "<!channel> & <https://evil.example.org|x>\n*bold*\u202e"


@pytest.mark.parametrize("where", ["name", "tags", "hwid"])
def test_names_are_no_markup_of_slack_and_no_other_line(where):
    text = slack_text(
        payload(key={where: HOSTILE}, run=RUN.__class__(*("r", AT, HOSTILE, "b", "f", "n")))
    )
    assert "<!channel>" not in text and "<https://evil" not in text
    assert "&lt;!channel&gt; &amp; " in text
    assert len(text.splitlines()) == len(slack_text(payload()).splitlines())
    assert "\u202e" not in text
    assert text.splitlines()[-1].startswith("<https://tiles.example.org/run/r|")


def test_a_name_of_any_length_is_cut():
    made = payload(key={"name": "x" * 10_000})
    assert len(summary(made)) < 500
    assert len(mail_text(made)) < 1_000


def test_without_a_public_address_there_is_no_link():
    assert "<" not in slack_text(payload(url=""))
    assert "http" not in mail_text(payload(url=""))
