"""Numbers of stored runs derived anew."""

import dataclasses

import pytest

from analysis import derive as analysis
from ingest import reader_text
from ingest import refresh as refresh_module
from ingest.files import ingest
from ingest.refresh import refresh
from ingest.summary import Summary
from schema.diagnostics import Diagnostic
from schema.metrics import METRICS

ROTTEN = Diagnostic("error", "rotten", "an older analysis said so")


@pytest.fixture
def runs(repository, write, loader):
    paths = [write("a.fake", "one"), write("b.fake", "two")]
    return [run.run_id for run in ingest(repository, paths, {}).runs]


def spoil(repository, run_id):
    """Let a row have what an older analysis would have given."""
    stored = repository.find_run(run_id)
    reader = stored.run["reader"].replace(f"analysis {analysis.ANALYSIS_VERSION}", "analysis 0")
    findings = [dataclasses.asdict(ROTTEN), *stored.findings]
    headline = dict.fromkeys(METRICS, 7.0)
    old = dataclasses.replace(
        stored,
        run=stored.run | {"reader": reader},
        headline=headline,
        derived={"kernels": 9},
        findings=findings,
        errors=1,
    )
    assert repository.catalogue.amend(stored, old)
    return stored, old


def test_what_is_derived_is_derived_anew_in_place(repository, runs, loader):
    right, _ = spoil(repository, runs[0])
    done = list(refresh(repository, runs))
    assert [run.status for run in done] == ["refreshed", "unchanged"]
    assert repository.find_run(runs[0]) == right
    assert [finding["code"] for finding in right.findings] == ["made_up"]
    assert loader.loads == 2
    assert [run.status for run in refresh(repository, runs)] == ["unchanged"] * 2


def test_only_the_analysis_in_reader_is_todays(repository, runs, monkeypatch):
    before = repository.find_run(runs[0]).run["reader"]
    monkeypatch.setattr(reader_text, "ANALYSIS_VERSION", "99")
    assert [run.status for run in refresh(repository, runs[:1])] == ["refreshed"]
    after = repository.find_run(runs[0]).run["reader"]
    assert after == before.replace(f"analysis {analysis.ANALYSIS_VERSION}", "analysis 99")


def test_an_analysis_that_fails_leaves_the_run_as_it_was(repository, runs, monkeypatch):
    _, old = spoil(repository, runs[0])
    right = refresh_module.analyse

    def fail(frames, source):
        if frames["run"]["run_id"].iloc[0] == runs[0]:
            raise ZeroDivisionError("no kernels")
        return right(frames, source)

    monkeypatch.setattr(refresh_module, "analyse", fail)
    first, second = refresh(repository, runs)
    assert (first.status, second.status) == ("failed", "unchanged")
    assert "no kernels" in first.reason
    assert repository.find_run(runs[0]) == old


def test_frames_that_are_gone_fail_their_run_alone(repository, runs):
    repository.store.remove(repository.version(runs[0]))
    first, second = refresh(repository, runs)
    assert (first.status, second.status) == ("failed", "unchanged")
    assert runs[0] in first.reason


def test_an_ingest_meanwhile_wins(repository, write, runs, monkeypatch):
    spoil(repository, runs[0])
    right, seen = refresh_module.analyse, []

    def overtaken(frames, source):
        seen.append(frames["run"]["M"].iloc[0])
        if len(seen) == 1:
            assert (
                ingest(repository, [write("a.fake", "one")], {"M": "64"}).runs[0].status
                == "updated"
            )
        return right(frames, source)

    monkeypatch.setattr(refresh_module, "analyse", overtaken)
    (done,) = refresh(repository, runs[:1])
    assert done.status == "unchanged"
    assert seen[1:] == [64]
    stored = repository.find_run(runs[0])
    assert stored.run["M"] == 64
    assert stored.errors == 0


def test_a_run_that_changes_all_the_time_is_not_waited_for(repository, runs, monkeypatch):
    monkeypatch.setattr(repository.catalogue, "amend", lambda *_: False)
    monkeypatch.setattr(
        refresh_module, "analyse", lambda *_: Summary(dict.fromkeys(METRICS, 1.0), {}, [])
    )
    assert [run.status for run in refresh(repository, runs[:1])] == ["failed"]


def test_a_run_that_is_deleted_is_passed_over(repository, runs):
    repository.delete(runs[0])
    assert [run.run_id for run in refresh(repository, runs)] == runs[1:]
