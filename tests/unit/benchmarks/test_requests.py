"""A browser of the benchmarks asks a server for what a real one asks for."""

import json

import pytest

from benchmarks.requests import Browser
from tests.support.aie_trace import trace_text
from tests.support.live_server import running


@pytest.fixture
def server(tmp_path):
    with running(tmp_path, render_processes=0) as live:
        name = "npu2-gemm_64_64_64-2_row_1_col/traces/trace_mm_64_64_64.json"
        status, _, _ = live.request(f"/api/upload?name={name}", "POST", trace_text().encode())
        assert status < 300
        yield live


def test_what_a_page_shows_is_kept_from_one_selection_to_the_next(server):
    (run,) = json.loads(server.request("/api/v1/runs")[2])["runs"]
    browser = Browser(f"http://127.0.0.1:{server.port}")
    browser.open_run(run["run_id"])
    for query, is_news in (("iteration=1", True), ("iteration=1", False), ("", True)):
        browser.select(query)
        assert bool(browser.changed) == is_news
    browser.close()
