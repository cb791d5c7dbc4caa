import pytest

from tests.support.kineto_trace import trace_data, two_steps


@pytest.fixture
def data(settings, tmp_path):
    """The page data of a trace of two steps."""
    return trace_data(settings.repository(), tmp_path, two_steps())
