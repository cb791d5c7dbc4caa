"""Command `explain`: the page's own sentences, numbers and findings, bounded, and no trace of a store."""

import json
from functools import partial

import pytest

from app.cli.common import printable
from app.cli.explanation import MAX_CHARACTERS, MAX_RUNS, bounded_explanation
from app.config.settings import load_settings
from app.context import AppContext
from app.views.run_words import first_sentence
from app.views.state import RunState
from data_loaders.reading.scratch import scratch_folder
from ingest.files import ingest
from schema.choices import METHODS
from schema.rounding import THIN
from services.run.data_cache import RunDataCache
from tests.support.command_line import good, refused, run
from tests.support.comparisons import SAMPLES

SOURCES = {
    "deeploy": "deeploy",
    "log": "tpu_mlir",
    "solution": "minimalloc/harbour.81920.solved.csv",
    "training": "kineto",
    "capture": "outputs/npu1-gemm_64_64_64-1_row_1_col",
    "xla": "xla",
}


def explained(*args):
    return json.loads(good(run("explain", *args, "--json")))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of temporary files, which must be empty after each command."""
    place = tmp_path / "temporary"
    place.mkdir()
    # Processes that read files have temporary folders of their own, which outlive a command.
    own = partial(scratch_folder, place)
    monkeypatch.setattr("data_loaders.reading.scratch.scratch_folder", own)
    return place


@pytest.mark.quick_every(6)
@pytest.mark.parametrize("name", SOURCES)
def test_sentences_and_numbers_are_those_of_the_page(name, tmp_path, folder):
    path = SAMPLES / SOURCES[name]
    (record,) = explained(path)["runs"]
    repository = AppContext.of(load_settings(data=tmp_path / "data")).repository
    (stored,) = ingest(repository, [path], {}).runs
    data = RunDataCache(repository).get(stored.run_id, METHODS[0], {})
    assert record["run_id"] == stored.run_id
    sentence = str(first_sentence(data, RunState())).replace(THIN, " ")
    assert not sentence or record["sentences"][0] == sentence
    assert record["sentences"]
    for number in record["numbers"]:
        assert number["value"] == pytest.approx(data.headline[number["name"]])
        assert number["unit"]
    severities = [finding["severity"] for finding in record["findings"]]
    assert len(severities) == len(data.diagnostics)
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
    repository.catalogue.close()
    assert list(folder.iterdir()) == []


@pytest.mark.slow
def test_text_has_the_sentences_and_numbers(folder):
    path = SAMPLES / SOURCES["solution"]
    (record,) = explained(path)["runs"]
    text = good(run("explain", path))
    assert all(printable(sentence) in text for sentence in record["sentences"])
    assert all(f"{number['label']}: " in text for number in record["numbers"])
    assert ", ".join(record["commands"]) in text


@pytest.mark.slow
def test_a_folder_of_many_runs_is_bounded(folder):
    text = good(run("explain", SAMPLES, "--json"))
    record = json.loads(text)
    assert len(text) <= MAX_CHARACTERS + 1
    assert len(record["runs"]) == MAX_RUNS
    assert record["runs_left_out"] > 0


def test_long_findings_are_cut_first():
    finding = {"severity": "info", "code": "c", "message": "m" * 600, "location": ""}
    many = {"findings": [finding] * 20, "numbers": [{"name": "n"}]}
    runs = [json.loads(json.dumps(many)) for _ in range(MAX_RUNS)]
    record = bounded_explanation(runs, [{"path": "p" * 500, "reason": "r"}], 0)
    assert len(json.dumps(record)) <= MAX_CHARACTERS
    assert all(run["numbers"] for run in record["runs"])
    assert all(run["findings"] for run in record["runs"])
    assert record["skipped"]


@pytest.mark.slow
def test_a_configured_store_stays_as_it_is(tmp_path, folder, monkeypatch):
    for name in ("DATABASE_URL", "FRAMES_URL"):
        value = f"sqlite:///{tmp_path}/own.db" if name == "DATABASE_URL" else str(tmp_path / "own")
        monkeypatch.setenv(f"TILESCOPE_{name}", value)
    explained(SAMPLES / SOURCES["solution"])
    assert {path.name for path in tmp_path.iterdir()} == {"temporary"}


@pytest.mark.slow
def test_settings_change_the_numbers(folder):
    path = SAMPLES / SOURCES["capture"]
    rates = [
        next(one["value"] for one in explained(path, *given)["runs"][0]["numbers"])
        for given in ((), ("--set", "clock_hz=2.5GHz"))
    ]
    assert rates[0] < rates[1]


def test_impossible_numbers_are_marked(folder):
    path = SAMPLES / SOURCES["capture"]
    (record,) = explained(path, "--set", "peak_macs_per_cycle=1")["runs"]
    scopes = {number["name"]: number["scope"] for number in record["numbers"]}
    marked = {name for name, scope in scopes.items() if scope == "impossible"}
    assert marked == {"gmacs_mean", "gmacs_best", "utilization", "median_kernel"}


def test_a_file_that_no_loader_reads_is_refused(tmp_path, folder):
    strange = tmp_path / "strange.txt"
    strange.write_text("nothing")
    assert str(strange.name) in refused(run("explain", strange, "--json"))
    assert "no such file" in refused(run("explain", tmp_path / "missing"))
    assert list(folder.iterdir()) == []
