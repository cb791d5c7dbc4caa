"""Totals of XLA's allocations as a page and a command have them."""

import json

import pytest

from app.views.run_words import first_sentence
from app.views.state import RunState
from data_loaders.xla.run import XlaLoader
from ingest.files import ingest
from samples.xla_module import write_module
from services.run.allocation_totals import allocation_totals_mapping, find_allocation_totals
from services.run.data_cache import RunDataCache
from tests.support.command_line import good, refused, run
from tests.support.sentences import plain

SPACES = """BufferAssignment:
allocation 0: size 4096, parameter 0, shape |f32[1024]| at ShapeIndex {}:
 value: <1 p.0 @0> (size=4096,offset=0): f32[1024]{0}
allocation 1: size 2048, color 2, preallocated-temp:
 value: <2 t.1 @2> (size=2048,offset=0): f32[512]{0}

Total bytes used: 6000 (5.9KiB)
"""


@pytest.fixture
def spaces(repository, tmp_path):
    path = tmp_path / "module_0001.jit_f.cpu_after_optimizations-buffer-assignment.txt"
    path.write_text(SPACES)
    return ingest(repository, [path], {}).runs[0].run_id


def test_bytes_are_summed_by_kind_and_by_memory_space(repository, spaces):
    assert allocation_totals_mapping(find_allocation_totals(repository, spaces)) == {
        "unit": "bytes",
        "total_bytes": 6144,
        "file_total": 6000,
        "by_kind": {"preallocated_temp": 2048, "parameter": 4096},
        "by_memory": {"0": 4096, "2": 2048},
    }


@pytest.mark.slow
def test_the_total_is_unknown_if_no_file_states_it(repository, tmp_path):
    path = write_module(tmp_path)
    (stored,) = ingest(repository, [path], {}).runs
    totals = find_allocation_totals(repository, stored.run_id)
    assert totals.stated is None
    assert totals.total == sum(totals.by_kind.values()) == sum(totals.by_memory.values())


def test_another_run_has_no_totals(repository, tmp_path):
    path = tmp_path / "a.1024.csv"
    path.write_text("id,lower,upper,size\na,0,2,8\n")
    (stored,) = ingest(repository, [path], {}).runs
    assert find_allocation_totals(repository, stored.run_id) is None


@pytest.mark.slow
def test_the_page_and_the_command_begin_with_the_same_sentence(repository, spaces, tmp_path):
    command = json.loads(good(run("memory", spaces, "--data", tmp_path / "data", "--json")))
    data = RunDataCache(repository).get(spaces, "robust", {})
    assert first_sentence(data, RunState()) == command["sentence"]
    first, *lines = good(run("memory", spaces, "--data", tmp_path / "data")).splitlines()
    assert first == plain(command["sentence"])
    assert [int(line.split()[0]) for line in lines] == [2048, 4096, 4096, 2048, 6144, 6000]


@pytest.mark.slow
def test_a_run_of_an_older_release_is_to_be_ingested_again(monkeypatch, request, tmp_path):
    load = XlaLoader.load

    def load_as_before(*args):
        loaded = load(*args)
        del loaded.frames["allocation_totals"]
        return loaded

    monkeypatch.setattr(XlaLoader, "load", load_as_before)
    stored = request.getfixturevalue("spaces")
    run_id = stored
    assert "ingest its file again" in refused(run("memory", run_id, "--data", tmp_path / "data"))
