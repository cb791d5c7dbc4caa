"""What people add to runs, on both kinds of catalogue."""

import pytest

from storage.annotations import Annotations, Change
from storage.errors import RunNotFound, RunPinned
from storage.run_list import RunList
from storage.run_query import EVERY_RUN, RunFilter, RunQuery
from tests.support.runs import catalogue_of, delete_run, record_of


@pytest.fixture
def catalogue(new_database):
    made = catalogue_of(new_database(), {"tags": "golden problem-1"}, {"tags": ""}, {"tags": ""})
    yield made
    made.close()


@pytest.fixture
def ids(catalogue):
    return sorted(run.run_id for run in catalogue.runs())


def listed(catalogue, **fits):
    return [run.run_id for run in RunList(catalogue).page(RunQuery(RunFilter(**fits))).runs]


def test_a_run_has_the_tags_of_its_ingest_until_people_give_others(catalogue, ids):
    annotations = Annotations(catalogue)
    assert annotations.of(catalogue.runs())[ids[0]].tags == ("golden",)
    assert listed(catalogue, tag=("golden",)) == [ids[0]]
    assert annotations.change(ids[0], Change(notes="why"), "me").tags == ("golden",)
    assert annotations.change(ids[0], Change(tags=("α", "keep")), "me").tags == ("α", "keep")
    assert listed(catalogue, tag=("golden",)) == []
    assert listed(catalogue, tag=("α", "other")) == [ids[0]]
    assert annotations.change(ids[0], Change(tags=()), "me").tags == ()
    assert RunList(catalogue).counts(EVERY_RUN, 9).facets["tag"].runs == {}


def test_what_is_not_changed_stays(catalogue, ids):
    annotations = Annotations(catalogue)
    annotations.change(ids[1], Change(notes="why", pinned=True), "me")
    after = annotations.change(ids[1], Change(tags=("a",)), "you")
    assert (after.notes, after.pinned, after.tags, after.changed_by) == ("why", True, ("a",), "you")
    assert annotations.of(catalogue.runs())[ids[1]] == after


def test_notes_and_tags_are_searched(catalogue, ids):
    Annotations(catalogue).change(ids[1], Change(notes="Slow at NIGHT", tags=("Odd",)), "me")
    assert (
        listed(catalogue, words=("slow", "night")) == listed(catalogue, words=("odd",)) == [ids[1]]
    )


def test_every_change_gives_the_list_another_version(catalogue, ids):
    runs = RunList(catalogue)
    before = runs.version()
    Annotations(catalogue).change(ids[1], Change(pinned=True), "me")
    assert runs.version() != before


def test_a_pinned_run_is_not_deleted(catalogue, ids):
    annotations = Annotations(catalogue)
    annotations.change(ids[1], Change(pinned=True), "me")
    with pytest.raises(RunPinned):
        delete_run(catalogue, ids[1])
    assert catalogue.get(ids[1])
    annotations.change(ids[1], Change(pinned=False, notes="x"), "me")
    delete_run(catalogue, ids[1])
    assert listed(catalogue) == [ids[2], ids[0]]


def test_what_was_added_goes_with_the_run(catalogue, ids):
    annotations = Annotations(catalogue)
    annotations.change(ids[1], Change(notes="x", tags=("a",)), "me")
    delete_run(catalogue, ids[1])
    assert listed(catalogue, tag=("a",)) == []
    with pytest.raises(RunNotFound):
        annotations.change(ids[1], Change(notes="x"), "me")
    with pytest.raises(RunNotFound):
        annotations.change(record_of(9)["run_id"], Change(notes="x"), "me")


def test_tags_that_two_people_add_at_once_are_both_there(catalogue, ids):
    annotations = Annotations(catalogue)
    annotations.change(ids[0], Change(more_tags=("mine", "golden")), "me")
    assert annotations.change(ids[0], Change(more_tags=("yours",)), "you").tags == (
        "golden",
        "mine",
        "yours",
    )
    assert annotations.change(ids[0], Change(fewer_tags=("golden", "none")), "me").tags == (
        "mine",
        "yours",
    )
    assert listed(catalogue, tag=("golden",)) == []
    assert listed(catalogue, tag=("yours",)) == [ids[0]]
