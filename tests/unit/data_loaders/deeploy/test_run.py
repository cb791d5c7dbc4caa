"""What a whole Deeploy run becomes."""

import gzip

import pandas as pd
import pytest

from tests.support.deeploy_loading import LOADER, column, level, load
from tests.support.deeploy_net import TOY
from tests.support.deeploy_run import profile, run_log, write_run
from tests.support.finding_codes import codes


@pytest.fixture
def toy(tmp_path):
    return load(write_run(tmp_path / "toy"))


def test_a_run_is_its_levels(toy):
    attempts = toy.frames["attempts"]
    assert toy.metadata == {"name": "toy", "hwid": "Siracusa", "time_unit": "steps"}
    for name, expected in {
        "level": ["L3", "L2", "L1"],
        "capacity": [64_000_000, 4096, 4000],
        "static_bytes": [0, 2952, 0],
        "reported_bytes": [0, 224, 2464],
        "steps": [4, 4, 4],
        "strategy": ["MiniMalloc"] * 3,
        "outcome": ["success"] * 3,
        "final": [None] * 3,
    }.items():
        assert column(attempts, name) == expected, name
    assert codes(toy) == ["pickles_left_closed"]


def test_a_pickle_beside_a_run_is_never_opened(tmp_path):
    folder = write_run(tmp_path / "toy")
    pickles = [path for path in folder.rglob("*") if path.suffix == ".pkl"]
    assert pickles
    for path in pickles:
        path.write_bytes(f"cos\nsystem\n(S'touch {tmp_path / 'ran'}'\ntR.".encode())
    run = load(folder)
    assert codes(run) == ["pickles_left_closed"]
    assert not (tmp_path / "ran").exists()


def test_blocks_are_described(toy):
    home = level(toy, "L2")
    assert column(home, "name") == [
        "w0",
        "mul0",
        "shape",
        "w3",
        "input_0",
        "t0",
        "t1",
        "t2",
        "output_0",
    ]
    assert column(home, "kind") == ["constant"] * 4 + ["variable"] * 5
    assert column(home, "address") == [0, 2048, 2304, 2312, 64, 0, 96, 160, 0]
    assert column(home, "hold") == [True] * 4 + [False] * 5
    assert column(home, "status") == ["placed"] * 6 + ["shared", "placed", "placed"]
    assert column(home, "alias_of")[6] == 5
    assert column(home, "role")[4:] == ["input", None, None, None, "output"]
    assert column(home, "dtype")[:5] == ["int8", "int32", "int64", "int8", "uint8"]
    assert column(home, "shape")[4:6] == ["1x32", "1x64"]
    assert column(home, "tensor_bytes") == [2048, 256, 8, 640, 32, 64, 64, 64, 10]
    assert column(home, "op_type")[4:] == [None, "RequantizedGemm", "Reshape", "iRelu", "Gemm"]
    assert (home["plan"] == "outer").all()


def test_tiles_are_described(toy):
    tiles = level(toy, "L1")
    assert (tiles["plan"] == "inner").all()
    assert column(tiles, "kind")[:5] == ["variable", "weight", "weight", "variable", "transient"]
    assert column(tiles, "role")[:6] == ["A", "B", "mul", "data_out", None, None]
    assert column(tiles, "op_type")[:6] == ["RequantizedGemm"] * 5 + ["Reshape"]
    assert column(tiles, "dtype")[2] == "int32"
    assert tiles["tensor_bytes"].isna().all()
    assert column(tiles, "alias_of") == [None] * 6 + [5] + [None] * 5


def test_steps_have_names_and_operations(toy):
    steps = toy.frames["steps"]
    assert steps["attempt"].isna().all()
    assert column(steps, "name") == [node.name for node in TOY.nodes]
    assert column(steps, "op_type") == [node.op for node in TOY.nodes]
    assert column(steps, "operations") == [4096, 0, 64, 1280]
    assert steps["layer_cycles"].isna().all()


def test_uses_are_those_of_the_graph(toy):
    uses, blocks = toy.frames["buffer_uses"], toy.frames["allocations"]
    named = uses.merge(blocks[["attempt", "block", "name", "plan"]], on=["attempt", "block"])
    assert (uses["kernel"] == uses["start"]).all()
    outer = named[(named["name"] == "t1") & (named["plan"] == "outer")]
    assert list(zip(outer["kernel"], outer["access"], strict=True)) == [(1, "w"), (2, "r")]
    inner = named[(named["name"] == "t2") & (named["plan"] == "inner")]
    assert list(zip(inner["kernel"], inner["access"], strict=True)) == [(2, "w"), (3, "r")]
    assert "w0" in set(named.loc[named["plan"] == "outer", "name"])


@pytest.mark.slow
def test_one_folder_or_two_and_gzip_give_the_same(tmp_path, toy):
    folder = write_run(tmp_path / "nested" / "toy", nested=True)
    (folder / "Network.c.gz").write_bytes(gzip.compress((folder / "Network.c").read_bytes()))
    (folder / "Network.c").unlink()
    other = load(folder)
    assert other.metadata == toy.metadata
    for name, frame in toy.frames.items():
        pd.testing.assert_frame_equal(frame, other.frames[name])


@pytest.mark.slow
@pytest.mark.parametrize("old", [False, True])
def test_a_profile_gives_the_steps_their_cycles(tmp_path, old):
    folder = write_run(tmp_path / "toy")
    (folder / "board.txt").write_text(profile(old=old))
    steps = load(folder).frames["steps"]
    assert column(steps, "gdma_cycles") == [60, None, 60, 60]
    assert column(steps, "layer_cycles") == [200, None, 200, 200]
    assert column(steps, "slack") == [140, None, 140, 140]


@pytest.mark.slow
def test_settings_come_first(tmp_path):
    folder = write_run(tmp_path / "toy")
    run = load(
        folder, {"hwid": "gap9", "strategy": "mine", "name": "n", "tags": "a b", "capacity": "1KiB"}
    )
    assert run.metadata == {"name": "n", "hwid": "gap9", "tags": "a b", "time_unit": "steps"}
    assert set(column(run.frames["attempts"], "strategy")) == {"mine"}
    assert column(run.frames["attempts"], "capacity") == [64_000_000, 4096, 4000]
    assert "capacity_known" in codes(run)


@pytest.mark.slow
def test_the_log_says_what_the_user_does_not(tmp_path):
    folder = write_run(tmp_path / "toy")
    (folder / "run.log").write_text(
        run_log(more=("  Platform            : Snitch", "--memAllocStrategy=TetrisRandom"))
    )
    run = load(folder)
    assert run.metadata["hwid"] == "Snitch"
    assert set(column(run.frames["attempts"], "strategy")) == {"TetrisRandom"}


@pytest.mark.slow
def test_another_run_s_solution_is_no_proof_of_the_strategy(tmp_path):
    folder = write_run(tmp_path / "toy")
    (folder / "output_minimalloc_0123456789abcdef.csv").write_text(
        "id,lower,upper,size,offset\nt2,3,4,64,8\n"
    )
    assert set(column(load(folder).frames["attempts"], "strategy")) == {""}


@pytest.mark.slow
def test_the_run_is_named_by_its_folder_or_the_log_s(tmp_path):
    folder = write_run(tmp_path / "net-L2", nested=True)
    assert load(folder).metadata["name"] == "net-L2"
    bundle = LOADER.bundle(folder / "run.log")
    assert (
        LOADER.load(bundle.primary, {}, "memory_alloc.html", bundle.companions).metadata["name"]
        == "toy"
    )
    assert (
        LOADER.load(bundle.primary, {}, r"C:\runs\mine\memory_alloc.html").metadata["name"]
        == "mine"
    )
