"""An empty store and an empty catalogue of each kind."""

import pytest

from storage.catalogue import Catalogue


@pytest.fixture
def catalogue(new_database):
    opened = Catalogue(new_database())
    yield opened
    opened.close()


@pytest.fixture
def repository(new_repository):
    opened = new_repository()
    yield opened
    opened.catalogue.close()
