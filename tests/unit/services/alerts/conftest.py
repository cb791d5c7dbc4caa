import pytest

from storage.catalogue import Catalogue


@pytest.fixture
def store(tmp_path):
    catalogue = Catalogue(f"sqlite:///{tmp_path / 'catalogue.db'}")
    catalogue.create()
    yield catalogue
    catalogue.close()
