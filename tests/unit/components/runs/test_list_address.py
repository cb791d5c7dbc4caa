"""The address of the list of runs: a path, with the filters as its query."""

from urllib.parse import parse_qsl, urlsplit

import pytest

from components.runs.list_address import LIST_PATH, list_address


@pytest.mark.parametrize(
    ("query", "pairs"),
    [
        ("", []),
        ({}, []),
        ("hwid=npu2&sort=-gmacs_mean", [("hwid", "npu2"), ("sort", "-gmacs_mean")]),
        ({"tag": "a b&c"}, [("tag", "a b&c")]),
        ([("hwid", "npu1"), ("hwid", "")], [("hwid", "npu1"), ("hwid", "")]),
    ],
)
def test_the_filters_of_the_list_are_its_query(query, pairs):
    address = list_address(query)
    parts = urlsplit(address)
    assert parts.path == LIST_PATH
    assert parse_qsl(parts.query, keep_blank_values=True) == pairs
    assert address.endswith("?") is False
