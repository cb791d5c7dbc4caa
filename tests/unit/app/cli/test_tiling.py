"""The command `tiling`."""

import json

import pytest

from ingest.files import ingest
from tests.support.aie_trace import trace_text, write_capture_file
from tests.support.command_line import run
from tests.support.numbers_in_text import has_numbers, numbers_in
from tests.support.tilings import write_tiled

CSV = "id,lower,upper,size\na,0,2,64\n"


@pytest.fixture
def stored(settings, tmp_path):
    """Return what ingests a file or folder and gives the arguments of the command for its run."""
    repository = settings.repository()

    def args(path, given=()):
        return run_args(settings, ingest(repository, [path], dict(given)).runs[0].run_id)

    return args


def run_args(settings, run_id):
    return "tiling", run_id, "--data", settings.data


@pytest.mark.slow
def test_a_deeploy_run_has_an_operator_per_step_and_level(stored, tmp_path):
    result = run(*stored(write_tiled(tmp_path / "run")), "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["kind"] == "deeploy"
    relu, gemm = found["operators"]
    assert (relu["op"], relu["explored"], len(relu["choices"]), relu["chosen_index"]) == (
        "Relu",
        False,
        1,
        0,
    )
    assert (gemm["step"], gemm["level"], gemm["capacity"], gemm["static"]) == (1, "L1", 10_000, 0)
    chosen = gemm["chosen"]
    assert (chosen["bytes"], chosen["tiles"], chosen["dma_in"], chosen["dma_out"]) == (
        9_472,
        2,
        11_264,
        2_048,
    )
    shapes = {buffer["tensor"]: buffer["tile_shape"] for buffer in chosen["buffers"]}
    assert shapes == {
        "x": [1, 16, 64],
        "weight": [96, 64],
        "add": [96],
        "mul": [96],
        "output_0": [1, 16, 96],
    }
    own = gemm["choices"][gemm["chosen_index"]]
    assert (own["tile"], own["bytes"], own["fits"]) == ({"M": 16, "O": 96}, 9_472, True)
    assert gemm["explored"] and len(gemm["choices"]) > 5


def test_a_capture_of_a_gemm_has_its_numbers(stored, tmp_path):
    path = write_capture_file(tmp_path)
    sizes = {"m": "16", "k": "32", "n": "32", "warmup": "1", "iterations": "2"}
    found = json.loads(run(*stored(path, sizes), "--json").stdout)
    assert found["kind"] == "gemm"
    gemm = found["gemm"]
    assert (gemm["macs"], gemm["kernels_per_core"], gemm["core_bytes"]) == (
        64**3,
        8,
        4 * (512 + 1024 + 512) + 1024,
    )
    own = gemm["choices"][gemm["chosen_index"]]
    assert (own["m"], own["k"], own["n"], own["fits"]) == (16, 32, 32, True)


@pytest.mark.slow
def test_without_json_it_prints_lines(stored, tmp_path):
    lines = run(*stored(write_tiled(tmp_path / "run"))).stdout.splitlines()
    assert lines[1].split("  ")[-1] == "gemm"
    assert has_numbers(lines[1], "9472", "10000 bytes", "2", "11264 bytes", "2048")


@pytest.mark.slow
def test_a_capture_prints_lines_too(stored, tmp_path):
    path = tmp_path / "trace_mm_64_64_64.json"
    path.write_text(trace_text())
    sizes = {
        "M": "64",
        "K": "64",
        "N": "64",
        "rows": "1",
        "cols": "1",
        "m": "32",
        "k": "32",
        "n": "32",
    }
    first, second, *_ = run(*stored(path, sizes)).stdout.splitlines()
    assert numbers_in(first) == ["32", "32", "32", "8"]
    assert numbers_in(second)[0] == "13312 bytes"


def test_a_run_without_tiles_is_refused_in_a_line(stored, tmp_path):
    path = tmp_path / "p.128.csv"
    path.write_text(CSV)
    result = run(*stored(path), "--json")
    assert result.exit_code == 1 and result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert "tiles" in result.stderr
