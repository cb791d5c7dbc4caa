import pytest

from data_loaders.deeploy.log import is_profile, read_log
from data_loaders.deeploy.untiled import operator_counters, untiled_times
from tests.support.deeploy_loading import alone, column, load
from tests.support.deeploy_net import TOY
from tests.support.deeploy_run import write_run
from tests.support.finding_codes import codes

BLOCK = """
=== Performance Statistics: {name} ===
Cycles:              {cycles:10}
Instructions:              149
IPC:                      0.103

--- Instruction Mix ---
Loads:                      40 (26.85%)
Compressed (RVC):           12 (8.05%)

--- Memory Hierarchy ---
Ext Load Cycles:             7 (avg: 3.50)
========================================
"""


def test_operators_that_are_not_tiled(tmp_path):
    text = "Conv_0 took 91234 cycles \r\nRelu_1 took 2345 cycles\r\nRuntime: 93579 cycles\r\n"
    run = alone(tmp_path, "run.log", text)
    times = run.frames["tile_times"]
    assert times[["name", "tile", "kernel"]].to_numpy().tolist() == [
        ["Conv_0", 0, 91234],
        ["Relu_1", 0, 2345],
    ]
    assert times[["level", "buffering", "operations", "pre", "post", "total"]].isna().all().all()
    assert codes(run) == []


def test_other_sentences_are_no_cycles():
    text = (
        "[A_L2] took 5 cycles\nthe test took 5 cycles\nA took 5 cycles more\nA took five cycles\n"
    )
    assert len(untiled_times(text)) == 0
    assert not is_profile(text.encode())


def test_counters_of_a_micro_benchmark(tmp_path):
    text = BLOCK.format(name="Add_0", cycles=1442) + BLOCK.format(name="Add_0", cycles=1400)
    assert is_profile(text.encode())
    run = alone(tmp_path, "run.log", text)
    counters = run.frames["operator_counters"]
    first = counters[counters["block"] == 0]
    values = dict(zip(first["counter"], first["value"], strict=True))
    expected = {
        "Cycles": 1442,
        "Instructions": 149,
        "Loads": 40,
        "Compressed (RVC)": 12,
        "Ext Load Cycles": 7,
    }
    assert values == expected, "a rate such as IPC is left out: it follows from the counters"
    assert counters["block"].unique().tolist() == [0, 1]
    assert column(run.frames["tile_times"], "kernel") == [1442, 1400]


def test_a_block_that_is_cut_off_has_the_counters_before_the_cut():
    cut = BLOCK.format(name="Add_0", cycles=1442).split("Loads")[0]
    assert operator_counters(cut)["counter"].tolist() == ["Cycles", "Instructions"]
    assert len(operator_counters("no block")) == 0


@pytest.mark.slow
def test_cycles_beside_a_map_are_those_of_its_steps(tmp_path):
    folder = write_run(tmp_path / "toy")
    (folder / "profile.txt").write_text(f"{TOY.nodes[0].name} took 77 cycles\n")
    steps = load(folder).frames["steps"]
    assert column(steps, "layer_cycles") == [77, None, None, None]
    assert column(steps, "gdma_cycles") == [None] * 4


def test_tiles_and_operators_that_are_not_tiled_are_rows_of_one_frame():
    text = "[G_0_L2][SB][8 ops][Tile 0] Kernel : 100 cycles\nRelu_1 took 5 cycles\n"
    tiles = read_log(text.encode()).tiles
    assert tiles[["name", "kernel"]].to_numpy().tolist() == [["G_0", 100], ["Relu_1", 5]]
