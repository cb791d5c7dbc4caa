"""Entries of the audit log about annotations: only what changed."""

import pytest

from app.config.settings import Settings
from ingest.files import ingest
from services.store.annotate import annotate
from storage.annotations import Change
from storage.audit import Audit


@pytest.fixture
def run(tmp_path):
    """Ingest a problem; return the catalogue and its id."""
    path = tmp_path / "p.81920.csv"
    path.write_text("id,lower,upper,size\na,0,2,64\n")
    repository = Settings(data=tmp_path / "data").repository()
    (made,) = ingest(repository, [path], {}).runs
    return repository.catalogue, made.run_id


@pytest.mark.parametrize(
    ("changes", "details"),
    [
        ([Change(pinned=False)], []),
        ([Change(notes="x", pinned=False)], ["notes"]),
        ([Change(pinned=True), Change(pinned=True)], ["pinned"]),
        ([Change(pinned=True), Change(pinned=False)], ["pinned", "unpinned"]),
        ([Change(pinned=True), Change(notes="x")], ["pinned", "notes"]),
    ],
    ids=["never pinned", "notes", "twice", "unpinned", "notes of a pinned run"],
)
def test_the_log_has_a_pin_only_if_it_changed(run, changes, details):
    catalogue, run_id = run
    for change in changes:
        annotate(catalogue, run_id, change, "me")
    entries = [entry for entry in Audit(catalogue).entries() if entry.action == "update"]
    assert [entry.detail for entry in reversed(entries)] == details
