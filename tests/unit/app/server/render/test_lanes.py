"""Which requests wait on threads of their own, told by a look at their beginning, and what they are about."""

import json

import pytest

from app.config.settings import load_settings
from app.pages.compare.record import COMPARE_PAGE
from app.pages.registry import PAGES
from app.server.factory import create_app
from app.server.render.lanes import (
    CALLBACKS,
    LOOK_BYTES,
    PAGE,
    Lanes,
    RenderWork,
)
from components.runs.list_address import LIST_PATH

LANES = Lanes(PAGES)


def body_of(output, **values):
    parts = [
        {"id": name.rpartition(".")[0], "property": name.rpartition(".")[2], "value": v}
        for name, v in values.items()
    ]
    return {"output": output, "outputs": [], "inputs": parts, "state": [], "changedPropIds": []}


def lane(body):
    return LANES.is_slow(
        "POST", CALLBACKS, json.dumps(body, separators=(",", ":")).encode()[:LOOK_BYTES]
    )


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    made = create_app(load_settings(data=tmp_path_factory.mktemp("data")))
    made.server.test_client().get("/healthz")
    return made


def test_a_callback_that_is_rendered_apart_waits_on_a_thread_of_those(app):
    """A look at the beginning of a body never takes for quick what turns out to be slow."""
    outputs = [output for output, callback in app.callback_map.items() if "callback" in callback]
    assert len(outputs) > 50
    for output in outputs:
        body = body_of(output)
        if LANES.classify_callback(body) is not None:
            assert lane(body), output


@pytest.mark.parametrize("name", ["team", "ci/main", "a/test", "two\nlines"])
def test_setting_and_testing_an_alert_of_any_name_waits_for_others(name):
    assert LANES.is_slow("PUT", f"/api/v1/alerts/{name}", b"")
    assert LANES.is_slow("POST", f"/api/v1/alerts/{name}/test", b"")
    assert not LANES.is_slow("GET", "/api/v1/alerts", b"")


def test_every_callback_that_draws_a_run_is_rendered_apart(app):
    for screen in ("run", "program", "lab", "compare"):
        drawing = next(output for output in app.callback_map if f"{screen}-changes.data" in output)
        values = {f"{screen}-id.data": "a1b2"}
        assert LANES.classify_callback(body_of(drawing, **values)) == RenderWork("a1b2")


def test_comparisons_of_other_runs_are_other_data(app):
    drawing = next(output for output in app.callback_map if "compare-changes.data" in output)

    def drawn(query):
        values = {"compare-id.data": "", "compare-view.data": query}
        return LANES.classify_callback(body_of(drawing, **values))

    def opened(query):
        place = {"_pages_location.pathname": "/compare", "_pages_location.search": f"?{query}"}
        return LANES.classify_callback(body_of(PAGE, **place))

    works = [drawn("base=a1&new=b2"), drawn("base=a1&new=c3"), drawn("base=b2&new=a1")]
    assert len({work.data_key for work in works}) == len(works)
    assert drawn("base=a1&new=b2&iteration=2") == opened("base=a1&new=b2") == works[0]


@pytest.mark.parametrize(
    "output", ["runs-view.data", "..runs-grid.rowData...x.options..", "jobs-list.children"]
)
def test_lists_are_quick(output):
    assert LANES.classify_callback(body_of(output)) is None
    assert not lane(body_of(output))


def test_verdicts_of_the_list_and_searches_of_the_lab():
    assert LANES.classify_callback(body_of("runs-against-told.data")) is not None
    # a search outlives the render process that would start it
    assert LANES.classify_callback(body_of("..lab-status.children...lab-solve.disabled..")) is None


@pytest.mark.parametrize(
    ("path", "subject"),
    [
        ("/run/a1b2", "a1b2"),
        ("/run/a1b2/program", "a1b2"),
        ("/run/a1b2/lab", "a1b2"),
        ("/compare", COMPARE_PAGE.query_data("base=a")),
        ("/trends", "/trends?base=a"),
        ("/", "/?base=a"),
        (None, "/?base=a"),
    ],
)
def test_pages_of_runs_are_rendered_apart(path, subject):
    values = {"_pages_location.pathname": path, "_pages_location.search": "?base=a"}
    assert LANES.classify_callback(
        body_of(f"..{PAGE}..._pages_store.data..", **values)
    ) == RenderWork(subject)


@pytest.mark.parametrize("path", [LIST_PATH, "/jobs", "/audit"])
def test_other_pages_are_quick(path):
    values = {"_pages_location.pathname": path}
    assert LANES.classify_callback(body_of(f"..{PAGE}..._pages_store.data..", **values)) is None


def test_files_are_rendered_apart_and_all_routes_that_make_one_are_known(app):
    made = {
        rule.rule
        for rule in app.server.url_map.iter_rules()
        if LANES.classify_path(rule.rule, {}) is not None
    }
    assert {
        "/export/<run_id>/<frame>.<fmt>",
        "/snapshot",
        "/graph/<run_id>.<fmt>",
        "/trends.csv",
    } < made
    assert {f"/api/v1/runs/<run_id>/{name}" for name in ("frames/<frame>", "advice", "pace")} < made
    assert not made & {
        "/",
        "/<path:path>",
        "/healthz",
        "/api/v1/runs",
        "/api/v1/runs/<run_id>/frames",
    }
    for rule in made:
        assert LANES.is_slow("GET", rule, b"")


@pytest.mark.parametrize(
    "body", [b"", b"{", b'{"inputs":[],"output":"runs-view.data"}', b'{"output":7}', b"\xff" * 20]
)
def test_what_cannot_be_told_is_slow(body):
    assert LANES.is_slow("POST", CALLBACKS, body)


def test_what_brings_files_waits_apart_and_the_list_of_runs_does_not():
    assert LANES.is_slow("POST", "/api/v1/runs", b"")
    assert LANES.is_slow("POST", "/api/v1/uploads/7/finish", b"")
    assert LANES.is_slow("PATCH", "/api/v1/uploads/7", b"")
    assert not LANES.is_slow("GET", "/api/v1/runs", b"")
    assert not LANES.is_slow("HEAD", "/api/v1/uploads/7", b"")
