"""What each kind of job does with a task, and which arguments include which."""

import os

import pytest

from schema.roles import Role
from services.jobs.kinds import KINDS
from services.store.annotate import annotate
from storage.annotations import Change
from storage.jobs import Job, Jobs


def job_of(repository, kind, arguments=None) -> Job:
    return Jobs(repository.catalogue).add(kind, ["a"], "me", arguments or {}, owner="p")


def done(repository, kind, task, arguments=None):
    return KINDS[kind].work(repository, job_of(repository, kind, arguments))(task)


class TestDerive:
    def test_the_runs_are_all_or_those_that_are_named_once_each(self, repository, ids):
        tasks = KINDS["derive"].tasks
        assert sorted(tasks(repository, {})) == sorted(ids)
        assert tasks(repository, {"runs": [ids[1], ids[0], ids[1]]}) == [ids[1], ids[0]]

    def test_a_run_is_derived_by_this_process(self, repository, ids):
        found = done(repository, "derive", ids[0])
        assert (found.failed, found.answer["status"]) == (False, "unchanged")
        assert found.answer["where"].endswith(str(os.getpid()))

    def test_a_run_that_is_gone_is_passed_over_and_one_that_fails_says_why(self, repository, ids):
        assert done(repository, "derive", "gone").answer["status"] == "deleted"
        repository.store.remove(repository.find_run(ids[1]).prefix)
        found = done(repository, "derive", ids[1])
        assert found.failed and found.answer["reason"]

    @pytest.mark.parametrize(
        ("some", "others", "covers"),
        [
            ({}, {"runs": ["a"]}, True),
            ({}, {}, True),
            ({"runs": ["a", "b"]}, {"runs": ["b"]}, True),
            ({"runs": ["a"]}, {"runs": ["a", "b"]}, False),
            ({"runs": ["a"]}, {}, False),
        ],
    )
    def test_more_runs_include_fewer(self, some, others, covers):
        assert KINDS["derive"].covers(some, others) is covers


class TestRetention:
    def test_the_tasks_are_the_runs_that_are_old(self, repository, ids):
        assert len(KINDS["retention"].tasks(repository, {"keep_last": 1, "by": ["hwid"]})) == 3
        assert not KINDS["retention"].tasks(repository, {"keep_last": 4, "by": ["hwid"]})

    def test_a_run_is_deleted_once_and_one_that_was_pinned_meanwhile_stays(self, repository, ids):
        annotate(repository.catalogue, ids[1], Change(pinned=True), "me")
        answers = [done(repository, "retention", run) for run in (ids[0], ids[0], ids[1])]
        assert [one.answer["status"] for one in answers] == ["deleted", "deleted", "pinned"]
        assert not any(one.failed for one in answers)
        assert (repository.exists(ids[0]), repository.exists(ids[1])) == (False, True)

    def test_a_catalogue_that_cannot_be_written_fails_the_task_without_its_place(
        self, repository, ids, tmp_path
    ):
        work = KINDS["retention"].work(repository, job_of(repository, "retention"))
        with repository.catalogue.begin() as connection:
            connection.exec_driver_sql("DROP TABLE runs")
        found = work(ids[0])
        assert found.failed and found.answer["reason"]
        assert str(tmp_path) not in found.answer["reason"]


class TestOrphans:
    def test_a_look_answers_with_what_it_found(self, repository, ids):
        found = done(repository, "orphans", "frames", {"remove": True})
        assert (found.failed, found.answer["status"], found.answer["prefixes"]) == (
            False,
            "done",
            0,
        )
        assert found.answer["is_removed"] is True
        assert done(repository, "orphans", "frames").answer["is_removed"] is False

    def test_a_look_that_cannot_remove_says_why(self, repository):
        repository.catalogue.create()
        repository.store.files.write("a" * 12 + "/" + "0" * 16 + "/events.parquet", b"1")
        found = done(repository, "orphans", "frames", {"remove": True})
        assert (found.failed, bool(found.answer.get("reason"))) == (True, True)

    def test_there_is_one_task(self, repository):
        assert len(KINDS["orphans"].tasks(repository, {})) == 1


def test_what_deletes_needs_an_admin():
    assert {name: kind.role for name, kind in KINDS.items()} == {
        "derive": Role.EDITOR,
        "retention": Role.ADMIN,
        "orphans": Role.ADMIN,
        "pack": Role.ADMIN,
        "compact": Role.ADMIN,
    }
