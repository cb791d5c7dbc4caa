"""Loaders name runs after the folder if the file's stem says nothing, and keep names that people gave."""

import shutil
from pathlib import Path

import pytest

from data_loaders.registry import get_loader

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
FILES = [
    ("kineto", "kineto/training.pt.trace.json.gz", "trace.json.gz", "trace"),
    (
        "onnxruntime",
        "onnxruntime/onnxruntime_profile_classifier.json.gz",
        "profile.json.gz",
        "profile",
    ),
    ("minimalloc", "minimalloc/harbour.81920.solved.csv", "new.csv", "new"),
    ("torch_snapshot", "torch_snapshot/training.pickle.gz", "out.pickle.gz", "out"),
    ("tpu_mlir", "tpu_mlir/lighthouse/lighthouse_bm1684x_f16.log", "trace.log", "trace"),
    (
        "aie_design",
        "aie_design/pipeline/input_with_addresses.mlir",
        "input_with_addresses.mlir",
        "input_with_addresses",
    ),
]


def load(source, sample, place, settings=None):
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(SAMPLES / sample, place)
    return get_loader(source).load(place, settings or {}, None, ()).metadata


@pytest.mark.quick_every(6)
@pytest.mark.parametrize(("source", "sample", "file", "stem"), FILES, ids=[one[0] for one in FILES])
def test_a_run_is_named_after_its_folder_and_keeps_the_stem(tmp_path, source, sample, file, stem):
    metadata = load(source, sample, tmp_path / "conv3_mesh" / file)
    assert metadata["name"] == "conv3_mesh"
    assert metadata["stem"] == stem


@pytest.mark.quick_every(6)
@pytest.mark.parametrize(("source", "sample", "file", "stem"), FILES, ids=[one[0] for one in FILES])
def test_a_name_that_people_gave_stays(tmp_path, source, sample, file, stem):
    metadata = load(source, sample, tmp_path / "conv3_mesh" / file, {"name": "mine"})
    assert metadata["name"] == "mine"
    assert not metadata.get("stem")


@pytest.mark.parametrize("source", ["kineto", "minimalloc"])
def test_an_upload_without_a_folder_keeps_its_stem(tmp_path, source):
    ((_, sample, file, stem),) = (one for one in FILES if one[0] == source)
    copy = tmp_path / "staged" / "copy"
    copy.parent.mkdir()
    shutil.copy(SAMPLES / sample, copy)
    metadata = get_loader(source).load(copy, {}, file, ()).metadata
    assert metadata["name"] == stem
    assert not metadata.get("stem")


@pytest.mark.slow
def test_a_stem_that_a_tool_chooses_is_no_part_of_the_series(tmp_path):
    sample = "torch_snapshot/training.pickle.gz"
    metadata = load("torch_snapshot", sample, tmp_path / "large_training" / "snapshot.pickle.gz")
    assert metadata["name"] == "large_training"
    assert not metadata.get("stem")
