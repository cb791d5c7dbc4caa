"""Every source is read in a process with limits, and what a file does there costs that file alone."""

from pathlib import Path

import pytest

from data_loaders import registry
from data_loaders.reading.limits import Limits
from data_loaders.registry import loader_names
from ingest import one_run
from ingest.files import ingest
from ingest.isolation import reading_processes
from storage.repository import Repository
from tests.support.large_inputs import MAKERS

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
FILES = {
    "aie": "outputs/npu1-gemm_64_64_64-1_row_1_col/traces/trace_mm_64_64_64.json",
    "aie_words": "aie_words/gemm",
    "aie_design": "aie_design/pipeline",
    "tpu_mlir": "tpu_mlir/lighthouse",
    "deeploy": "deeploy/gull-L3-l1_10000-MiniMalloc",
    "minimalloc": "minimalloc/harbour.81920.csv",
    "tinygrad": "tinygrad/train-2025",
    "kineto": "kineto/training.pt.trace.json.gz",
    "torch_snapshot": "torch_snapshot/training.pickle.gz",
    "onnxruntime": "onnxruntime/onnxruntime_profile_classifier.json.gz",
    "xla": "xla/two_layers",
    "results": "results/decoding/results.csv",
}


ENTRIES, TOO_FEW_MIB = 150_000, 16
"""Entries that need more than 200 MiB: what a process has free when it starts is far less."""


@pytest.fixture
def repository(tmp_path):
    opened = Repository(f"sqlite:///{tmp_path}/catalogue.db", str(tmp_path / "frames"))
    yield opened
    opened.catalogue.close()


def ingested(repository, path, limits):
    source = reading_processes(limits)
    try:
        return ingest(repository, [path], {}, limits=limits, source=source)
    finally:
        source.close()


def test_every_source_has_a_sample():
    assert FILES.keys() == set(loader_names())


@pytest.mark.parametrize("name", FILES)
def test_a_sample_is_read_in_another_process(repository, monkeypatch, name):
    monkeypatch.setattr(one_run, "_load", None)
    answer = ingested(repository, SAMPLES / FILES[name], Limits())
    assert [run.source for run in answer.runs] == [name]
    assert answer.runs[0].status == "new"


@pytest.mark.parametrize("name", MAKERS)
def test_a_file_that_needs_too_much_memory_is_refused_with_the_setting(repository, tmp_path, name):
    path = MAKERS[name](tmp_path, ENTRIES)
    answer = ingested(repository, path, Limits(memory_mb=TOO_FEW_MIB))
    assert answer.runs == []
    assert "setting reader_memory_mb" in answer.skipped[0].reason
    assert repository.catalogue.pending() == []


PLUGIN = """
import os
import pandas as pd
from data_loaders.protocol import Bundle, LoadedRun

class Loader:
    name = "odd"
    reads = "odd files"
    setting_names = frozenset()
    version = "1"
    api_version = 1

    def sniff(self, path, head):
        if b"die at once" in head:
            os._exit(7)
        if b"allocate at once" in head:
            bytearray(2**33)
        return None if head.startswith(b"odd") else "not odd"

    def bundle(self, path):
        return Bundle(path)

    def load(self, path, settings, origin=None, companions=()):
        text = path.read_text()
        if "die" in text:
            os._exit(7)
        if "allocate" in text:
            bytearray(2**33)
        while "spin" in text:
            pass
        return LoadedRun({"name": "odd"}, {})
"""


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """A package with a loader that does to its process what a file says."""
    package = tmp_path / "packages"
    (package / "odd-1.dist-info").mkdir(parents=True)
    (package / "odd-1.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: odd\nVersion: 1\n"
    )
    (package / "odd-1.dist-info" / "entry_points.txt").write_text(
        "[tilescope.loaders]\nodd = odd_loader:Loader\n"
    )
    (package / "odd_loader.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(package)
    registry._factories.cache_clear()
    yield
    monkeypatch.undo()
    registry._factories.cache_clear()


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("odd die at once", "the process that examined it ended"),
        ("odd allocate at once", "failed while it examined the file (MemoryError)"),
        ("odd die", "ended with code 7"),
        ("odd allocate", "setting reader_memory_mb"),
        ("odd spin", "settings reader_processor_s"),
    ],
)
def test_what_a_plugin_does_to_its_process_costs_one_file(repository, tmp_path, text, reason):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a").write_text(text)
    (folder / "b").write_text("odd one")
    answer = ingested(repository, folder, Limits(processor_s=0.1, processor_s_per_mb=0))
    assert [Path(run.file).name for run in answer.runs] == ["b"]
    assert [Path(entry.path).name for entry in answer.skipped if reason in entry.reason] == ["a"]
