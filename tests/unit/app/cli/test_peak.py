"""Command `peak`: the record as JSON and in words, levels and attempts, and refusals."""

import json

import pytest

from app.cli.common import printable
from app.config.settings import load_settings
from app.context import AppContext
from ingest.files import ingest
from tests.support.command_line import good, run
from tests.support.comparisons import SAMPLES
from tests.support.sentences import number_faults

SOURCES = {
    "deeploy": "deeploy",
    "minimalloc": "minimalloc/harbour.81920.solved.csv",
    "problem": "minimalloc/harbour.81920.csv",
    "tpu_mlir": "tpu_mlir",
    "xla": "xla",
    "torch_snapshot": "torch_snapshot",
    "tinygrad": "tinygrad/train-0.13-cpu",
    "aie_design": "aie_design/pipeline",
}
WITHOUT_USES = ("minimalloc", "problem", "tpu_mlir", "torch_snapshot", "aie_design")
OTHER = "kineto"


pytestmark = pytest.mark.usefixtures("compiled_search")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """The folder of a store, and the id of a run of each source."""
    data = tmp_path_factory.mktemp("data")
    repository = AppContext.of(load_settings(data=data)).repository
    paths = {name: SAMPLES / path for name, path in SOURCES.items()} | {OTHER: SAMPLES / OTHER}
    ids = {name: ingest(repository, [path], {}).runs[0].run_id for name, path in paths.items()}
    repository.catalogue.close()
    return data, ids


@pytest.fixture(scope="module")
def ask(store):
    data, ids = store
    return lambda name, *args: run("peak", ids[name], *args, "--data", data)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_parts_of_every_source_sum_to_the_peak(ask, store, name):
    record = json.loads(good(ask(name, "--json")))
    assert record["run_id"] == store[1][name]
    assert record["peaks"]
    for peak in record["peaks"]:
        assert sum(peak["parts"].values()) == peak["peak"] > 0
        gains = [advice["gain"] for advice in peak["advice"]]
        assert gains == sorted(gains, reverse=True)
        assert all(gain > 0 for gain in gains)
        lines = [peak["sentence"], *peak["notes"], *(one["sentence"] for one in peak["advice"])]
        assert not [fault for line in lines for fault in number_faults(line)]
    assert record["sentence"] == record["peaks"][0]["sentence"]


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("name", WITHOUT_USES)
def test_a_source_without_uses_proposes_no_free_and_no_move(ask, name):
    # Without uses nobody knows when a block is last read: such advice would be a guess.
    peaks = json.loads(good(ask(name, "--json")))["peaks"]
    kinds = {advice["kind"] for peak in peaks for advice in peak["advice"]}
    assert not kinds & {"free_earlier", "move"}


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_the_first_peak_is_that_of_the_headline(ask, store, name):
    listed = json.loads(good(run("runs", "--json", "--data", store[0])))
    (row,) = [one for one in listed if one["run_id"] == store[1][name]]
    first = json.loads(good(ask(name, "--json")))["peaks"][0]
    assert first["peak"] in (row.get("peak_memory"), row.get("memory_bound"))


@pytest.mark.slow
def test_text_has_every_part_and_piece_of_advice(ask):
    record = json.loads(good(ask("minimalloc", "--json")))["peaks"][0]
    head, *lines = good(ask("minimalloc")).splitlines()
    assert str(record["peak"]) in head
    numbers = [int(line.split(" B ")[0].split()[-1]) for line in lines if "%  " in line]
    assert numbers == [part for part in record["parts"].values() if part]
    assert all(
        any(printable(one["sentence"]) in line for line in lines) for one in record["advice"]
    )
    assert all(any(note in line for line in lines) for note in record["notes"])


@pytest.mark.slow
def test_another_allocator_gains_what_the_lab_places(ask, store):
    peak = json.loads(good(ask("minimalloc", "--json")))["peaks"][0]
    (advice,) = [one for one in peak["advice"] if one["kind"] == "allocator"]
    placed = run(
        *("allocate", store[1]["minimalloc"], "--strategy", advice["strategy"]),
        *("--json", "--data", store[0]),
    )
    (answer,) = json.loads(good(placed))["answers"]
    assert answer["extent"] == advice["peak_after"] == peak["peak"] - advice["gain"]


@pytest.mark.slow
def test_an_attempt_is_one_peak(ask):
    levels = json.loads(good(ask("deeploy", "--json")))["peaks"]
    assert len(levels) > 1
    for level in levels:
        (own,) = json.loads(good(ask("deeploy", "--attempt", str(level["attempt"]), "--json")))[
            "peaks"
        ]
        assert own == level


@pytest.mark.parametrize(("name", "args"), [("deeploy", ("--attempt", "99")), (OTHER, ())])
def test_a_run_without_such_a_map_is_refused(ask, name, args):
    result = ask(name, *args)
    assert result.exit_code == 1
    assert len(result.stderr.strip().splitlines()) == 1
