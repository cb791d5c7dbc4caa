"""The page of programs without a browser: what it lays out, refuses, answers and exports."""

import gzip
import json

import pytest

from app.config.settings import Settings
from app.server.factory import create_app
from ingest.files import ingest
from tests.support.dash_client import DashClient


@pytest.fixture(scope="module")
def store(tmp_path_factory, samples):
    """A store, a run of a compiler in it, and one without any."""
    settings = Settings(data=tmp_path_factory.mktemp("programs") / "data")
    found = [
        ingest(settings.repository(), [samples / name], {}).runs
        for name in ("tinygrad/gemm-0.14-cpu", "minimalloc")
    ]
    return settings, *(runs[0].run_id for runs in found)


@pytest.fixture
def page(store):
    return DashClient(create_app(store[0]))


@pytest.mark.slow
def test_a_page_comes_drawn(page, store):
    text = page.open(f"/run/{store[1]}/program", "?context=0&step=0")
    assert all(
        part in text
        for part in (
            "program-contexts-grid",
            "program-graph",
            "program-slider",
            "program-text-body",
        )
    )


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(
    "query", ["?context=999999", "?context=0&step=99999&match=-1&node=x", "?folded=1,2,x&find=%00"]
)
def test_an_address_that_leads_nowhere_is_laid_out(page, store, query):
    assert "program-header" in page.open(f"/run/{store[1]}/program", query)


def test_a_run_without_programs_and_no_run_say_so(page, store):
    assert "no programs" in page.open(f"/run/{store[2]}/program")
    assert "program-header" not in page.open("/run/0000000000/program")


@pytest.mark.slow
def test_what_changes_is_drawn_anew_and_nothing_else(page, store):
    values = {
        "program-view.data": "context=0&step=0",
        "theme.data": "light",
        "program-id.data": store[1],
    }
    whole = page.callback("program-changes.data", **values)
    assert "program-graph-body" in whole["program-changes"]["data"]["changes"]
    shown = whole["program-changes"]["data"]["shown"]
    found = values | {
        "program-view.data": "context=0&step=0&find=sink",
        "program-shown.data": shown,
    }
    changed = page.callback("program-changes.data", **found)["program-changes"]["data"]["changes"]
    assert json.loads(changed["program-graph-stage"]["data-state"])["find"] == "sink"
    assert "program-graph-body" not in changed  # the picture stays where it stands
    assert "program-steps-body" not in changed


@pytest.mark.slow
def test_the_picture_is_read_once(page, store):
    address = f"/graph/{store[1]}/columns?context=0&step=0"
    answer = page.get(address)
    columns = json.loads(gzip.decompress(answer.data))
    assert len(columns["names"]) == len(columns["label"]) == len(columns["slot"]) > 0
    assert len(columns["slots"]["chars"]) == sum(columns["slots"]["layers"])
    again = page.get(address, headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    other = page.get(
        f"{address}&constants=shown", headers={"If-None-Match": answer.headers["ETag"]}
    )
    assert other.status_code == 200


@pytest.mark.quick_every(2)
@pytest.mark.parametrize(
    ("fmt", "mime", "begin"),
    [
        ("json", "application/json", "{"),
        ("dot", "text/vnd.graphviz", "digraph"),
        ("txt", "text/plain", "%"),
    ],
)
def test_a_graph_is_a_file(page, store, fmt, mime, begin):
    answer = page.get(f"/graph/{store[1]}.{fmt}?context=0&step=0")
    assert (answer.status_code, answer.mimetype) == (200, mime)
    assert answer.text.startswith(begin)


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/graph/{run}.pkl?context=0&step=0", 404),
        ("/graph/{run}.json?context=0&step=999999", 404),
        ("/graph/{run}.json?context=0", 400),
        ("/graph/{run}.json?context=-1&step=0", 400),
        ("/graph/{run}.json?context=9999999999999&step=0", 400),
        ("/graph/none.json?context=0&step=0", 404),
        ("/graph/{run}/columns?context=0", 400),
        ("/graph/{run}/columns?context=0&step=999999", 404),
        ("/graph/none/columns?context=0&step=0", 404),
        ("/graph/{run}/flow", 400),
        ("/graph/{run}/flow?program=999999", 404),
        ("/graph/none/flow?program=0", 404),
        ("/snapshot/program/none", 404),
    ],
)
def test_what_is_not_there_is_said(page, store, address, status):
    answer = page.get(address.format(run=store[1]))
    assert answer.status_code == status
    assert json.loads(answer.text)["detail"]


@pytest.mark.slow
def test_a_snapshot_is_a_file(page, store):
    answer = page.get(f"/snapshot/program/{store[1]}?context=0&step=0")
    assert answer.status_code == 200
    assert "Programs of" in answer.text
