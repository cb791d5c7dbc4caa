"""Lines of runs that the client prints."""

import pytest
from tilescope_client.commands import _run_line


@pytest.mark.parametrize(
    ("numbers", "is_doubted"),
    [
        ({"gmacs_mean": 200.0, "gmacs_best": 210.0, "utilization": 0.8}, False),
        ({"gmacs_mean": 200.0, "gmacs_best": 200.0, "utilization": 1.0}, False),
        ({"gmacs_mean": 200.0, "gmacs_best": 250.0, "utilization": 0.9}, True),
        ({"gmacs_mean": 200.0, "gmacs_best": None, "utilization": 1.2}, True),
        ({"gmacs_mean": 200.0, "gmacs_best": 250.0, "utilization": None}, False),
    ],
)
def test_a_rate_above_the_peak_is_doubted(numbers, is_doubted):
    text = _run_line({"run_id": "0231395f7575", "name": "gemm"} | numbers)
    assert "200 GMAC/s" in text
    assert ("impossible" in text) is is_doubted
