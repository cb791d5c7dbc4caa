import pytest

from app.config.settings import Settings
from app.server.factory import create_app
from tests.support.dash_client import DashClient


@pytest.fixture(scope="session")
def page(pairs):
    """A dashboard on the store of the pairs."""
    return DashClient(create_app(Settings(data=pairs.place)))
