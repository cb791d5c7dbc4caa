"""A stand-in of each code host."""

import pytest

from tests.support.code_host_messages import Side, config_of
from tests.support.code_hosts import serving


@pytest.fixture(params=["github", "gitlab"])
def side(request):
    with serving(request.param) as server:
        yield Side(request.param, server, config_of(server, request.param))
