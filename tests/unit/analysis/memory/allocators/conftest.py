import pytest

from analysis.allocators.search import warm_up


@pytest.fixture(scope="session", autouse=True)
def compiled_once():
    """Let one process compile the search, and the others wait for it."""
    warm_up(lambda _: None)
