"""The page of jobs: what it lists, and who may act on it."""

import pytest

from app.config.settings import Settings
from app.server.factory import create_app
from app.server.pages import EXTENSION
from components.jobs.jobs_list import counts_words, duration_words
from storage.jobs import CANCELLED, FAILED, QUEUED, Jobs
from tests.support.dash_client import DashClient

pytestmark = pytest.mark.usefixtures("nothing_runs")


@pytest.fixture
def jobs(dashboard):
    return Jobs(dashboard.app.server.extensions[EXTENSION].repository.catalogue)


def clicked(dashboard, which, job_id):
    """Return the page after a click on a button of a job."""
    group = {"type": f"job-{which}", "job": job_id}
    return _sent(dashboard, f'{{"job":"{job_id}","type":"job-{which}"}}.n_clicks', {which: group})


def _sent(dashboard, changed, clicks):
    def part(which):
        return (
            [{"id": clicks[which], "property": "n_clicks", "value": 1}] if which in clicks else []
        )

    derive = {
        "id": "jobs-derive",
        "property": "n_clicks",
        "value": 1 if changed.startswith("jobs-derive") else None,
    }
    body = {
        "output": "..jobs-list.children...jobs-shown.data..",
        "outputs": [
            {"id": "jobs-list", "property": "children"},
            {"id": "jobs-shown", "property": "data"},
        ],
        "inputs": [
            {"id": "jobs-clock", "property": "n_intervals", "value": 1},
            part("cancel"),
            part("resume"),
            derive,
        ],
        "state": [{"id": "jobs-shown", "property": "data", "value": []}],
        "changedPropIds": [changed],
    }
    return dashboard.http.post("/_dash-update-component", json=body)


def test_an_empty_page_says_so(dashboard):
    assert "No jobs yet" in dashboard.open("/jobs")


def test_jobs_are_listed_with_what_failed(dashboard, jobs):
    job = jobs.add("ingest", ["a.json", "<b>.json"], "ann", {}, owner="p")
    jobs.record(job.job_id, 0, failed=False, answer={})
    jobs.record(job.job_id, 1, failed=True, answer={"reason": "no trace"})
    jobs.end(job.job_id, "p", FAILED, "the disk is full")
    page = dashboard.open("/jobs")
    for told in (
        "2 of 2, 1 failed",
        "<b>.json",
        "no trace",
        "ann",
        "the disk is full",
        "done, with failures",
    ):
        assert told in page


def test_a_job_is_cancelled_and_resumed(dashboard, jobs):
    job = jobs.add("derive", ["a"], "ann", {})
    assert clicked(dashboard, "cancel", job.job_id).status_code == 200
    assert jobs.get(job.job_id).state == CANCELLED
    clicked(dashboard, "resume", job.job_id)
    assert jobs.get(job.job_id).state == QUEUED


@pytest.mark.slow
def test_all_runs_are_derived_anew(dashboard, jobs, upload):
    upload()
    _sent(dashboard, "jobs-derive.n_clicks", {})
    assert [(job.kind, job.total) for job in jobs.all()] == [("derive", 1)]


def test_a_viewer_sees_and_may_not_act(tmp_path):
    settings = Settings(data=tmp_path, auth="proxy", trusted_proxies="127.0.0.1", editors="bob")
    dashboard = DashClient(create_app(settings))
    jobs = Jobs(dashboard.app.server.extensions[EXTENSION].repository.catalogue)
    job = jobs.add("derive", ["a"], "bob", {})
    dashboard.http.environ_base["HTTP_X_FORWARDED_USER"] = "ann"
    dashboard.http.environ_base["HTTP_SEC_FETCH_SITE"] = "same-origin"
    page = dashboard.open("/jobs")
    assert "Recompute runs" in page
    assert "job-cancel" not in page
    clicked(dashboard, "cancel", job.job_id)
    assert jobs.get(job.job_id).state == QUEUED
    dashboard.http.environ_base["HTTP_X_FORWARDED_USER"] = "bob"
    assert "job-cancel" in dashboard.open("/jobs")
    clicked(dashboard, "cancel", job.job_id)
    assert jobs.get(job.job_id).state == CANCELLED


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "less than a second"),
        (59, "59 s"),
        (61, "1 min 1 s"),
        (3_700, "1 h 1 min"),
        (90_000, "1 d 1 h"),
    ],
)
def test_durations_have_two_units(seconds, words):
    assert duration_words(seconds) == words


def test_counts_are_told(jobs):
    assert counts_words(jobs.add("derive", ["a"] * 2_000, "ann", {})).startswith("0 of 2")


def test_a_job_that_waits_is_not_begun_twice(dashboard, jobs):
    answers = [_sent(dashboard, "jobs-derive.n_clicks", {}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[1].json["sideUpdate"]["toast"]["is_open"]
    assert jobs.all()[0].job_id in answers[1].json["sideUpdate"]["toast"]["children"]
    assert len(jobs.all()) == 1
