"""Baselines in the catalogue."""

import pytest

from storage.baselines import Baselines
from storage.errors import BaselineNotFound
from storage.run_list import RunList


@pytest.fixture
def catalogue(opened):
    return opened({"hwid": "npu1"})


def test_a_name_stands_for_the_runs_it_was_last_given(catalogue):
    found = Baselines(catalogue)
    found.set("main", ["a", "b"])
    found.set("fast", ["c"])
    found.set("main", ["d"])
    assert [(one.name, one.runs) for one in found.all()] == [("fast", ["c"]), ("main", ["d"])]
    assert found.get("main").changed_at


def test_one_that_is_not_there_is_said(catalogue):
    for act in (Baselines(catalogue).get, Baselines(catalogue).delete):
        with pytest.raises(BaselineNotFound, match="nightly"):
            act("nightly")


def test_a_deleted_one_is_gone_and_the_list_of_runs_is_another(catalogue):
    found, listed = Baselines(catalogue), RunList(catalogue)
    found.set("main", ["a"])
    before = listed.version()
    found.delete("main")
    assert found.all() == []
    assert listed.version() != before


def test_a_catalogue_that_does_not_exist_has_none(repository):
    assert Baselines(repository.catalogue).all() == []
