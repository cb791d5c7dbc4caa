"""The description of the API is that of the API."""

import json
import re

import pytest


@pytest.fixture(scope="module")
def description(shared):
    answer = shared.served.ask("GET", "/api/v1/openapi.json")
    assert answer.status_code == 200
    return answer.json


def operations(description):
    return {
        (m.upper(), path): told
        for path, methods in description["paths"].items()
        for m, told in methods.items()
    }


def test_it_names_every_route_of_the_api_and_no_other(shared, description):
    rules = [
        rule
        for rule in shared.served.server.url_map.iter_rules()
        if rule.rule.startswith("/api/v1/")
    ]
    routes = {
        (method, re.sub(r"<(?:text:)?(\w+)>", r"{\1}", rule.rule))
        for rule in rules
        for method in rule.methods - {"OPTIONS"} - ({"HEAD"} if "GET" in rule.methods else set())
    }
    assert set(operations(description)) == routes - {("GET", "/api/v1/openapi.json")}


def references(value):
    if isinstance(value, dict):
        yield from ([value["$ref"]] if "$ref" in value else [])
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_every_reference_leads_somewhere(description):
    found = set(references(description))
    assert found
    for reference in found:
        place = description
        for part in reference.removeprefix("#/").split("/"):
            place = place[part]


def test_it_is_a_document_of_the_version_that_it_says(description):
    assert description["openapi"].startswith("3.1")
    names = [told["operationId"] for told in operations(description).values()]
    assert len(names) == len(set(names))
    for (method, path), told in operations(description).items():
        assert told["responses"], path
        assert all(status == "default" or 200 <= int(status) < 400 for status in told["responses"])
        assert all(
            "description" in answer or "$ref" in answer for answer in told["responses"].values()
        )
        declared = {p["name"] for p in told.get("parameters", []) if p["in"] == "path"}
        assert declared == {part[1:-1] for part in path.split("/") if part.startswith("{")}
        assert "requestBody" not in told or method in ("POST", "PUT", "PATCH")


def test_answers_have_the_shape_that_is_described(shared, description):
    samples = {
        "/api/v1/runs": "/runs",
        "/api/v1/runs/{run_id}": f"/runs/{shared.ids[0]}",
        "/api/v1/runs/{run_id}/frames": f"/runs/{shared.ids[0]}/frames",
        "/api/v1/jobs": "/jobs",
        "/api/v1/views": "/views",
        "/api/v1/tokens": "/tokens",
        "/api/v1/audit": "/audit",
        "/api/v1/me": "/me",
    }
    for path, asked in samples.items():
        schema = operations(description)["GET", path]["responses"]["200"]["content"][
            "application/json"
        ]["schema"]
        model = description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        answer = shared("GET", asked).json
        assert set(model["required"]) <= set(answer), path
        assert path == "/api/v1/runs/{run_id}" or set(answer) == set(model["properties"]), path


def test_nothing_of_the_installation_is_in_it(shared, description):
    assert str(shared.served.settings.data) not in json.dumps(description)
