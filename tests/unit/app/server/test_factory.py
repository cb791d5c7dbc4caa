import re

import dash
import pytest

from app.config.settings import Settings
from app.server.factory import create_app
from components.runs.list_address import LIST_PATH
from tests.support.dash_client import DashClient


def test_the_pages_load_nothing_from_elsewhere(dashboard):
    html = dashboard.get("/").text
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', html)


def test_every_asset_is_served(dashboard):
    html = dashboard.get("/").text
    for path in re.findall(r'(?:src|href)="(/[^"]*)"', html):
        assert dashboard.get(path).status_code == 200, path


def test_an_empty_store_says_how_the_first_run_gets_in(dashboard):
    page = dashboard.open("/")
    assert "No runs yet" in page
    assert "python -m app ingest" in page
    assert '"data-pick"' in page


@pytest.mark.slow
def test_the_page_shows_the_runs_as_the_query_asks(dashboard, upload):
    upload()
    upload(hwid="npu1", name="other.json")
    page = dashboard.open(LIST_PATH, "?hwid=npu1&sort=name")
    assert '"hwid=npu1&sort=name"' in page
    assert page.count('"run_id"') == 1


@pytest.mark.parametrize(
    "search", ["?context=1", "?query=x&state=y", "?hwid=%00&hwid=a&hwid=b", "?size=1"]
)
def test_any_query_gives_the_page(dashboard, search: str):
    assert "runs-view" in dashboard.open(LIST_PATH, search)


def test_an_address_that_leads_nowhere_says_so(dashboard):
    page = dashboard.open("/nonsense")
    assert "runs-view" not in page
    assert f'"href": "{LIST_PATH}"' in page


@pytest.mark.slow
def test_two_applications_in_one_process_keep_their_stores(dashboard, upload, tmp_path):
    other = DashClient(create_app(Settings(data=tmp_path / "other")))
    upload()
    for path in ("/", LIST_PATH):
        assert "No runs yet" in other.open(path)
        assert "No runs yet" not in dashboard.open(path)


def test_nothing_of_a_development_server_is_on(dashboard):
    html = dashboard.get("/").text
    assert '"ui":false' in html.replace(" ", "")
    assert dashboard.app._dev_tools.get("ui") in (None, False)
    assert dashboard.get("/_reload-hash").status_code in (200, 404)
    assert dashboard.http.post("/_mcp", json={}).status_code in (404, 405)


def test_a_failing_callback_is_a_sentence_not_a_traceback(dashboard, monkeypatch):
    def broken(*_args, **_kwargs):
        raise RuntimeError("secret path /srv/data")

    dashboard.get("/")
    context = dashboard.context
    monkeypatch.setattr(type(context.runs), "now", broken)
    answer = dashboard.post("runs-scatter.figure")
    assert answer.status_code == 200
    assert "secret" not in answer.text
    assert "RuntimeError" not in answer.text


@pytest.mark.slow
def test_pages_are_registered_once(settings):
    create_app(settings)
    create_app(settings)
    assert len({page["path"] for page in dash.page_registry.values()}) == len(dash.page_registry)
