"""Tiles of a whole run, as frames."""

import pytest

from data_loaders.deeploy.run import DeeployLoader
from tests.support.deeploy_net import TOY
from tests.support.deeploy_run import write_run
from tests.support.tilings import write_tiled


def frames(folder):
    loader = DeeployLoader()
    bundle = loader.bundle(next(folder.rglob("memory_alloc.html")))
    return loader.load(bundle.primary, {}, None, bundle.companions).frames


@pytest.mark.slow
def test_tilings_have_counts_sizes_and_how_operands_lie(tmp_path):
    found = frames(write_tiled(tmp_path / "run"))["tilings"]
    assert found["tiles"].tolist() == [1, 2] and found["outer_tiles"].tolist() == ["1", "2"]
    assert found["sizes"].tolist()[1] == "O=96" and found["transposed_b"].tolist()[1]
    assert found["level"].astype("str").tolist() == ["L1", "L1"]


@pytest.mark.slow
def test_tiles_say_what_they_are_to_their_operator(tmp_path):
    found = frames(write_tiled(tmp_path / "run"))["tiles"]
    gemm = found[found["step"] == 1]
    assert gemm["operand"].tolist() == ["A", "B", "C", "mul", "data_out"]
    assert gemm["access"].tolist() == ["r", "r", "r", "r", "w"] and gemm[
        "element_bytes"
    ].tolist() == [1, 1, 4, 4, 1]
    assert gemm["shape"].tolist()[:2] == ["1x16x64", "128x64"] and set(gemm["copies"]) == {1}
    assert found[found["step"] == 0]["operand"].tolist() == ["data_in", "data_out"]


@pytest.mark.slow
def test_transfers_are_in_runs_of_tiles(tmp_path):
    found = frames(write_tiled(tmp_path / "run"))["transfers"]
    weights = found[found["operand"] == "B"]
    assert weights[["name", "direction", "tile", "tiles", "bytes"]].to_numpy().tolist() == [
        ["weight", "in", 0, 1, 6_144],
        ["weight", "in", 1, 1, 2_048],
    ]
    whole = found[found["operand"] == "A"]
    assert whole[["tile", "tiles", "bytes"]].to_numpy().tolist() == [[0, 2, 1_024]]


def test_without_code_tiles_are_known_and_their_count_is_not(tmp_path):
    folder = tmp_path / "run"
    write_run(folder, TOY)
    for path in folder.rglob("Network.[ch]"):
        path.unlink()
    found = frames(folder)
    assert len(found["tilings"]) == 4 and found["tilings"]["tiles"].isna().all()
    assert found["tiles"]["copies"].isna().all() and found["transfers"].empty


def test_without_graph_and_code_only_blocks_are_left(tmp_path):
    folder = tmp_path / "run"
    write_run(folder, TOY)
    for path in [*folder.rglob("Network.[ch]"), *folder.rglob("*.onnx"), *folder.rglob("run.log")]:
        path.unlink()
    found = frames(folder)
    assert len(found["tiles"]) == 12 and found["tiles"]["operand"].isna().all()
