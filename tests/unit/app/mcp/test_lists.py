"""Tools whose record has several lists give the entries of the commands, over all pages once."""

import json

import pytest

from app.cli.common import printable
from app.config.settings import load_settings
from app.context import AppContext
from app.mcp.bounded_results import MAX_CHARACTERS
from app.mcp.calls import call_tool
from ingest.files import ingest
from samples.torch_memory import write_snapshot
from tests.support.aie_trace import write_capture_file
from tests.support.command_line import good, run
from tests.support.kineto_trace import kernel, write_trace


@pytest.fixture(scope="module")
def store(tmp_path_factory, samples):
    """A context, its data folder, and the ids of runs by name."""
    folder = tmp_path_factory.mktemp("files")
    data = tmp_path_factory.mktemp("data")
    context = AppContext.of(load_settings(data=data))
    capture = write_capture_file(folder, setup="npu2-gemm_64_64_64-1_row_1_col")
    paths = {
        "snapshot": write_snapshot(folder),
        "module": samples / "xla" / "two_layers",
        "capture": capture,
        "many ranks": rank_trace(folder / "many", 0, 30_000),
        "events": write_trace(folder / "events", [kernel("gemm", 0, 5), memory_event()]),
        "untimed": write_trace(folder / "untimed", [kernel("gemm", 0, 5)]),
    }
    ids = {
        name: ingest(context.repository, [path], {}).runs[0].run_id for name, path in paths.items()
    }
    job = [rank_trace(folder / "job", rank, 3) for rank in (0, 1)]
    ids["job"] = ingest(context.repository, job, {}).runs[0].run_id
    yield context, data, ids
    context.repository.catalogue.close()


def rank_trace(folder, rank, world_size):
    """Write the trace of a rank with 300 collectives, whose durations differ between ranks."""
    entries = [
        kernel("ncclAllReduce", 100 * number, 10 + (rank * number) % 7) for number in range(300)
    ]
    info = {"distributedInfo": {"rank": rank, "world_size": world_size}}
    return write_trace(folder / str(rank), entries, **info).rename(folder / f"{rank}.json")


def memory_event():
    args = {"Device Type": 1, "Device Id": 0, "Total Allocated": 4096, "Total Reserved": 8192}
    return {"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": 2, "args": args}


def printed(store, command, name):
    return json.loads(good(run(command, store[2][name], "--json", "--data", store[1])))


def pages(store, tool, name, **arguments):
    """Return the results of all pages."""
    results = []
    cursor = None
    while True:
        result = call_tool(store[0], tool, {"run": store[2][name], "cursor": cursor, **arguments})
        assert not result["isError"], result
        results.append(result["structuredContent"])
        assert len(json.dumps(results[-1], ensure_ascii=False)) <= MAX_CHARACTERS
        cursor = results[-1]["next"]
        if cursor is None:
            return results


def joined(results, name):
    return [entry for result in results for entry in result["data"][name]]


@pytest.mark.slow
def test_memory_of_a_snapshot_is_that_of_the_command_and_its_blocks(store):
    expected = printed(store, "memory", "snapshot")
    results = pages(store, "memory_peak", "snapshot")
    assert results[0]["answer"].startswith(printable(expected["sentence"]))
    assert results[0]["data"]["said"] == expected["said"]
    (device,) = expected["devices"]
    for name in ("pools", "oom"):
        entries = [{"device": device["device"], **entry} for entry in device.pop(name)]
        assert joined(results, name) == entries
        assert entries
    assert joined(results, "devices") == [device]
    sizes = [block["size"] for block in joined(results, "blocks")]
    assert sum(sizes) == results[0]["data"]["peak_bytes"] == device["peak_allocated"]


@pytest.mark.slow
def test_memory_of_a_module_is_that_of_the_command_and_its_blocks(store):
    expected = printed(store, "memory", "module")
    (result,) = pages(store, "memory_peak", "module")
    assert result["answer"].startswith(printable(expected.pop("sentence")))
    assert {name: result["data"][name] for name in expected} == expected
    assert result["data"]["blocks"]


def test_memory_events_of_a_trace_need_no_map(store):
    expected = printed(store, "memory", "events")
    (result,) = pages(store, "memory_peak", "events")
    assert result["answer"] == printable(expected.pop("sentence"))
    assert result["data"]["devices"] == expected["devices"]
    assert [device["peak_allocated"] for device in expected["devices"]] == [4096]
    assert result["link"].endswith(f"/run/{store[2]['events']}")


def test_an_attempt_has_its_blocks_alone(store):
    (result,) = pages(store, "memory_peak", "snapshot", attempt=0)
    assert "devices" not in result["data"]
    assert result["data"]["blocks"]


@pytest.mark.slow
def test_ranks_are_those_of_the_command_with_the_longest_waits_first(store):
    expected = printed(store, "ranks", "job")
    results = pages(store, "analyse", "job", kind="ranks")
    assert len(results) > 1
    assert results[0]["answer"] == expected["sentence"]
    assert results[0]["link"].endswith("#ranks")
    for name in ("ranks", "missing"):
        assert joined(results, name) == expected[name]
    collectives = joined(results, "collectives")
    assert sorted(one["skew"] for one in collectives)[::-1] == [one["skew"] for one in collectives]
    by_number = sorted(collectives, key=lambda one: one["n"])
    assert by_number == expected["collectives"]
    assert results[-1]["data"]["straggler"] == expected["straggler"]


@pytest.mark.slow
def test_many_missing_ranks_come_in_pages(store):
    results = pages(store, "analyse", "many ranks", kind="ranks", limit=10_000)
    assert joined(results, "missing") == printed(store, "ranks", "many ranks")["missing"]


@pytest.mark.parametrize(
    ("tool", "name", "kind"),
    [
        ("memory_peak", "capture", {}),
        ("analyse", "capture", {"kind": "ranks"}),
        ("analyse", "untimed", {"kind": "ranks"}),
    ],
)
def test_a_run_without_them_is_refused(store, tool, name, kind):
    result = call_tool(store[0], tool, {"run": store[2][name], **kind})
    assert result["isError"]
    assert "\n" not in result["content"][0]["text"]
