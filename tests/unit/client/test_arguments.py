"""Arguments of the client's command line."""

import pytest
from tilescope_client.arguments import run_id


@pytest.mark.parametrize(
    "text",
    [
        "ab12",
        "http://h/run/ab12",
        "http://h/run/ab12/",
        "http://h/base/run/ab12?attempt=1&run=cd34",
    ],
)
def test_a_run_is_named_by_its_id_or_by_the_address_of_its_page(text):
    assert run_id(text) == "ab12"
