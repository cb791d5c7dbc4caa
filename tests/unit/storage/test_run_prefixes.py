"""Prefixes of one run or many, as the catalogue has them."""

import pytest

from storage import run_prefixes
from storage.run_prefixes import read_prefix, read_prefixes
from tests.support.run_lists import MANY
from tests.support.runs import catalogue_of


def test_prefixes_are_those_of_the_runs_that_exist(new_database, monkeypatch):
    catalogue = catalogue_of(new_database(), *MANY)
    runs = {stored.run_id: stored.prefix for stored in catalogue.runs({})}
    assert len(runs) > 3
    monkeypatch.setattr(run_prefixes, "_BATCH_SIZE", 3)
    assert read_prefixes(catalogue, [*runs, "none", "0"]) == runs
    assert read_prefixes(catalogue, []) == {}
    catalogue.close()


@pytest.mark.slow
def test_the_prefix_of_a_run_is_that_of_its_row(new_database):
    catalogue = catalogue_of(new_database(), *MANY)
    for stored in catalogue.runs({}):
        assert read_prefix(catalogue, stored.run_id) == stored.prefix
    for wrong in ("none", "", "0\0", "a" * 5000):
        assert read_prefix(catalogue, wrong) is None
    catalogue.close()
