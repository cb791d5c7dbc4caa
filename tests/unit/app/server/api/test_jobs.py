"""Jobs that may not wait, as programs are told."""

import pytest

from services.jobs.queue import MAX_QUEUED
from tests.support.access import is_problem

pytestmark = pytest.mark.usefixtures("nothing_runs")


def test_a_job_that_waits_is_not_begun_twice(team):
    body = {"kind": "derive", "runs": ["a"]}
    first = team("POST", "/jobs", body)
    again = team("POST", "/jobs", body, scope="write")
    assert (first.status_code, again.status_code, is_problem(again)) == (202, 409, True)
    assert first.json["id"] in again.json["detail"]
    assert len(team("GET", "/jobs").json["jobs"]) == 1


def test_a_user_who_has_a_few_that_wait_is_told_to_come_back(team):
    statuses = [
        team("POST", "/jobs", {"kind": "derive", "runs": [str(rank)]}).status_code
        for rank in range(MAX_QUEUED)
    ]
    assert statuses == [202] * MAX_QUEUED
    refused = team("POST", "/jobs", {"kind": "derive", "runs": ["more"]})
    assert (refused.status_code, is_problem(refused), int(refused.headers["Retry-After"]) > 0) == (
        429,
        True,
        True,
    )
    assert (
        team("POST", "/jobs", {"kind": "derive", "runs": ["more"]}, scope="write").status_code
        == 202
    )
    ended = team("GET", "/jobs").json["jobs"][0]["id"]
    assert team("DELETE", f"/jobs/{ended}").status_code == 200
