"""Requests to Dash's own routes that no page of ours makes."""

import copy
import json
import logging

import pytest

PATH = "/_dash-update-component"
PARTS = [
    None,
    1,
    "x",
    [],
    {},
    [[]],
    [None],
    [1],
    ["x"],
    [{}],
    [{"id": 1}],
    [{"id": {"a": []}, "property": "b"}],
]


@pytest.fixture
def body(dashboard):
    """A callback as a page sends it."""
    dashboard.get("/")
    spec = next(
        d for d in dashboard.get("/_dash-dependencies").json if "runs-scatter.figure" in d["output"]
    )
    parts = {
        key: [{"id": p["id"], "property": p["property"]} for p in spec[key]]
        for key in ("inputs", "state")
    }
    one = spec["output"].strip(".").split("...")
    outputs = [dict(zip(("id", "property"), name.rsplit(".", 1), strict=True)) for name in one]
    whole = {"output": spec["output"], "outputs": outputs if ".." in spec["output"] else outputs[0]}
    return whole | parts | {"changedPropIds": []}


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "1", '"x"', "{}", "[" * 5000, '{"output": 1}', '{"output": "x.y"}'],
)
def test_what_is_no_callback_is_a_bad_request(dashboard, text, caplog):
    dashboard.get("/")
    answer = dashboard.http.post(PATH, data=text, content_type="application/json")
    assert answer.status_code == 400
    assert set(answer.json) == {"type", "title", "status", "detail"}
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.parametrize("key", ["outputs", "inputs", "state", "changedPropIds", "output"])
def test_a_callback_of_another_shape_is_a_bad_request(dashboard, body, key, caplog):
    assert dashboard.http.post(PATH, json=body).status_code == 200
    caplog.clear()
    for part in PARTS:
        if (
            part == body[key]
            or (key == "changedPropIds" and part in (["x"], []))
            or (key == "state" and part == [])
        ):
            continue
        broken = copy.deepcopy(body) | {key: part}
        answer = dashboard.http.post(PATH, json=broken)
        assert answer.status_code == 400, (key, part, answer.text)
        del broken[key]
        assert dashboard.http.post(PATH, json=broken).status_code in (200, 204, 400)
    assert not [record for record in caplog.records if "failed" in record.message]


def test_a_value_that_is_nested_without_end_is_a_bad_request(dashboard, body):
    for depth in (50, 500, 900, 2000):
        text = json.dumps(body).replace(
            '"property"', '"value": ' + "[" * depth + "]" * depth + ', "property"'
        )
        assert dashboard.http.post(
            PATH, data=text, content_type="application/json"
        ).status_code in (200, 400)


@pytest.mark.slow
def test_no_callback_of_the_pages_is_refused(dashboard):
    dashboard.get("/")
    for spec in dashboard.get("/_dash-dependencies").json:
        if spec["clientside_function"] is None:
            assert "no such callback" not in dashboard.post(spec["output"]).text


@pytest.mark.parametrize(
    "path", ["os/os.py", "dash/dash.py", "plotly/../dash/dash.py", "dash/%2e%2e/x", "nonsense/x.js"]
)
def test_files_of_packages_that_are_not_part_of_a_page_are_not_there(dashboard, path, caplog):
    answer = dashboard.get(f"/_dash-component-suites/{path}")
    assert answer.status_code == 404
    assert "Traceback" not in caplog.text
