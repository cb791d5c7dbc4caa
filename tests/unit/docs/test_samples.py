"""The samples are what their generator makes, and show what they are there for."""

import gzip
import re
from pathlib import Path

import pytest

from analysis.derive import derive
from analysis.headline import headline
from data_loaders.registry import get_loader, sniff
from samples.make_samples import CAPTURES, MEMORY_MAPS, SAMPLES
from samples.make_tinygrad import RECORDINGS
from schema.diagnostics import diagnostics_frame
from schema.frames import conform, empty

ROOT = Path(__file__).resolve().parents[3] / "samples"
FOLDERS = sorted(
    path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(("_", "."))
)
PROFILES = ROOT / "tinygrad"
MAX_BYTES = 2_500_000
MAX_MAP_BYTES = 300_000
MAX_PROFILE_BYTES = 300_000
SIDE = 256
"""Of the matrices that `samples/tinygrad_training.py` multiplies, which cannot be imported without tinygrad."""
COPIES = ("TINY -> CPU", "CPU -> TINY")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the samples by name, made again."""
    root = tmp_path_factory.mktemp("samples")
    return {name: make(root) for name, make in SAMPLES.items()}, root


def content(path):
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def files(root):
    """Return the files of the samples below a folder."""
    return {path for folder in FOLDERS for path in (root / folder).rglob("*") if path.is_file()}


def recorded():
    """Return the files that were captured, and so cannot be made again as they are."""
    return {
        path
        for name in RECORDINGS
        for path in [*PROFILES.glob(f"{name}/*"), *PROFILES.glob(f"{name}-export.*")]
    }


def profile(name):
    """Return the run of a tinygrad sample."""
    loader = get_loader("tinygrad")
    path = PROFILES / name if name.endswith(".gz") else PROFILES / name / "profile.pkl.gz"
    return loader.load(path, {}, None, loader.bundle(path).companions)


def codes_of(run):
    return {finding.code for finding in run.diagnostics}


def analysed(path, source="aie"):
    """Return the frames, stored and derived, of a sample, and the codes of all findings; files beside it are read."""
    loader = get_loader(source)
    loaded = loader.load(path, {}, None, loader.bundle(path).companions)
    run = empty("run").reindex([0]).assign(source=source, **loaded.metadata)
    frames = {"run": conform("run", run.fillna({"tags": ""})), **loaded.frames}
    derived = derive(frames | {"diagnostics": diagnostics_frame(loaded.diagnostics)})
    codes = {finding.code for finding in loaded.diagnostics} | set(derived["diagnostics"]["code"])
    return frames | derived, codes


def test_the_files_are_what_the_generator_makes(made):
    paths, root = made
    kept = {path.relative_to(ROOT): content(path) for path in files(ROOT) - recorded()}
    again = {path.relative_to(root): content(path) for path in files(root)}
    assert kept == again, "run: python -m samples.make_samples"
    assert len(paths) == len(SAMPLES)


def test_the_files_stay_small():
    assert sum(path.stat().st_size for path in files(ROOT)) < MAX_BYTES
    maps = [
        path
        for path in files(ROOT)
        if path.relative_to(ROOT).parts[0] not in ("outputs", "tinygrad")
    ]
    assert sum(path.stat().st_size for path in maps) < MAX_MAP_BYTES
    for folder in PROFILES.iterdir():
        assert (
            sum(path.stat().st_size for path in [folder, *folder.glob("*")]) < MAX_PROFILE_BYTES
        ), folder


@pytest.mark.slow
def test_nothing_else_of_the_folder_is_taken_for_an_input():
    others = [path for path in ROOT.rglob("*") if path.is_file() and path not in files(ROOT)]
    assert not [path for path in others if None in sniff(path).values()]


@pytest.mark.quick_every(5)
@pytest.mark.parametrize("name", [name for name in CAPTURES if name != "broken"])
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


@pytest.mark.slow
def test_the_broken_sample_shows_what_goes_wrong(made):
    _, codes = analysed(made[0]["broken"])
    expected = {
        "file_cut",
        "entries_skipped",
        "markers_lost",
        "markers_repeated",
        "no_kernels",
        "tail_cut",
    }
    assert expected | {"phantom_tail", "opening_stall", "methods_differ"} <= codes


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("source", MEMORY_MAPS)
def test_a_memory_map_is_sound(made, source):
    frames, codes = analysed(made[0][source], source)
    assert not codes & {
        "block_overlap",
        "capacity_exceeded",
        "finish_disagrees",
        "dead_at_use",
        "companion_unreadable",
    }
    assert (frames["attempts"]["capacity"] > 0).all()
    assert headline(frames)["capacity_use"] <= 1


@pytest.mark.slow
def test_the_compile_shows_search_and_layout(made):
    frames, codes = analysed(made[0]["tpu_mlir"], "tpu_mlir")
    attempts, blocks = frames["attempts"], frames["allocations"]
    final = attempts[attempts["final"].astype(bool)]
    assert attempts["group"].nunique() == len(final) == 4
    assert (final["outcome"] == "success").all()
    assert {"failed", "success"} <= set(attempts["outcome"])
    assert attempts.loc[attempts["group"].str.endswith(" 0"), "shape_secs"].nunique() == 3
    assert ((attempts["failed"] > 0) & (attempts["failed"] < attempts["blocks"])).any()
    assert blocks["wraps"].any()
    assert blocks["hold"].any()
    assert (final["bound"] < final["live_peak"]).any(), "an output takes over its operand's bytes"
    assert {"attempt 2", "core 0 bd", "core 0 gdma"} <= set(frames["tracks"]["track"].astype("str"))
    assert (frames["steps"]["slack"] < 0).any()
    assert (frames["steps"]["slack"] > 0).any()
    assert codes == {"cycles_missing", "blocks_failed", "methods_differ"}


@pytest.mark.slow
def test_the_deeploy_run_shows_types_at_odd_addresses(made):
    frames, codes = analysed(made[0]["deeploy"], "deeploy")
    assert frames["attempts"]["level"].tolist() == ["L3", "L2", "L1"]
    assert frames["steps"]["op_type"].nunique() > 5
    assert len(frames["steps"]) == 10
    assert set(frames["allocations"]["plan"]) == {"outer", "inner"}
    assert frames["run"]["hwid"].tolist() == ["Siracusa"]
    assert codes == {"misaligned", "phantom_alias"}


@pytest.mark.slow
def test_the_problem_has_gaps_and_alignments_and_a_solution(made):
    path = made[0]["minimalloc"]
    solved, _ = analysed(path, "minimalloc")
    problem, _ = analysed(path.with_name(path.name.replace(".solved", "")), "minimalloc")
    blocks = solved["allocations"]
    assert problem["attempts"]["outcome"].tolist() == ["unsolved"]
    assert solved["attempts"]["outcome"].tolist() == ["solved"]
    assert len(blocks) == len(problem["allocations"]) == 40
    assert (blocks["gaps"] != "").any()
    assert (blocks["address"] % blocks["alignment"] == 0).all()
    assert (solved["attempts"]["waste"] > 0).all()


@pytest.mark.parametrize("name", [*RECORDINGS, "train-2025"])
def test_a_profile_has_its_rewrites_and_says_what_is_in_it(name):
    run = profile(name)
    assert run.metadata["name"] == name
    assert {"contexts", "programs", "rewrite_steps", "calls"} <= set(run.frames)
    assert (run.frames["programs"]["source"] != "").all()
    assert "capture_contents" in codes_of(run)
    assert not codes_of(run) & {
        "rewrites_missing",
        "unknown_classes",
        "events_skipped",
        "kernels_untimed",
    }


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_captured_product_has_twice_its_side_cubed_operations(name):
    kernels = profile(name).frames["kernels"]
    products = kernels[kernels["operations"] == 2 * SIDE**3]
    assert len(products) == RECORDINGS[name].products
    assert (products["memory_bytes"] == 3 * SIDE * SIDE * 4).all()
    assert products["flops"].tolist() == pytest.approx(
        (products["operations"] / products["duration"] * 1e9).tolist()
    )


@pytest.mark.parametrize("name", ["train-0.12-cpu", "train-0.13-cpu", "train-2025"])
def test_a_training_shows_steps_graphs_copies_and_buffers(name):
    frames = profile(name).frames
    kernels, markers = frames["kernels"], frames["markers"]
    assert [f"train @ {step}" for step in range(6)] == markers["name"].tolist()[:6]
    assert (kernels["batched"] & (kernels["run"] > 3)).any(), "the graph runs several times"
    assert kernels.loc[kernels["copy"], "name"].isin(COPIES).all()
    assert {"graph", "user", "compiler", "device"} <= set(frames["tracks"]["kind"])
    assert {"r", "w"} <= set(frames["buffer_uses"]["access"])


def test_the_export_has_the_kernels_of_its_capture_with_their_rates():
    lines, whole = (
        profile("train-0.13-cpu-export.jsonl.gz").frames,
        profile("train-0.13-cpu").frames,
    )
    kernels, captured = lines["kernels"], whole["kernels"]
    assert kernels["name"].tolist() == captured["name"].tolist()
    assert kernels["start"].tolist() == pytest.approx(captured["start"].tolist(), abs=1000)
    assert (kernels["duration"] - captured["duration"]).abs().max() <= 1
    assert (kernels["operations"] == 2 * SIDE**3).sum() == RECORDINGS["train-0.13-cpu"].products
    assert lines["markers"]["name"].tolist() == whole["markers"]["name"].tolist()


@pytest.mark.parametrize(
    "path", sorted(recorded()), ids=lambda path: path.parent.name + "-" + path.name
)
def test_a_capture_names_no_file_of_the_machine_that_it_was_made_on(path):
    named = set(re.findall(rb"/[!-.0-~][!-~]*?\.py", content(path)))
    assert all(name.startswith(b"/tmp/sample/") for name in named), named
