import pytest

from tests.support.access import Team


@pytest.fixture
def team(tmp_path):
    return Team(tmp_path / "data")


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A server for what changes nothing that others look at, with two runs."""
    made = Team(tmp_path_factory.mktemp("team"))
    made.ids = made.runs(1, 2)
    return made
