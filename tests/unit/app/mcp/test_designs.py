"""Tools about designs and predictions give the numbers and sentences of the commands."""

import json

import pytest

from app.config.settings import load_settings
from app.context import AppContext
from app.mcp import designs
from app.mcp.bounded_results import MAX_CHARACTERS
from app.mcp.calls import call_tool
from components.numbers import grouped_digits
from ingest.files import ingest
from tests.support.command_line import good, run
from tests.support.tool_calls import call


@pytest.fixture(scope="module")
def store(tmp_path_factory, samples):
    """A context, its data folder, and the ids of the runs by source."""
    data = tmp_path_factory.mktemp("data")
    context = AppContext.of(load_settings(data=data))
    found = ingest(context.repository, [samples / "aie_design", samples / "minimalloc"], {}).runs
    yield context, data, {one.source: one.run_id for one in found}
    context.repository.catalogue.close()


@pytest.fixture(scope="module")
def printed(store):
    return json.loads(good(run("design", store[2]["aie"], "--json", "--data", store[1])))


@pytest.mark.slow
def test_stalls_are_those_of_the_command(store, printed):
    result = call(store, "analyse", kind="design", run=store[2]["aie"])
    stalls = {(one.pop("kind"), one["tile"]): one for one in result["data"]["stalls"]}
    for kind in ("memory", "lock"):
        for expected in printed[f"{kind}_stalls"]:
            found = stalls[kind, expected["tile"]]
            assert {name: found[name] for name in expected if name != "pairs"} == {
                name: value for name, value in expected.items() if name != "pairs"
            }
    memory = stalls["memory", "core 2,0"]
    assert memory["pairs_in_all"] == len(memory["pairs"])
    assert grouped_digits(memory["sentence"]).replace("\u202f", " ") in result["answer"]
    assert result["data"]["device"] == printed["device"]
    assert result["link"].endswith("#designstalls")


@pytest.mark.parametrize("part", ["tiles", "buffers", "locks", "dma", "flows", "host"])
def test_a_part_is_the_list_of_the_command(store, printed, part):
    assert (
        call(store, "analyse", kind="design", run=store[2]["aie"], part=part)["data"][part]
        == printed[part]
    )


def test_few_pairs_are_listed_traced_ones_first(store, monkeypatch):
    monkeypatch.setattr(designs, "_MAX_PAIRS", 1)
    stall = call(store, "analyse", kind="design", run=store[2]["aie"])["data"]["stalls"][0]
    assert stall["pairs_in_all"] > len(stall["pairs"]) == 1
    assert stall["pairs"][0]["traced"]


@pytest.mark.slow
def test_pages_have_every_item_once(store, printed, monkeypatch):
    monkeypatch.setattr("app.mcp.bounded_results.MAX_CHARACTERS", 2_000)
    assert MAX_CHARACTERS > 2_000
    found = []
    cursor = None
    while True:
        more = {"cursor": cursor} if cursor else {}
        result = call(store, "analyse", kind="design", run=store[2]["aie"], part="buffers", **more)
        found += result["data"]["buffers"]
        cursor = result["next"]
        if cursor is None:
            break
    assert found == printed["buffers"]


@pytest.mark.slow
def test_a_design_alone_has_its_size(store):
    result = call(store, "analyse", kind="design", run=store[2]["aie_design"])
    assert result["data"]["stalls"] == []
    assert result["answer"]


def test_terms_are_those_of_the_command(store):
    (expected,) = json.loads(good(run("predict", store[2]["aie"], "--json", "--data", store[1])))[
        "runs"
    ]
    data = call(store, "analyse", kind="predict", run=store[2]["aie"])["data"]
    assert data["terms"] == expected["terms"]
    assert data["kernels"] == expected["kernels"]


@pytest.mark.parametrize(
    ("kind", "source"),
    [("design", "minimalloc"), ("predict", "minimalloc"), ("predict", "aie_design")],
)
def test_a_run_without_such_files_is_a_sentence(store, kind, source):
    result = call_tool(store[0], "analyse", {"run": store[2][source], "kind": kind})
    assert result["isError"]
    assert len(result["content"][0]["text"]) > 20


def test_an_unknown_part_is_refused(store):
    assert call_tool(store[0], "analyse", {"run": store[2]["aie"], "kind": "design", "part": "x"})[
        "isError"
    ]
