import pytest

from app.config.settings import Settings
from tests.support.kineto_trace import trace_data, two_steps


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """The page data of a trace of two steps, ingested once per process."""
    folder = tmp_path_factory.mktemp("two_steps")
    return trace_data(Settings(data=folder / "data").repository(), folder, two_steps())
