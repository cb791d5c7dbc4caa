"""Jobs in both kinds of catalogue: claimed once, recorded once, cancelled, resumed."""

from functools import partial

import pytest
from sqlalchemy import update

from storage.jobs import CANCELLED, DONE, FAILED, QUEUED, QUIET_S, RUNNING, Jobs
from storage.work_tables import JOBS
from tests.support.races import at_once


@pytest.fixture
def jobs(catalogue):
    return Jobs(catalogue)


def quieten(catalogue):
    with catalogue.begin() as connection:
        connection.execute(update(JOBS).values(beat=JOBS.c.beat - 2 * QUIET_S))


def test_there_are_none_before_the_first(jobs):
    assert jobs.all() == []
    assert jobs.get("x") is None
    assert jobs.unowned_jobs() == []


def test_a_job_counts_its_tasks(jobs):
    job = jobs.add("derive", ["a", "b", "c"], "me", {"runs": None})
    assert (job.state, job.total, jobs.get(job.job_id).done) == (QUEUED, 3, 0)
    jobs.record(job.job_id, 0, failed=False, answer={"status": "refreshed"})
    jobs.record(job.job_id, 2, failed=True, answer={"status": "failed"})
    now = jobs.get(job.job_id)
    assert (now.done, now.failed, [task.name for task in jobs.waiting(job.job_id)]) == (2, 1, ["b"])
    assert [task.answer["status"] for task in jobs.tasks(job.job_id, (DONE, FAILED))] == [
        "refreshed",
        "failed",
    ]


def test_a_task_is_recorded_once(jobs):
    job = jobs.add("derive", ["a"], "me", {})
    jobs.record(job.job_id, 0, failed=False, answer={"first": True})
    jobs.record(job.job_id, 0, failed=True, answer={})
    assert jobs.get(job.job_id).failed == 0
    assert jobs.tasks(job.job_id, (DONE,))[0].tries == 1


def test_one_of_many_processes_takes_a_job(jobs):
    job = jobs.add("derive", ["a"], "me", {})
    taken = at_once(*(partial(jobs.claim, job.job_id, f"p{number}") for number in range(6)))
    assert sorted(taken) == [False] * 5 + [True]
    assert jobs.get(job.job_id).state == RUNNING


def test_a_job_whose_process_is_quiet_is_taken_over(catalogue, jobs):
    job = jobs.add("derive", ["a"], "me", {})
    assert jobs.claim(job.job_id, "first")
    assert jobs.unowned_jobs() == []
    assert not jobs.claim(job.job_id, "second")
    quieten(catalogue)
    assert [one.job_id for one in jobs.unowned_jobs()] == [job.job_id]
    assert jobs.claim(job.job_id, "second")
    assert not jobs.beat(job.job_id, "first"), "it is another's now"
    jobs.end(job.job_id, "first", DONE)
    assert jobs.get(job.job_id).state == RUNNING
    jobs.end(job.job_id, "second", DONE)
    assert jobs.get(job.job_id).is_over


def test_a_cancelled_job_is_told_to_its_process(jobs):
    job = jobs.add("derive", ["a"], "me", {}, owner="p")
    assert jobs.beat(job.job_id, "p")
    assert jobs.cancel(job.job_id)
    assert not jobs.beat(job.job_id, "p")
    jobs.end(job.job_id, "p", CANCELLED)
    assert not jobs.cancel(job.job_id)


def test_a_job_that_nobody_has_is_cancelled_at_once(catalogue, jobs):
    new, lost = (
        jobs.add("derive", ["a"], "me", {}),
        jobs.add("derive", ["a"], "me", {}, owner="gone"),
    )
    quieten(catalogue)
    for job in (new, lost):
        assert jobs.cancel(job.job_id)
        assert jobs.get(job.job_id).state == CANCELLED


def test_what_failed_can_be_done_again(jobs):
    job = jobs.add("derive", ["a", "b"], "me", {}, owner="p")
    jobs.record(job.job_id, 0, failed=False, answer={})
    jobs.record(job.job_id, 1, failed=True, answer={})
    assert not jobs.resume(job.job_id), "it still runs"
    jobs.end(job.job_id, "p", FAILED, "why\0")
    assert jobs.get(job.job_id).message == "why"
    assert jobs.resume(job.job_id)
    assert [task.name for task in jobs.waiting(job.job_id)] == ["b"]
    assert (jobs.get(job.job_id).state, jobs.get(job.job_id).ended_at) == (QUEUED, None)
