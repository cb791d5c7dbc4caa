"""Saved addresses of the list of runs, which once was at `/`: all of them open the list."""

import json
from urllib.parse import parse_qsl, urlsplit

import pytest

from app.pages.landing.forward import forward_address
from app.pages.runs.state import parse
from components.runs.list_address import LIST_PATH, list_address
from tests.support.dash_client import find

OF_THE_LIST = (
    "source=kineto",
    "hwid=npu2&sort=-gmacs_mean",
    "hwid=npu1&hwid=",
    "M=512&K=512&N=512&m=&k=32&n=32&grid=4x4&mac_dtype=i8",
    "tag=a%20b%26c&branch=main",
    "commit=1f0939a&since=2026-11-01&until=2026-11-23",
    "q=%C3%A9%20beta&unknown=1",
    "size=100,2e%2B06&rate=1,2",
    "columns=gmacs_mean,source",
    "grouped=1",
)


@pytest.mark.quick_every(5)
@pytest.mark.parametrize("query", OF_THE_LIST)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_the_server_redirects_to_the_same_list(dashboard, query, method):
    answer = dashboard.http.open(f"/?{query}", method=method)
    place = urlsplit(answer.headers["Location"])
    assert (answer.status_code, place.netloc, place.path) == (302, "", LIST_PATH)
    assert parse(place.query) == parse(query) != parse("")


@pytest.mark.parametrize("query", OF_THE_LIST)
def test_a_link_within_the_application_leads_there_too(dashboard, query):
    page = json.loads(dashboard.open("/", f"?{query}"))
    assert find(page, "landing-body") is None
    place = urlsplit(find(page, "forwarded-to")["data"])
    assert place.path == LIST_PATH
    assert parse(place.query) == parse(query)


@pytest.mark.parametrize("query", ["", "rule=nightly", "unknown=1", "verdict=regressed&week=1"])
def test_other_queries_stay(dashboard, query):
    assert forward_address(query) == ""
    assert dashboard.get(f"/?{query}").status_code == 200
    page = json.loads(dashboard.open("/", f"?{query}"))
    assert find(page, "landing-body")
    assert find(page, "forwarded-to") is None


def test_only_the_landing_page_forwards(dashboard):
    for path in (LIST_PATH, "/status", "/trends"):
        assert dashboard.get(f"{path}?hwid=npu2").status_code == 200


@pytest.mark.parametrize("text", ["q=%0d%0aSet-Cookie:%20a=b", "q=//evil.example", "q=%ff%fe"])
def test_a_hostile_query_leads_nowhere_else(dashboard, text):
    answer = dashboard.http.get(f"/?{text}")
    assert answer.headers["Location"].startswith(f"{LIST_PATH}?q=")
    assert "Set-Cookie" not in answer.headers


def test_a_query_keeps_its_pairs():
    pairs = parse_qsl(OF_THE_LIST[2], keep_blank_values=True)
    assert list_address(pairs) == f"{LIST_PATH}?{OF_THE_LIST[2]}"
