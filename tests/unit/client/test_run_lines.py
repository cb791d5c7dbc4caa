"""Lines of runs that the client prints."""

import pytest
from tilescope_client.commands import _run_line


@pytest.mark.parametrize(
    ("more", "is_doubted"),
    [
        ({}, False),
        ({"impossible": []}, False),
        ({"impossible": ["kernel_utilization"]}, False),
        ({"impossible": ["gmacs_mean", "utilization"]}, True),
    ],
)
def test_a_rate_is_doubted_if_the_server_calls_it_impossible(more, is_doubted):
    text = _run_line({"run_id": "0231395f7575", "name": "gemm", "gmacs_mean": 200.0} | more)
    assert "200 GMAC/s" in text
    assert ("impossible" in text) is is_doubted
