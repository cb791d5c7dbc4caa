from itertools import count

import pytest

from storage.catalogue import Catalogue
from storage.run_list import RunList
from tests.support.empty_catalogues import CREATE_TABLES
from tests.support.run_lists import MANY, opener_of
from tests.support.runs import catalogue_of


@pytest.fixture(autouse=True)
def tables_are_made(monkeypatch):
    """Make tables, where other rooms begin with a copy of an empty catalogue."""
    monkeypatch.setattr(Catalogue, "_create_tables", CREATE_TABLES)


@pytest.fixture(scope="module")
def many(new_database):
    catalogue = catalogue_of(new_database(), *MANY)
    yield RunList(catalogue)
    catalogue.close()


@pytest.fixture
def opened(new_database):
    """Make catalogues of rows."""
    with opener_of(new_database) as opener:
        yield opener


@pytest.fixture
def embedded(tmp_path):
    """Make embedded catalogues of rows: `0.db`, `1.db` and so on."""
    names = count()
    with opener_of(lambda: f"sqlite:///{tmp_path}/{next(names)}.db") as opener:
        yield opener
