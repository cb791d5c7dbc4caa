"""Ingest and jobs by the workers of a real Dask scheduler, on PostgreSQL and object storage."""

import os

import pytest

from ingest import scheduler
from ingest.files import ingest
from ingest.scheduler import SchedulerError, Workers
from services.jobs.runner import Runner
from storage.jobs import CANCELLED, DONE, Jobs
from storage.repository import Repository
from tests.support.dask_cluster import dask_cluster
from tests.support.pool_work import content_of
from tests.support.steps import Told


@pytest.fixture(scope="module")
def cluster(object_storage, tmp_path_factory):
    """Two workers, which know the object storage from the environment."""
    with dask_cluster(tmp_path_factory.mktemp("dask"), 2) as started:
        yield started


@pytest.fixture
def team(postgres, object_storage):
    opened = Repository(postgres.new(), object_storage.new())
    yield opened
    opened.catalogue.close()


@pytest.fixture
def problems(tmp_path):
    """Files of 24 problems, two of the same content, and one that is none."""
    folder = tmp_path / "problems"
    folder.mkdir()
    for i in range(24):
        (folder / f"p{i:02}.81920.csv").write_text(
            f"id,lower,upper,size\na,0,3,{100 + max(i, 1)}\nb,1,4,80\n"
        )
    (folder / "bad.81920.csv").write_text("id,lower,upper,size\na,0\n")
    return folder


def said(answer):
    return sorted((run.file, run.run_id, run.status) for run in answer.runs)


@pytest.mark.slow
def test_workers_give_the_answer_of_one_process(cluster, team, problems, tmp_path):
    alone = Repository(f"sqlite:///{tmp_path}/c.db", str(tmp_path / "frames"))
    expected = ingest(alone, [problems], {"hwid": "npu1"})
    told = Told()
    answer = ingest(team, [problems], {"hwid": "npu1"}, scheduler=cluster.address, steps=told)
    assert said(answer) == said(expected)
    assert sorted(one.path for one in answer.skipped) == sorted(
        one.path for one in expected.skipped
    )
    assert len(told.ends) == len(told.names) == 25
    taken = [one.run["taken_at"] for one in alone.catalogue.runs()]
    assert sorted(one.run["taken_at"] for one in team.catalogue.runs()) == sorted(taken), (
        "times of the originals"
    )
    assert team.catalogue.pending() == [], "no copy is left in the store"
    alone.catalogue.close()


@pytest.mark.slow
def test_a_worker_that_dies_loses_and_doubles_nothing(cluster, team, problems):
    def kill_one(index):
        if index == 8:
            cluster.kill_worker()
            cluster.add_worker()

    answer = ingest(team, [problems], {}, scheduler=cluster.address, steps=Told(kill_one))
    assert len(answer.runs) == 24
    assert team.count() == 23
    again = ingest(team, [problems], {}, scheduler=cluster.address)
    assert {run.status for run in again.runs} == {"unchanged"}
    assert team.catalogue.pending() == []


@pytest.mark.slow
def test_what_a_task_needs_stays_until_its_result_is_here(cluster, tmp_path):
    """A worker that dies with a result that nobody fetched has its task done again."""
    paths = [tmp_path / f"{i}.txt" for i in range(6)]
    for path in paths:
        path.write_text(path.stem)

    class Forgetful(Workers):
        def let_go(self, payload):
            payload.unlink()
            if sum(path.exists() for path in paths) == len(paths) - 1:
                for _ in range(len(cluster.workers)):
                    cluster.kill_worker()
                    cluster.add_worker()

    found = dict(Forgetful(cluster.address, content_of).results(paths))
    assert found == {i: str(i) for i in range(6)}


@pytest.mark.slow
def test_an_ingest_can_be_ended(cluster, team, problems):
    answer = ingest(team, [problems], {}, scheduler=cluster.address, steps=Told(until=3))
    assert 3 <= len(answer.runs) < 24
    assert team.catalogue.pending() == []


@pytest.mark.slow
def test_jobs_are_done_by_workers(cluster, team, problems):
    ingest(team, [problems], {})
    jobs, runner = Jobs(team.catalogue), Runner(team, cluster.address)
    job = jobs.add("derive", [run.run_id for run in team.catalogue.runs()], "me", {})
    runner.run(job)
    after = jobs.get(job.job_id)
    assert (after.state, after.done, after.failed, after.total) == (DONE, 23, 0, 23)
    processes = {task.answer["where"].split()[-1] for task in jobs.tasks(job.job_id, (DONE,))}
    assert str(os.getpid()) not in processes
    assert processes <= {str(worker.pid) for worker in cluster.workers}


@pytest.mark.slow
def test_a_cancelled_job_ends_before_its_tasks(cluster, team, problems):
    ingest(team, [problems], {})
    jobs, runner = Jobs(team.catalogue), Runner(team, cluster.address)
    job = jobs.add("derive", [run.run_id for run in team.catalogue.runs()], "me", {})
    record = jobs.record

    def cancel_after_the_first(*given, **named):
        record(*given, **named)
        jobs.cancel(job.job_id)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            Jobs, "record", lambda _self, *given, **named: cancel_after_the_first(*given, **named)
        )
        runner.run(job)
    after = jobs.get(job.job_id)
    assert after.state == CANCELLED
    assert 1 <= after.done < 23


@pytest.mark.slow
def test_a_scheduler_that_is_not_there_is_one_sentence(team, problems, monkeypatch):
    monkeypatch.setattr(scheduler, "_CONNECT_S", 1)
    with pytest.raises(
        SchedulerError, match=r"the Dask scheduler tcp://127.0.0.1:1 cannot be used"
    ):
        ingest(team, [problems], {}, scheduler="tcp://127.0.0.1:1")
