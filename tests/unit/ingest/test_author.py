"""Runs that somebody brings are in the audit log, however they are read."""

import pytest

from app.cli.common import operator
from ingest.files import ingest
from ingest.work import Author
from storage.audit import Audit
from storage.catalogue import Catalogue
from tests.support.aie_trace import trace_text
from tests.support.command_line import run

ME = Author("me")


def entries(catalogue):
    """Return what is put down, oldest first."""
    return [
        (one.user, one.action, one.object, one.detail)
        for one in reversed(Audit(catalogue).entries())
    ]


@pytest.mark.usefixtures("loader")
def test_new_and_updated_runs_are_put_down(repository, write):
    path = write()
    for settings in ({}, {}, {"M": "7"}):
        told = ingest(repository, [path, write("b.txt")], settings, author=ME).runs[0]
    expected = [("me", "ingest", told.run_id, f"{status}: {path}") for status in ("new", "updated")]
    assert entries(repository.catalogue) == expected


@pytest.mark.usefixtures("loader")
def test_a_file_that_is_no_run_and_a_run_without_an_author_are_not(repository, write):
    bad = write("bad.fake")
    bad.write_text("fake unreadable")
    ingest(repository, [bad], {}, author=ME)
    ingest(repository, [write()], {})
    assert entries(repository.catalogue) == []


def test_the_command_puts_down_who_ran_it_in_every_process(tmp_path, monkeypatch):
    monkeypatch.setattr("ingest.many.MIN_PARALLEL_S", 0)
    for stall in (6_000, 7_000):
        (tmp_path / f"{stall}.json").write_text(trace_text(stall=stall))
    done = run(
        "ingest",
        "--data",
        tmp_path / "data",
        "--jobs",
        2,
        tmp_path / "6000.json",
        tmp_path / "7000.json",
    )
    assert done.exit_code == 0
    catalogue = Catalogue(f"sqlite:///{tmp_path}/data/catalogue.db")
    runs = {stored.run_id for stored in catalogue.runs()}
    assert {entry[:3] for entry in entries(catalogue)} == {
        (operator(), "ingest", run_id) for run_id in runs
    }
    assert len(runs) == 2
    catalogue.close()
