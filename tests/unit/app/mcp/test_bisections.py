"""Tool `status` gives the plan of a bisection, and the list of them."""

import json

import pytest

from app.config.settings import load_settings
from app.context import AppContext
from app.mcp.bounded_results import MAX_CHARACTERS
from app.mcp.calls import call_tool
from services.bisection.bisections import Request, find_bisection, start
from tests.support.bisected_store import COMMITS, add_runs


@pytest.fixture
def store(tmp_path):
    context = AppContext.of(load_settings(data=tmp_path))
    run = add_runs(context.repository, range(len(COMMITS)))[0]
    request = Request(run, COMMITS[0], COMMITS[-1], COMMITS)
    stored = start(context.repository, request, "ann")
    yield context, stored.bisection_id
    context.repository.catalogue.close()


def ask(context, **arguments):
    result = call_tool(context, "status", arguments)["structuredContent"]
    assert len(json.dumps(result, ensure_ascii=False)) <= MAX_CHARACTERS
    return result


@pytest.mark.slow
def test_the_plan_of_a_bisection_is_that_of_the_service(store):
    context, bisection_id = store
    bisection = find_bisection(context.repository.catalogue, bisection_id)
    result = ask(context, bisection=bisection_id)
    data = result["data"]
    assert (data["state"], data["next"]) == (bisection.plan.state, bisection.next_commit)
    assert data["confidence"] == bisection.plan.confidence
    assert [row["commit"] for row in data["measured"]] == COMMITS
    assert result["link"].endswith(f"/bisect/{bisection_id}")


def test_all_bisections_are_listed(store):
    context, bisection_id = store
    (row,) = ask(context, bisection="all")["data"]["bisections"]
    assert (row["id"], row["commits"]) == (bisection_id, len(COMMITS) - 1)


def test_an_unknown_bisection_is_an_error(store):
    assert "nothing" in json.dumps(call_tool(store[0], "status", {"bisection": "nothing"}))
