"""What needs attention, by what is known of a store: each by itself, and the most urgent first."""

from dataclasses import replace

import pytest

from services.store.attention import needs_attention
from services.store.backups import BackupPlan
from services.store.overview import store_overview
from services.store.store_size import Amount
from services.store.work_state import WatchedFolder
from services.store.workers import Workers
from storage.clock import timestamp

FOLDER = WatchedFolder("/in", "host", "ann", timestamp(), 10.0, 0, 0, "", 1.0, is_gone=False)


@pytest.fixture
def well(repository):
    """A store that is well."""
    repository.catalogue.create()
    return store_overview(repository, BackupPlan("", 0.0, 7), Workers(), [])


def found(overview, part=None, **changes):
    """Return what needs attention where a part of the overview is otherwise."""
    changed = replace(
        overview, **({part: replace(getattr(overview, part), **changes)} if part else changes)
    )
    return [(one.kind, one.count, one.about) for one in needs_attention(changed)]


def test_a_store_that_is_well_needs_nothing(well):
    assert found(well) == []


@pytest.mark.parametrize(
    ("part", "changes", "expected"),
    [
        ("size", {"damaged": 3}, ("runs damaged", 3, "")),
        ("size", {"free_bytes": 5}, ("disk full", 5, "")),
        ("backups", {"last_error": "no place"}, ("backup failed", None, "no place")),
        ("backups", {"every_s": 60.0}, ("backup missing", None, "")),
        ("backups", {"every_s": 60.0, "last_at": "t", "age_s": 121.0}, ("backup late", None, "")),
        ("backups", {"problems": 2, "note": "two runs"}, ("backup damaged", 2, "two runs")),
        ("workers", {"error": "no answer"}, ("scheduler silent", None, "no answer")),
        ("workers", {"scheduler": "tcp://a"}, ("workers missing", None, "")),
        ("jobs", {"silent": 1}, ("jobs silent", 1, "")),
        ("jobs", {"failed_since": 4}, ("jobs failed", 4, "")),
        ("messages", {"given_up": 5}, ("messages given up", 5, "")),
        ("uploads", {"failed": 6}, ("uploads failed", 6, "")),
        ("uploads", {"stalled": 7}, ("uploads stalled", 7, "")),
        ("orphans", {"bytes": 9, "prefixes": 2}, ("orphans", 2, "")),
        ("orphans", {"leftovers": 8}, ("leftovers", 8, "")),
    ],
)
def test_each_is_said_with_how_many_and_why(well, part, changes, expected):
    assert found(well, part, **changes) == [expected]


@pytest.mark.parametrize(
    ("part", "changes"),
    [
        ("size", {"free_bytes": 2**30}),
        ("size", {"free_bytes": None}),
        ("backups", {"every_s": 60.0, "running": True}),
        ("backups", {"every_s": 60.0, "last_at": "t", "age_s": 119.0}),
        ("workers", {"scheduler": "tcp://a", "workers": 1}),
        ("orphans", {"prefixes": 2}),
    ],
)
def test_what_is_as_it_should_be_is_not_said(well, part, changes):
    assert found(well, part, **changes) == []


def test_a_disk_is_nearly_full_where_two_weeks_like_the_last_do_not_fit(well):
    size = replace(well.size, last_week=Amount("", 1, 2**31))
    assert found(well, size=replace(size, free_bytes=2**32)) == []
    assert found(well, size=replace(size, free_bytes=2**32 - 1)) == [("disk full", 2**32 - 1, "")]


def test_a_backup_that_failed_is_not_missing_too(well):
    assert [kind for kind, _, _ in found(well, "backups", every_s=60.0, last_error="x")] == [
        "backup failed"
    ]


def test_a_watcher_that_is_gone_fails_no_more(well):
    gone, failing = (
        replace(FOLDER, problem="p", is_gone=True),
        replace(FOLDER, problem="no such folder"),
    )
    assert found(well, watched=(gone, failing, FOLDER)) == [
        ("watcher gone", None, "/in"),
        ("watcher failing", None, "no such folder"),
    ]


def test_the_most_urgent_comes_first(well):
    worse = replace(
        well, size=replace(well.size, damaged=1), uploads=replace(well.uploads, failed=1)
    )
    kinds = [
        one.kind for one in needs_attention(replace(worse, jobs=replace(well.jobs, failed_since=1)))
    ]
    assert kinds == ["runs damaged", "jobs failed", "uploads failed"]


def test_it_is_a_record_of_plain_values(well):
    (one,) = needs_attention(replace(well, jobs=replace(well.jobs, silent=2)))
    assert one.record() == {"kind": "jobs silent", "count": 2, "about": ""}
