"""Jobs handed out to processes of this machine."""

import pytest

from ingest.files import ingest
from services.jobs.log import MANY, JobLog, closing_log
from services.jobs.runner import Runner
from services.store.annotate import annotate
from storage.annotations import Change
from storage.audit import Audit
from storage.jobs import CANCELLED, DONE, FAILED, Jobs


@pytest.fixture
def jobs(repository):
    return Jobs(repository.catalogue)


def started(repository, kind, arguments, monkeypatch):
    """Start a job and wait for its end."""
    runner = Runner(repository)
    monkeypatch.setattr(Runner, "begin", Runner.run)
    return Jobs(repository.catalogue).get(runner.start(kind, arguments, "me").job_id)


def test_every_run_is_derived(repository, ids, monkeypatch):
    job = started(repository, "derive", {"runs": None}, monkeypatch)
    assert (job.state, job.done, job.total, job.created_by) == (DONE, 4, 4, "me")
    assert [entry.action for entry in Audit(repository.catalogue).entries()] == ["job.start"]


def test_a_run_that_is_gone_is_passed_over(repository, ids, monkeypatch):
    job = started(repository, "derive", {"runs": [ids[0], "gone", ids[0]]}, monkeypatch)
    assert (job.state, job.done, job.failed, job.total) == (DONE, 2, 0, 2)


def test_a_run_that_fails_fails_the_job_and_no_other_run(repository, ids, jobs, monkeypatch):
    repository.store.remove(repository.find_run(ids[1]).prefix)
    job = started(repository, "derive", {"runs": ids}, monkeypatch)
    assert (job.state, job.done, job.failed) == (FAILED, 4, 1)
    assert jobs.tasks(job.job_id, (FAILED,))[0].name == ids[1]
    assert jobs.resume(job.job_id)
    Runner(repository).run(jobs.get(job.job_id))
    assert jobs.get(job.job_id).failed == 1


def test_retention_deletes_the_old_and_keeps_the_pinned(repository, ids, monkeypatch):
    annotate(repository.catalogue, ids[0], Change(pinned=True), "me")
    job = started(repository, "retention", {"keep_last": 1, "by": ["hwid"]}, monkeypatch)
    assert (job.state, job.done) == (DONE, 2)
    assert repository.count() == 2
    assert repository.exists(ids[0])
    deleted = [
        entry.object
        for entry in Audit(repository.catalogue).entries()
        if entry.action == "retention"
    ]
    assert len(deleted) == 2
    assert ids[0] not in deleted


def test_a_job_that_another_process_has_is_left_alone(repository, ids, jobs):
    job = jobs.add("derive", ids, "me", {}, owner="another")
    Runner(repository).run(job)
    assert jobs.get(job.job_id).done == 0


class TestJobLog:
    @pytest.fixture
    def many(self, write, loader):
        return [write(f"m{i}.fake", f"m{i}") for i in range(MANY)]

    @pytest.mark.slow
    def test_an_ingest_of_many_files_is_a_job(self, repository, many, jobs, write):
        with closing_log(JobLog(repository.catalogue, "me")) as log:
            ingest(repository, [*many, write("bad.fake", "unreadable")], {}, steps=log)
        (job,) = jobs.all()
        assert (job.kind, job.state, job.done, job.failed, job.total) == (
            "ingest",
            FAILED,
            MANY + 1,
            1,
            MANY + 1,
        )
        assert "line 2" in jobs.tasks(job.job_id, (FAILED,))[0].answer["reason"]

    def test_an_ingest_of_few_is_none(self, repository, many, jobs):
        with closing_log(JobLog(repository.catalogue, "me")) as log:
            ingest(repository, many[:2], {}, steps=log)
        assert jobs.all() == []

    def test_it_can_be_cancelled_elsewhere(self, repository, many, jobs):
        with closing_log(JobLog(repository.catalogue, "me")) as log:
            planned = log.on_plan

            def plan(names):
                planned(names)
                jobs.cancel(jobs.all()[0].job_id)

            log.on_plan = plan
            answer = ingest(repository, many, {}, steps=log)
        assert len(answer.runs) < MANY
        assert jobs.all()[0].state == CANCELLED

    def test_an_ingest_that_breaks_off_is_said(self, repository, many, jobs):
        with (
            pytest.raises(KeyboardInterrupt),
            closing_log(JobLog(repository.catalogue, "me")) as log,
        ):
            log.on_plan([path.name for path in many])
            raise KeyboardInterrupt
        assert jobs.all()[0].state == CANCELLED
