"""Retention leaves the runs that others are compared with, and the audit log names what is gone."""

import pytest

from ingest.files import ingest
from services.baselines.baselines import set_baseline
from services.retention.retention import preview_retention, retain
from services.status.rules import set_rule
from storage.annotations import Annotations, Change
from storage.audit import Audit
from storage.retention import listed_runs
from storage.rules import Rule
from tests.support.aie_trace import trace_text


@pytest.fixture
def ids(repository, tmp_path):
    """Ingest five captures of one key, oldest first."""
    known = {"m": "32", "k": "32", "n": "32", "rows": "2", "cols": "1", "branch": "main"}
    known["peak_macs_per_cycle"] = "1e6"
    found = []
    for day in range(1, 6):
        path = tmp_path / "trace_mm_64_64_64.json"
        path.write_text(trace_text(gap=20 + day))
        taken = known | {"taken_at": f"2026-11-0{day}T00:00:00Z", "name": f"night {day}"}
        found.append(ingest(repository, [path], taken).runs[0].run_id)
    return found


def deleted(repository, keep_last=1):
    found = preview_retention(repository, keep_last, ["hwid"]).run_ids
    return [(run.run_id, run.name) for run in listed_runs(repository.catalogue, found)]


def test_runs_of_baselines_stay(repository, ids):
    assert [run_id for run_id, _ in deleted(repository)] == ids[:4]
    set_baseline(repository, "fixed", ids[:1], user="me")
    set_baseline(repository, "rolling", ids[:1], 2, user="me")
    assert deleted(repository) == [(ids[1], "night 2"), (ids[2], "night 3")]


@pytest.mark.slow
def test_runs_that_a_rule_compares_the_next_run_with_stay(repository, ids):
    set_rule(repository, Rule("nightly", last=3, branch="main"), user="me")
    assert [run_id for run_id, _ in deleted(repository)] == ids[:2]


def test_the_audit_log_names_what_was_deleted(repository, ids):
    gone = retain(repository, 4, [], "me")
    (entry,) = Audit(repository.catalogue).entries(action="retention")
    assert [run.run_id for run in gone] == ids[:1] == [entry.object]
    assert entry.detail == "night 1"


@pytest.mark.slow
def test_a_preview_says_what_would_go_and_what_holds_the_others(repository, ids):
    set_baseline(repository, "fixed", ids[:1], user="me")
    set_rule(repository, Rule("nightly", last=3, branch="main"), user="me")
    Annotations(repository.catalogue).change(ids[4], Change(pinned=True), "me")
    preview = preview_retention(repository, 1, ["hwid"])
    assert preview.run_ids == (ids[1],)
    assert preview.stored_bytes == repository.find_run(ids[1]).stored_bytes > 0
    assert (dict(preview.held), preview.held_runs, preview.pinned) == (
        {"baseline fixed": 1, "rule nightly": 1},
        2,
        1,
    )
    assert [run.run_id for run in retain(repository, 1, ["hwid"], "me")] == [ids[1]]
    assert preview_retention(repository, 1, ["hwid"]).run_ids == ()
