"""Measured tiles: their parts as bars, the share outside of kernels, and what is left out."""

import pandas as pd
import pytest

from components.tiling import tile_times
from components.tiling.tile_times import (
    operator_times,
    tile_bars,
    tile_times_caption,
    tiles_left_out,
)
from schema.frames import conform

ROWS = [
    ("GEMM_0", "L2", "DB", 1000, 0, 10, 80, 10, 100),
    ("GEMM_0", "L2", "DB", 1000, 1, 10, 80, None, 90),
    ("Conv_1", "L2", "SB", 500, 0, 50, 40, 10, 100),
]
NAMES = ["name", "level", "buffering", "operations", "tile", "pre", "kernel", "post", "total"]


@pytest.fixture
def tiles():
    return conform("tile_times", pd.DataFrame(ROWS, columns=NAMES))


def test_operators_have_the_sums_of_their_tiles(tiles):
    gemm, conv = operator_times(tiles).to_dict("records")
    assert (gemm["tiles"], gemm["pre"], gemm["kernel"], gemm["post"]) == (2, 20, 160, 10)
    assert gemm["rate"] == pytest.approx(1000 / 190)
    assert conv["overhead"] == pytest.approx(0.6)


def test_the_answer_names_the_operator_with_most_cycles_outside_of_kernels(tiles):
    said = tile_times_caption(operator_times(tiles))
    assert said.startswith("3 tiles of 2 operators")
    assert "66.7" in said and "in Conv_1" in said
    small = tiles.assign(pre=[1_000, 10, 50], name=["GEMM_0", "GEMM_0", "Conv_1"])
    assert "GEMM_0" in tile_times_caption(operator_times(conform("tile_times", small)))


def test_tiles_without_cycles_have_no_share(tiles):
    empty = tiles.assign(pre=pd.NA, kernel=0, post=pd.NA)
    assert tile_times_caption(operator_times(conform("tile_times", empty))) == "No tile has cycles."


def test_parts_are_stacked_in_the_order_of_the_network(tiles):
    figure = tile_bars(tiles, "light")
    assert list(figure.layout.yaxis.ticktext) == ["GEMM_0 0", "GEMM_0 1", "Conv_1 0"]
    assert [list(trace.x) for trace in figure.data] == [[10, 10, 50], [80, 80, 40], [10, 0, 10]]
    assert "not printed" in figure.data[2].hovertext[1]


def test_what_is_left_out_is_said(tiles, monkeypatch):
    monkeypatch.setattr(tile_times, "MAX_TILES", 2)
    assert len(tile_bars(tiles, "light").data[0].x) == 2
    assert tiles_left_out(3) == "1 later tile left out."
    assert tiles_left_out(2) == ""


def test_operators_that_are_not_tiled_have_cycles_and_no_rate(tiles):
    blank = {
        "level": None,
        "buffering": None,
        "operations": pd.NA,
        "pre": pd.NA,
        "post": pd.NA,
        "total": pd.NA,
    }
    untiled = conform("tile_times", tiles.iloc[:1].assign(name="Relu_1", **blank))
    both = conform("tile_times", pd.concat([tiles, untiled], ignore_index=True))
    operators = operator_times(both)
    assert operators["name"].tolist() == ["GEMM_0", "Conv_1", "Relu_1"]
    assert operators["kernel"].tolist() == [160, 40, 80]
    assert "operations/cycle" not in tile_times_caption(operators)
    assert "not tiled" in tile_bars(both, "light").data[1].hovertext[-1]
