import pandas as pd

from data_loaders.deeploy.code import read_code
from data_loaders.deeploy.operands import addresses, operands
from tests.support.deeploy_net import TOY
from tests.support.deeploy_run import network_c

NAMES = pd.Series([node.name for node in TOY.nodes], dtype="str")
CODE = read_code([network_c().encode()])


def blocks():
    rows = [
        (level, "inner" if level == "L1" else "outer", *row)
        for level in ("L2", "L1")
        for row in TOY.levels[level].blocks
    ]
    frame = pd.DataFrame(
        rows, columns=["level", "plan", "name", "start", "last", "address", "high"]
    )
    return frame.astype({"address": "Int64"})


def test_tiles_are_the_operands_of_their_step():
    made = blocks().assign(role=operands(blocks(), CODE, NAMES))
    tiles = made[(made["plan"] == "inner") & made["role"].notna()]
    assert list(zip(tiles["start"], tiles["name"], tiles["role"], strict=True)) == [
        (0, "input_0", "A"),
        (0, "w0", "B"),
        (0, "mul0", "mul"),
        (0, "t0", "data_out"),
        (2, "t1", "data_in"),
        (2, "t2", "data_out"),
        (3, "t2", "A"),
        (3, "w3", "B"),
        (3, "output_0", "data_out"),
    ]


def test_addresses_that_agree():
    assert addresses(blocks(), CODE, NAMES) == (14, 0)


def test_addresses_that_differ_are_counted():
    moved = (
        network_c()
        .replace("ARENA_L1 + 2080)", "ARENA_L1 + 2084)")
        .replace("ARENA_L2 + 160)", "ARENA_L2 + 164)")
    )
    assert addresses(blocks(), read_code([moved.encode()]), NAMES) == (14, 2)


def test_what_the_map_does_not_show_is_not_asked():
    shown = blocks()[lambda frame: frame["start"] < 2]
    assert addresses(shown, CODE, NAMES) == (7, 0)


def test_without_the_names_of_the_steps_tiles_are_not_known():
    nobody = pd.Series([], dtype="str")
    assert operands(blocks(), CODE, nobody).isna().all()
    assert addresses(blocks(), CODE, nobody) == (5, 0)
