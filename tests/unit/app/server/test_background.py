"""Rounds that servers take now and then."""

import pytest

from app.server.background import take_logged_round
from storage.errors import StorageError


def refuse():
    raise StorageError("the catalogue may only be read")


def break_down():
    raise RuntimeError("broken")


def test_a_store_that_stays_as_it_is_is_logged_once(caplog):
    logged = take_logged_round("judging", refuse)
    for _ in range(3):
        logged = take_logged_round("judging", refuse, logged)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    logged = take_logged_round("judging", lambda: None, logged)
    take_logged_round("judging", refuse, logged)
    assert len(caplog.records) == 2


@pytest.mark.parametrize("logged", ["", "the catalogue may only be read"])
def test_a_defect_is_logged_each_time_and_ends_nothing(caplog, logged):
    assert take_logged_round("judging", break_down, logged) == ""
    assert [record.levelname for record in caplog.records] == ["ERROR"]
