"""The status over the API: rows as JSON and CSV, and what is acknowledged by whom."""

import csv
import io

import pytest

from services.status.rules import set_rule
from storage.rules import Rule
from tests.support.paced_trace import ingest_nights


@pytest.fixture
def nightly(team, tmp_path):
    """The team with a rule and a key that regressed; and the runs of this key."""
    repository = team.served.repository
    runs = ingest_nights(repository, tmp_path, 4, 6)
    set_rule(repository, Rule("nightly", 3, "main"), "tests")
    return team, runs


def acknowledgement(run_id):
    return f"/status/{run_id}/acknowledgement"


@pytest.mark.slow
def test_the_rows_are_those_of_the_key_as_json_and_as_csv(nightly):
    team, runs = nightly
    (row,) = team("GET", "/status", scope="read").json["rows"]
    assert (row["run"]["run_id"], row["verdict"]) == (runs[-1], "regressed")
    assert row["since"]["first_bad"]["run_id"] == runs[4]
    answer = team("GET", "/status?format=csv", scope="read")
    (line,) = csv.DictReader(io.StringIO(answer.text))
    assert (line["run_id"], line["verdict"], answer.mimetype) == (runs[-1], "regressed", "text/csv")


def test_an_editor_acknowledges_and_takes_back(nightly):
    team, runs = nightly
    path = acknowledgement(runs[-1])
    assert team("PUT", path, {"note": "known"}, scope="write").status_code == 204
    (row,) = team("GET", "/status").json["rows"]
    assert (row["acknowledged"]["note"], row["acknowledged"]["by"]) == ("known", "token write")
    assert team("DELETE", path, scope="write").status_code == 204
    assert team("GET", "/status").json["rows"][0]["acknowledged"] is None
    assert ("token write", "status.acknowledge", runs[-1]) in team.audit()


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_a_viewer_acknowledges_nothing(nightly, method):
    team, runs = nightly
    body = {"note": "known"} if method == "PUT" else None
    assert team(method, acknowledgement(runs[-1]), body, scope="read").status_code == 403
    assert team("GET", "/status").json["rows"][0]["acknowledged"] is None


def test_what_is_no_regression_cannot_be_acknowledged(nightly):
    team, runs = nightly
    assert team("PUT", acknowledgement("f" * 12), {"note": ""}).status_code in (404, 409)
    assert team("DELETE", acknowledgement(runs[-1])).status_code == 404


@pytest.mark.quick_every(4)
@pytest.mark.parametrize(
    ("query", "status"),
    [("rule=none", 404), ("since=soon", 400), ("as_of=yesterday", 400), ("format=xml", 400)],
)
def test_a_question_without_an_answer_is_refused(nightly, query, status):
    assert nightly[0]("GET", f"/status?{query}").status_code == status
