"""Analyses whose data are the JSON of a command: the same numbers, in pages, refused with its reason."""

import json

import pytest

from app.config.settings import load_settings
from app.context import AppContext
from app.mcp.calls import call_tool
from ingest.files import ingest
from storage.rules import Rule, Rules
from tests.support.command_line import good, run
from tests.support.comparisons import SAMPLES
from tests.support.tool_calls import call

SOURCES = {
    "capture": "outputs",
    "training": "kineto",
    "compiler": "tinygrad/train-0.13-cpu",
    "log": "tpu_mlir",
    "network": "deeploy",
}
KINDS = {
    # Kind of analysis -> run, command, lists that are paged, keys that only the tool has.
    "pace": ("capture", ["pace"], ["tiles"], {"unit"}),
    "advise": ("capture", ["advise"], ["measured", "predicted", "refused"], set()),
    "steps": ("training", ["steps"], ["steps"], {"unit"}),
    "compile_time": (
        "compiler",
        ["compile-time"],
        ["steps", "rules", "contexts", "ranges"],
        {"unit"},
    ),
    "groups": ("log", ["groups"], ["groups"], set()),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory, compiled_search):
    """A context, its data folder, and the ids of a run of each source."""
    data = tmp_path_factory.mktemp("data")
    context = AppContext.of(load_settings(data=data))
    ids = {
        name: ingest(context.repository, [SAMPLES / folder], {}).runs[0].run_id
        for name, folder in SOURCES.items()
    }
    yield context, data, ids
    context.repository.catalogue.close()


def every(store, tool, names, **arguments):
    """Return the data of all pages of a tool, with all entries of its lists."""
    answer = call(store, tool, **arguments)
    data = answer["data"]
    while answer["next"]:
        answer = call(store, tool, cursor=answer["next"], **arguments)
        data |= {name: [*data[name], *answer["data"][name]] for name in names}
    return data


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("tool", KINDS)
def test_a_tool_has_the_numbers_of_its_command(store, tool):
    source, command, names, own = KINDS[tool]
    run_id = store[2][source]
    # First the command, which caches the searches of the groups.
    expected = json.loads(good(run(*command, run_id, "--json", "--data", store[1])))
    data = every(store, "analyse", names, run=run_id, kind=tool)
    expected.pop("sentence", None)
    assert data.keys() == expected.keys() | own
    assert all(data[name] for name in names[:1])
    assert {key: data[key] for key in expected} == expected


@pytest.mark.parametrize("tool", KINDS)
def test_a_run_of_another_source_is_refused(store, tool):
    other = "network" if KINDS[tool][0] != "network" else "log"
    result = call_tool(store[0], "analyse", {"run": store[2][other], "kind": tool})
    assert result["isError"] and "\n" not in result["content"][0]["text"]


@pytest.mark.slow
def test_a_plan_is_of_one_level(store):
    run_id = store[2]["network"]
    data = every(store, "analyse", ["operators"], run=run_id, kind="plan", level="L1")
    printed = run("plan", run_id, "--level", "L1", "--json", "--data", store[1])
    assert data == json.loads(good(printed))["levels"][0]
    refusal = call_tool(store[0], "analyse", {"run": run_id, "kind": "plan", "level": "L9"})
    assert refusal["isError"] and "L9" in refusal["content"][0]["text"]


@pytest.mark.slow
def test_a_block_without_a_place_has_reasons(store):
    run_id = store[2]["log"]
    allocations = store[0].repository.frame(run_id, "allocations")
    failed = allocations[allocations["status"] == "failed"].iloc[0]
    block, attempt = int(failed["block"]), int(failed["attempt"])
    answer = call(store, "analyse", run=run_id, kind="why", block=block, attempt=attempt)
    why = answer["data"]["why"]
    assert (why["block"], why["attempt"], why["placed"]) == (block, attempt, False)
    assert f"attempt={attempt}&block={block}" in answer["link"]


@pytest.mark.quick_every(2)
@pytest.mark.usefixtures("compiled_search")
@pytest.mark.parametrize("source", ["log", "network"])
def test_a_peak_has_the_numbers_of_its_command(store, source):
    run_id = store[2][source]
    data = every(store, "analyse", ["advice"], run=run_id, kind="peak")
    expected = json.loads(good(run("peak", run_id, "--json", "--data", store[1])))
    advice = [
        {"attempt": peak["attempt"], **one} for peak in expected["peaks"] for one in peak["advice"]
    ]
    assert data["advice"] == advice
    without = [{key: peak[key] for key in peak if key != "advice"} for peak in expected["peaks"]]
    assert data["peaks"] == without
    assert call(store, "analyse", run=run_id, kind="peak")["link"].endswith("#peak")
    attempt = expected["peaks"][-1]["attempt"]
    own = call(store, "analyse", run=run_id, kind="peak", attempt=attempt)["data"]["peaks"]
    assert own == without[-1:]


@pytest.mark.parametrize(("source", "given"), [("training", {}), ("log", {"attempt": 99})])
def test_a_run_without_such_a_peak_is_refused(store, source, given):
    result = call_tool(store[0], "analyse", {"run": store[2][source], "kind": "peak"} | given)
    assert result["isError"] and "\n" not in result["content"][0]["text"]


@pytest.mark.parametrize(("kind", "lacks"), [("why", "block"), ("plan", "level")])
def test_an_argument_that_a_kind_needs_is_named(store, kind, lacks):
    result = call_tool(store[0], "analyse", {"run": store[2]["network"], "kind": kind})
    assert result["isError"] and f"'{lacks}'" in result["content"][0]["text"]


@pytest.mark.slow
def test_the_status_is_that_of_the_command(store):
    context, data, _ = store
    Rules(context.repository.catalogue).set(Rule("nightly", last=5))
    answer = call(store, "status")
    printed = run("status", "--json", "--data", data)
    expected = json.loads(printed.stdout)
    rows = [{name: row[name] for name in row if name != "points"} for row in expected["rows"]]
    strip = {"age_days"}
    without = [{key: row[key] for key in row if key not in strip} for row in answer["data"]["rows"]]
    assert without == [{key: row[key] for key in row if key not in strip} for row in rows]
    assert answer["data"]["rule"] == "nightly"
    assert call_tool(context, "status", {"rule": "none"})["isError"]
