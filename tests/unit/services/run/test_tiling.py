"""Tilings as JSON: bytes that an operator holds, and bytes that it takes of a level."""

from analysis.tiling.deeploy.choices import list_choices, tile_operator
from analysis.tiling.deeploy.operators import Held, Operator
from services.run.tiling import operator_mapping

SOURCE = Held("x", "", "r", (1, 256), 1, 1, 256, block=0)
VIEW = Held("y", "", "w", (256,), 1, 1, 256, block=1, in_place=True)


def test_a_view_in_the_bytes_of_its_source_is_held_and_takes_none():
    operator = Operator(
        attempt=0,
        level="L1",
        step=8,
        name="flatten",
        op_type="Flatten",
        capacity=300,
        static=0,
        tiles=None,
        outer_tiles="",
        sizes={},
        kernel=None,
        strides=None,
        pads=None,
        groups=None,
        transposed=(False, False),
        held=(SOURCE, VIEW),
        dma_in=None,
        dma_out=None,
    )
    tiled = tile_operator(operator)
    chosen = operator_mapping(tiled, *list_choices(tiled))["chosen"]
    assert (chosen["bytes"], chosen["taken"], chosen["fits"]) == (512, 256, True)
    assert [buffer["bytes"] for buffer in chosen["buffers"]] == [256, 256]
