import pytest

from tests.support.comparisons import PAIRS


@pytest.fixture(scope="session", params=PAIRS)
def pair(request, pairs):
    """Every pair, as the page of a comparison draws from it."""
    return pairs.data(request.param)
