"""An empty catalogue, and a stand-in of each code host."""

import pytest

from storage.catalogue import Catalogue
from tests.support.code_host_messages import Side, config_of
from tests.support.code_host_server import serving


@pytest.fixture
def store(tmp_path):
    catalogue = Catalogue(f"sqlite:///{tmp_path / 'catalogue.db'}")
    catalogue.create()
    yield catalogue
    catalogue.close()


@pytest.fixture(params=["github", "gitlab"])
def side(request):
    with serving(request.param) as server:
        yield Side(request.param, server, config_of(server, request.param))
