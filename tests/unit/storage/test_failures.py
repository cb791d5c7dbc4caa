"""What a browser is told of a database that fails: to try again only where that may help."""

import pytest

from storage.failures import catalogue_failed


class OperationalError(Exception):
    """What drivers call it, with the code that PostgreSQL gave."""

    def __init__(self, sqlstate=None):
        super().__init__("said by the server")
        self.sqlstate = sqlstate


def told(error):
    return catalogue_failed("postgresql://host/name", error).public


@pytest.mark.parametrize("code", ["08006", "08P01", "53300", "57P01", "57P03"])
def test_a_server_that_takes_no_connection_is_out_of_reach(code):
    assert told(OperationalError(code)) == told(OperationalError()) != told(ValueError())


@pytest.mark.parametrize("code", ["53100", "53200", "57014", "55P03", "40P01"])
def test_a_server_that_answers_with_a_failure_is_not(code):
    assert told(OperationalError(code)) == told(ValueError())
