"""An ingest by several processes gives what one gives."""

import gzip
import multiprocessing
import pickle
from pathlib import Path

import pytest

from ingest import many
from ingest.files import ingest
from storage.catalogue import Catalogue
from storage.errors import StorageError
from storage.repository import Repository
from tests.support.aie_trace import trace_text
from tests.support.steps import Told


@pytest.fixture
def captures(tmp_path):
    """Six captures, one of them twice, a file that no loader reads and one that ends before its first entry."""
    folder = tmp_path / "files"
    folder.mkdir()
    for i in range(6):
        (folder / f"{i}.json").write_text(trace_text(iterations=2, kernels=4 + i))
    (folder / "2-again.json.gz").write_bytes(gzip.compress((folder / "2.json").read_bytes()))
    (folder / "3-again.json").write_bytes((folder / "3.json").read_bytes())
    (folder / "4-bad.json").write_text('[{"core_trace": 1}]')
    (folder / "notes.md").write_text("no capture")
    return folder


@pytest.fixture(autouse=True)
def _always_worth_it(monkeypatch):
    monkeypatch.setattr(many, "MIN_PARALLEL_S", 0.0)


def said(answer):
    return [(run.file, run.run_id, run.name, run.status) for run in answer.runs], answer.skipped


def rows(repository):
    return {
        stored.run_id: (
            stored.headline,
            stored.findings,
            stored.frames,
            stored.derived,
            stored.checksums,
            {key: value for key, value in stored.run.items() if key != "created_at"},
        )
        for stored in repository.catalogue.runs()
    }


def a_repository(tmp_path, name):
    return Repository(f"sqlite:///{tmp_path / name}.db", str(tmp_path / name))


@pytest.mark.slow
def test_several_processes_give_the_same_answer_and_the_same_store(tmp_path, captures):
    one, three = a_repository(tmp_path, "one"), a_repository(tmp_path, "three")
    serial = ingest(one, [captures], {"M": "64"})
    told = Told()
    pooled = ingest(three, [captures], {"M": "64"}, processes=3, steps=told)
    assert said(pooled) == said(serial)
    assert rows(three) == rows(one)
    assert len(pooled.runs) == 8
    assert [Path(skipped.path).name for skipped in pooled.skipped if skipped.failed] == [
        "4-bad.json"
    ]
    assert len(told.names) == 9
    assert sorted(told.starts) == sorted(index for index, _ in told.ends) == list(range(9))
    assert three.catalogue.pending() == []


def test_a_killed_process_costs_one_file_and_leaves_nothing_behind(tmp_path, captures):
    def kill_the_first(index):
        if index == 1:
            multiprocessing.active_children()[0].kill()

    repository = a_repository(tmp_path, "data")
    answer = ingest(repository, [captures], {}, processes=2, steps=Told(kill_the_first))
    assert sum("signal 9" in skipped.reason for skipped in answer.skipped if skipped.failed) == 1
    assert len(answer.runs) >= 7
    assert repository.catalogue.pending() == []
    assert not ingest(repository, [captures], {}, processes=2).failure


def test_a_store_that_fails_stops_the_rest(tmp_path, captures, monkeypatch):
    repository = a_repository(tmp_path, "data")
    (tmp_path / "data").write_text("a file where the folder of the frames should be")
    answer = ingest(repository, [captures], {}, processes=2)
    assert isinstance(answer.failure, StorageError)
    assert answer.runs == []
    assert any("not read" in skipped.reason for skipped in answer.skipped)


@pytest.mark.slow
def test_few_files_need_no_processes(tmp_path, captures, monkeypatch):
    monkeypatch.setattr(many, "MIN_PARALLEL_S", 3.0)
    monkeypatch.setattr(many, "Pool", None)
    assert len(ingest(a_repository(tmp_path, "data"), [captures], {}, processes=8).runs) == 8


def test_a_repository_is_opened_anew_by_another_process(tmp_path):
    first = a_repository(tmp_path, "data")
    first.catalogue.create()
    again = pickle.loads(pickle.dumps(first))  # noqa: S301 - its own
    assert isinstance(again.catalogue, Catalogue)
    assert again.catalogue.is_created()
    assert again.count() == 0
