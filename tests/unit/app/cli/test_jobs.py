"""`jobs` and `retention`: what is under way or over and what of it is cancelled, and which old runs go."""

import json

import pytest

from services.store.annotate import annotate
from storage.annotations import Change
from storage.audit import Audit
from storage.jobs import CANCELLED, FAILED, Jobs
from tests.support.command_line import good, refused, run
from tests.support.runs import catalogue_of


@pytest.fixture
def catalogue(tmp_path):
    """A catalogue of five runs, oldest first, on two kinds of hardware."""
    folder = tmp_path / "data"
    folder.mkdir()
    rows = [
        {"hwid": hwid, "run_id": f"{rank + 1:012x}{'0' * 52}"} for rank, hwid in enumerate("aaabb")
    ]
    opened = catalogue_of(f"sqlite:///{folder}/catalogue.db", *rows)
    yield opened
    opened.close()


@pytest.fixture
def known(catalogue):
    return Jobs(catalogue)


@pytest.fixture
def ask(tmp_path):
    return lambda *args: run(*args, "--data", tmp_path / "data")


class TestJobs:
    def test_jobs_are_listed_with_their_counts(self, known, ask):
        failed = known.add("derive", ["a", "b"], "ada", {"runs": None}, owner="me")
        known.record(failed.job_id, 0, failed=False, answer={})
        known.record(failed.job_id, 1, failed=True, answer={})
        known.end(failed.job_id, "me", FAILED, "disk\x1b[2J full")
        waiting = known.add("retention", ["c"], "grace", {})
        found = {one["id"]: one for one in json.loads(good(ask("jobs", "--json")))}
        assert found.keys() == {failed.job_id, waiting.job_id}
        one = found[failed.job_id]
        assert (one["state"], one["done"], one["failed"], one["total"], one["created_by"]) == (
            FAILED,
            2,
            1,
            2,
            "ada",
        )
        lines = {line.split()[0]: line for line in good(ask("jobs")).splitlines()}
        assert lines.keys() == found.keys()
        assert all(
            text in lines[failed.job_id]
            for text in ("derive", FAILED, "2 of 2, 1 failed", "ada", "disk")
        )
        assert "\x1b" not in lines[failed.job_id]
        assert "failed" not in lines[waiting.job_id]

    def test_the_newest_are_listed_where_a_number_is_asked_for(self, known, ask):
        for name in "abc":
            known.add("derive", [name], "ada", {})
        newest = [job.job_id for job in known.all(2)]
        assert [
            one["id"] for one in json.loads(good(ask("jobs", "--limit", 2, "--json")))
        ] == newest
        assert [line.split()[0] for line in good(ask("jobs", "--limit", 2)).splitlines()] == newest

    def test_a_job_is_cancelled_once(self, known, ask, catalogue):
        job_id = known.add("derive", ["a"], "ada", {}).job_id
        assert job_id in good(ask("jobs", "--cancel", job_id))
        assert known.get(job_id).state == CANCELLED
        (entry,) = Audit(catalogue).entries()
        assert (entry.action, entry.object) == ("job.cancel", job_id)
        assert entry.user.startswith("command line")
        assert job_id in refused(ask("jobs", "--cancel", job_id))

    @pytest.mark.parametrize(
        "args", [("--cancel", "none"), ("--cancel", ""), ("--limit", 0), ("--limit", "x"), ("a",)]
    )
    def test_what_is_asked_wrongly_ends_with_one_line(self, known, ask, args):
        refused(ask("jobs", *args))

    def test_without_a_store_there_are_none(self, tmp_path):
        assert good(run("jobs", "--data", tmp_path / "none")).count("\n") == 1
        assert json.loads(good(run("jobs", "--json", "--data", tmp_path / "none"))) == []
        refused(run("jobs", "--cancel", "a", "--data", tmp_path / "none"))


class TestRetention:
    def test_old_runs_are_listed_and_stay_unless_told(self, catalogue, ask):
        *lines, sentence = good(ask("retention", "--keep-last", 2)).splitlines()
        assert [line.split()[2] for line in lines] == [f"{rank:012x}" for rank in (1, 2, 3)]
        assert sentence.startswith("3 runs")
        assert catalogue.count() == 5

    def test_the_newest_of_each_key_stay(self, catalogue, ask):
        lines = good(
            ask("retention", "--keep-last", 1, "--by", "hwid", "--by", "source", "--delete")
        ).splitlines()
        assert [line.split()[1] for line in lines] == [f"{rank:012x}" for rank in (1, 2, 4)]
        assert catalogue.count() == 2
        done = [(one.action, one.object[:12]) for one in Audit(catalogue).entries()]
        assert sorted(done) == [("retention", f"{rank:012x}") for rank in (1, 2, 4)]
        assert good(ask("retention", "--keep-last", 1, "--by", "hwid", "--delete")).count("\n") == 1
        assert catalogue.count() == 2

    def test_pinned_runs_and_those_of_baselines_stay(self, catalogue, ask):
        pinned, base = (f"{rank:012x}{'0' * 52}" for rank in (1, 2))
        annotate(catalogue, pinned, Change(pinned=True), "me")
        assert ask("baseline", "set", "main", base).exit_code == 0
        *lines, sentence = good(ask("retention", "--keep-last", 1)).splitlines()
        assert [line.split()[2] for line in lines] == [f"{rank:012x}" for rank in (3, 4)]
        assert "baseline main" in sentence
        good(ask("retention", "--keep-last", 1, "--of-all", "--delete"))
        assert catalogue.count() == 3

    def test_names_from_files_do_not_drive_the_terminal(self, tmp_path):
        (tmp_path / "data").mkdir()
        rows = [{"name": "a\x1b[2J"}, {"name": "b"}]
        catalogue_of(f"sqlite:///{tmp_path}/data/catalogue.db", *rows).close()
        asked = ("retention", "--keep-last", 1, "--data", tmp_path / "data")
        assert not any(
            "\x1b" in good(run(*asked, *more)) for more in ((), ("--of-all", "--delete"))
        )

    def test_so_many_of_all_runs_stay_if_that_is_said(self, catalogue, ask):
        sentence = good(ask("retention", "--keep-last", 2)).splitlines()[-1]
        assert "of all runs" in sentence
        good(ask("retention", "--keep-last", 2, "--of-all", "--delete"))
        assert catalogue.count() == 2

    @pytest.mark.parametrize(
        "args",
        [
            (),
            ("--keep-last", 0),
            ("--keep-last", 1),
            ("--keep-last", 1, "--by", "name"),
            ("--keep-last", 1, "--by", "hwid", "--of-all"),
        ],
    )
    def test_what_is_asked_wrongly_ends_with_one_line_and_deletes_nothing(
        self, catalogue, ask, args
    ):
        refused(ask("retention", *args, "--delete"))
        assert catalogue.count() == 5

    @pytest.mark.parametrize("more", [(), ("--of-all", "--delete")])
    def test_without_a_store_nothing_goes(self, tmp_path, more):
        assert (
            good(run("retention", "--keep-last", 1, *more, "--data", tmp_path / "none")).count("\n")
            == 1
        )
