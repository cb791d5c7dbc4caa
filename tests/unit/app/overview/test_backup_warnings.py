"""Warnings about backups: none if they are in order, at least one in every other state."""

from dataclasses import replace

import pytest

from app.overview.backup_warnings import backup_warnings
from services.store.backups import BackupPlan, backup_state
from tests.support.runs import catalogue_of


@pytest.fixture
def state(tmp_path):
    """The state of backups that are made daily, the last of them an hour ago."""
    catalogue = catalogue_of(f"sqlite:///{tmp_path}/catalogue.db")
    made = backup_state(catalogue, BackupPlan("/backups", 86_400.0, 7))
    catalogue.close()
    return replace(made, last_at="2026-11-20T00:00:00+00:00", age_s=3_600.0)


def test_backups_in_order_need_no_warning(state):
    assert backup_warnings(state) == []


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"to": "", "every_s": 0.0, "last_at": None, "age_s": None}, "off"),
        ({"last_at": None, "age_s": None}, "no backup"),
        ({"last_error": "the disk is full"}, "the disk is full"),
        ({"age_s": 200_000.0}, "two intervals"),
        ({"problems": 2}, "2 problems"),
    ],
)
def test_every_other_state_has_one(state, changes, word):
    (warning,) = backup_warnings(replace(state, **changes))
    assert word in warning
