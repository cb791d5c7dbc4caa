"""The samples are what their generator makes, and show what they are there for."""

import gzip
from pathlib import Path

import pytest

from analysis.derive import derive, headline
from data_loaders.aie_trace import AieTraceLoader
from data_loaders.frames import conform, empty
from samples.make_samples import SAMPLES

ROOT = Path(__file__).resolve().parents[3] / "samples"
MOST_BYTES = 2_000_000


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the samples by name, made again."""
    root = tmp_path_factory.mktemp("samples")
    return {name: make(root) for name, make in SAMPLES.items()}, root


def content(path):
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def analysed(path):
    """Return what the analysis makes of a trace, with the loader's findings."""
    loaded = AieTraceLoader().load(path, {})
    run = empty("run").reindex([0]).assign(**loaded.metadata)
    frames = {"run": conform("run", run.fillna({"tags": ""})), **loaded.frames}
    derived = derive(frames)
    codes = {finding.code for finding in loaded.diagnostics} | set(derived["diagnostics"]["code"])
    return derived, codes


def test_the_files_are_what_the_generator_makes(made):
    paths, root = made
    kept = {path.relative_to(ROOT): content(path) for path in (ROOT / "outputs").rglob("*") if path.is_file()}
    again = {path.relative_to(root): content(path) for path in root.rglob("*") if path.is_file()}
    assert kept == again, "run: python -m samples.make_samples"
    assert len(paths) == len(SAMPLES)


def test_the_files_stay_small():
    assert sum(path.stat().st_size for path in (ROOT / "outputs").rglob("*.json*")) < MOST_BYTES


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "broken"])
def test_a_sound_sample_is_sound(made, name):
    derived, _ = analysed(made[0][name])
    numbers = headline(derived)
    assert numbers["findings"] == 0
    assert numbers["left_out"] == 0
    assert 0.5 < numbers["utilization"] < 1


def test_the_large_array_has_a_slow_tile_and_a_clear_kernel(made):
    kernels = analysed(made[0]["npu2 array"])[0]["kernels"]
    main = kernels[kernels["name"] == "main"].groupby("track", observed=True)["duration"].median()
    assert main.idxmax() == "core 4,2"
    assert set(kernels["name"].unique()) == {"main", "short"}


def test_the_broken_sample_shows_what_goes_wrong(made):
    _, codes = analysed(made[0]["broken"])
    expected = {"file_cut", "entries_skipped", "markers_lost", "markers_repeated", "no_kernels", "tail_cut"}
    assert expected | {"phantom_tail", "opening_stall", "methods_differ"} <= codes
