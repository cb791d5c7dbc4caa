"""How many jobs may wait, and which."""

import pytest

from services.jobs.queue import MAX_QUEUED, JobCoveredError, TooManyJobsError
from services.jobs.runner import Runner
from storage.jobs import QUEUED, Jobs


@pytest.fixture
def runner(repository, monkeypatch):
    """A runner whose process is busy with another job."""
    monkeypatch.setattr(Runner, "begin", lambda *_: None)
    return Runner(repository)


@pytest.fixture
def jobs(repository):
    return Jobs(repository.catalogue)


def derive(runner, *runs, user="me"):
    return runner.start("derive", {"runs": list(runs) or None}, user)


def retain(runner, keep_last):
    return runner.start("retention", {"keep_last": keep_last, "by": []}, "me")


@pytest.mark.parametrize(
    ("waits", "asked", "refused"),
    [
        ((), (), True),
        ((), ("a",), True),
        (("a", "b"), ("b", "a", "a"), True),
        (("a", "b"), ("a",), True),
        (("a",), ("a", "b"), False),
        (("a",), (), False),
    ],
)
def test_what_waits_already_is_not_put_down_again(runner, jobs, waits, asked, refused):
    derive(runner, *waits)
    if refused:
        with pytest.raises(JobCoveredError):
            derive(runner, *asked, user="you")
    else:
        derive(runner, *asked, user="you")
    assert len(jobs.all()) == 2 - refused


def test_a_job_that_runs_covers_nothing(runner, jobs):
    assert jobs.claim(derive(runner).job_id, "process")
    derive(runner)
    assert len(jobs.queued_jobs()) == 1


def test_each_rule_of_retention_waits_once(runner, jobs):
    retain(runner, 1)
    retain(runner, 2)
    with pytest.raises(JobCoveredError):
        retain(runner, 1)
    assert len(jobs.all()) == 2


def test_a_user_has_a_few_that_wait(runner, jobs):
    for rank in range(MAX_QUEUED):
        derive(runner, str(rank))
    with pytest.raises(TooManyJobsError):
        derive(runner, "more")
    derive(runner, "more", user="you")
    jobs.claim(jobs.queued_jobs()[0].job_id, "process")
    derive(runner, "still more")


def test_a_job_goes_on_only_where_it_may_wait(runner, jobs):
    ended = [derive(runner, str(rank)) for rank in range(2)]
    for job in ended:
        assert jobs.cancel(job.job_id)
    derive(runner, "1")
    with pytest.raises(JobCoveredError):
        runner.resume(ended[1], "you")
    for rank in range(2, MAX_QUEUED + 1):
        derive(runner, str(rank))
    with pytest.raises(TooManyJobsError):
        runner.resume(ended[0], "you")
    jobs.cancel(jobs.queued_jobs()[0].job_id)
    assert runner.resume(ended[0], "you")
    assert jobs.get(ended[0].job_id).state == QUEUED


def test_ingests_of_commands_wait_for_nobody(runner, jobs):
    for _ in range(MAX_QUEUED):
        jobs.add("ingest", ["a"], "me", {})
    derive(runner)
