"""An array has a bounded number of cores, wherever its rows and columns are said."""

import io
import json

import pytest
from werkzeug.datastructures import MultiDict

from app.config.settings import Settings
from app.server.factory import create_app
from app.views.view import FAILED
from tests.support.aie_trace import trace_text
from tests.support.dash_client import DashClient

HUGE = ["rows=2000&cols=2000", "rows=1000000000&cols=1000000000", "rows=1000&cols=1000"]
A_PAGE = 2 * 2**20
"""Bytes that the page of a small run stays well below."""


@pytest.fixture
def run(upload):
    return upload(m="32", k="32", n="32").json["runs"][0]["run_id"]


def repository(dashboard):
    return dashboard.repository


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("query", HUGE)
@pytest.mark.parametrize(
    "path", ["/run/{run}?{query}", "/table/{run}.csv?{query}", "/snapshot?run={run}&{query}"]
)
def test_an_address_cannot_ask_for_a_huge_array(dashboard, run, query: str, path: str):
    answer = dashboard.get(path.format(run=run, query=query))
    assert answer.status_code in (200, 400)
    assert len(answer.data) < 4 * A_PAGE
    assert len(dashboard.open(f"/run/{run}", f"?{query}")) < A_PAGE


@pytest.mark.parametrize("query", HUGE)
def test_an_export_says_how_many_cores_there_may_be(dashboard, run, query: str):
    answer = dashboard.get(f"/export/{run}/iterations.json?{query}")
    assert answer.status_code == 400
    assert set(answer.json) == {"type", "title", "status", "detail"}


def test_the_page_says_how_many_cores_there_may_be(dashboard, run):
    assert "max_array_tiles" in dashboard.open(f"/run/{run}", "?rows=1000&cols=1000")


@pytest.mark.quick_every(2)
@pytest.mark.parametrize(
    "shape", [("1000", "1000"), ("2000", "2000"), ("1000000000", "1000000000")]
)
def test_no_way_in_stores_a_huge_array(dashboard, upload, shape: tuple[str, str]):
    rows, cols = shape
    folder = f"npu2-gemm_64_64_64-{rows}_row_{cols}_col/traces/trace_mm_64_64_64.json"
    index = json.dumps({"rows": int(rows), "cols": int(cols)}).encode()
    upload(name=folder)
    upload(name="x.json", rows=rows, cols=cols)
    form = [
        ("file", (io.BytesIO(data), name))
        for name, data in (
            ("traces/trace_mm_64_64_64.json", trace_text().encode()),
            ("traces/index.json", index),
        )
    ]
    dashboard.http.post("/api/upload", data=MultiDict(form), content_type="multipart/form-data")
    runs = repository(dashboard).runs()
    assert not (runs["rows"].fillna(0) * runs["cols"].fillna(0) > 4096).any()


@pytest.mark.slow
def test_the_limit_is_a_setting(tmp_path):
    small = DashClient(create_app(Settings(data=tmp_path, max_array_tiles=4)))
    query = {"name": "x.json", "cols": "2"}
    for rows, status in (("3", 422), ("2", 200)):
        answer = small.http.post(
            "/api/upload", query_string=query | {"rows": rows}, data=trace_text().encode()
        )
        assert answer.status_code == status, answer.text


@pytest.mark.slow
def test_a_run_that_was_stored_with_a_huge_array_opens(dashboard, run, monkeypatch):
    kept = type(repository(dashboard).catalogue).get

    def huge(self, run_id):
        stored = kept(self, run_id)
        return stored and (stored.run.update(rows=10**9, cols=10**9) or stored)

    monkeypatch.setattr(type(repository(dashboard).catalogue), "get", huge)
    page = dashboard.open(f"/run/{run}")
    assert "run-floorplan" in page
    assert len(page) < A_PAGE
    assert FAILED not in page
    assert dashboard.get(f"/snapshot?run={run}").status_code == 200
