"""What tilings cost, against a loop over every tile."""

from itertools import product
from math import prod

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analysis.tiling.deeploy.chosen import chosen_tile, tile_shape
from analysis.tiling.deeploy.conv import conv_model
from analysis.tiling.deeploy.gemm import gemm_model
from analysis.tiling.deeploy.operators import Held, Operator, parse_sizes


def operator(op_type, held, **known):
    blank = {
        "attempt": 0,
        "level": "L1",
        "step": 0,
        "name": "op",
        "capacity": 10_000,
        "static": 0,
        "tiles": None,
    }
    blank |= {
        "outer_tiles": "",
        "sizes": {},
        "kernel": None,
        "strides": None,
        "pads": None,
        "groups": None,
    }
    blank |= {"transposed": (False, False), "dma_in": None, "dma_out": None}
    return Operator(**blank | known, op_type=op_type, held=tuple(held))


def tensor(operand, shape, size=1, bytes_=0, copies=1):
    return Held(
        operand, operand, "w" if operand == "data_out" else "r", shape, size, copies, bytes_
    )


def gemm(m, n, o, **known):
    parts = (
        tensor("A", (1, m, n)),
        tensor("B", (o, n)),
        tensor("C", None, 4),
        tensor("mul", None, 4),
    )
    return operator(
        "RequantizedGemm",
        [*parts, tensor("data_out", (1, m, o))],
        transposed=(False, True),
        **known,
    )


def spans(full, tile):
    return [min(tile, full - start) for start in range(0, full, tile)]


@given(st.tuples(*[st.integers(1, 12)] * 3), st.data())
def test_a_gemm_loads_every_operand_for_every_tile(sizes, data):
    m, n, o = sizes
    model = gemm_model(gemm(m, n, o))
    tile = {"M": data.draw(st.integers(1, m)), "O": data.draw(st.integers(1, o))}
    cost = model.cost({name: np.array([size]) for name, size in tile.items()})
    tiles = [*product(spans(m, tile["M"]), spans(o, tile["O"]))]
    assert cost.tiles[0] == len(tiles)
    assert cost.dma_in[0] == sum(rows * n + columns * n + 8 * columns for rows, columns in tiles)
    assert cost.dma_out[0] == sum(rows * columns for rows, columns in tiles) == m * o
    assert cost.bytes[0] == tile["M"] * n + tile["O"] * n + 8 * tile["O"] + tile["M"] * tile["O"]


def test_an_integer_gemm_is_cut_in_sixteens():
    model = gemm_model(gemm(16, 64, 128))
    assert all(size % 16 == 0 for size in model.dimension("O").sizes)
    assert len(gemm_model(gemm(16, 64, 10)).dimension("O").sizes) > 2


def test_a_gemm_whose_operands_do_not_fit_is_left_alone():
    parts = [tensor("A", (4, 8)), tensor("B", (9, 4)), tensor("data_out", (4, 4))]
    assert gemm_model(operator("MatMul", parts)) is None
    assert gemm_model(operator("MatMul", parts[:2])) is None
    huge = [tensor("A", (10**6, 8)), tensor("B", (8, 4)), tensor("data_out", (10**6, 4))]
    assert gemm_model(operator("MatMul", huge)) is None


def conv(full, taken, channels, window, *, depthwise=False, integer=True, **known):
    kernel, stride, pad = window
    output = (full + 2 * pad - kernel) // stride + 1
    shape = (1, taken, full, full) if depthwise and integer else (1, full, full, taken)
    parts = [
        tensor("data_in", shape),
        tensor("weight", (channels, kernel, kernel, 1 if depthwise else taken)),
    ]
    parts += [tensor(name, None, 4) for name in (("mul", "add") if integer else ())]
    parts.append(tensor("data_out", (1, output, output, channels)))
    how = {"strides": (stride, stride), "pads": (pad,) * 4, "groups": taken if depthwise else 1}
    return operator("RequantizedConv" if integer else "Conv", parts, **how | known), output


@given(
    st.integers(3, 9),
    st.integers(1, 3),
    st.integers(1, 6),
    st.sampled_from([(1, 1, 0), (3, 1, 1), (3, 2, 1)]),
    st.data(),
)
def test_a_convolution_loads_every_operand_for_every_tile(full, taken, channels, window, data):
    kernel, stride, pad = window
    made, output = conv(full, taken, channels, window)
    model = conv_model(made)
    tile = {
        name: data.draw(st.integers(1, size))
        for name, size in (("H", output), ("W", output), ("C", channels))
    }
    cost = model.cost({name: np.array([size]) for name, size in tile.items()})

    def reads(start, size):
        begin = start * stride - pad if start else 0
        wanted = (
            size * stride
            + kernel
            - 1
            - (pad if start == 0 else 0)
            - (pad if start + size == output else 0)
        )
        return max(min(wanted, full - begin), 0)

    total = count = 0
    for top, left, first in product(
        *(range(0, model.dimension(d).full, tile[d]) for d in ("H", "W", "C"))
    ):
        rows, columns, deep = (
            min(tile["H"], output - top),
            min(tile["W"], output - left),
            min(tile["C"], channels - first),
        )
        total += reads(top, rows) * reads(left, columns) * taken + deep * (
            kernel * kernel * taken + 8
        )
        count += 1
    assert (cost.dma_in[0], cost.dma_out[0], cost.tiles[0]) == (
        total,
        output * output * channels,
        count,
    )


def test_a_depthwise_convolution_cuts_what_it_reads_with_what_it_writes():
    model = conv_model(conv(8, 8, 8, (3, 1, 1), depthwise=True)[0])
    data_in = next(part for part in model.parts if part.operand == "data_in")
    assert data_in.shape == (1, "C", "H", "W")
    assert model.shape(data_in, {"H": 8, "W": 8, "C": 4}) == [1, 4, 8, 8]
    assert conv_model(conv(8, 8, 8, (3, 1, 1), depthwise=True, integer=False)[0]).parts[
        0
    ].shape == (1, "H", "W", "C")


def test_a_convolution_that_is_not_described_is_left_alone():
    made, _ = conv(8, 8, 8, (3, 1, 1), strides=None)
    assert conv_model(made) is None


@given(st.data())
def test_the_bytes_of_the_blocks_name_the_tile(data):
    blank = gemm(24, 8, 32)
    model = gemm_model(blank)
    tile = {"M": data.draw(st.integers(1, 24)), "O": data.draw(st.sampled_from([16, 32]))}
    arrays = {name: np.array([size]) for name, size in tile.items()}
    parts = {part.operand: int(model.tile_bytes(part, arrays)[0]) for part in model.parts}
    held = [
        Held(h.tensor, h.operand, h.access, h.shape, h.element_bytes, 1, parts[h.operand])
        for h in blank.held
    ]
    run = gemm(24, 8, 32, tiles=int(model.cost(arrays).tiles[0]))
    run = Operator(**{**vars(run), "held": tuple(held)})
    assert chosen_tile(run, model) == tile
    shapes = [tile_shape(model, tile, one) for one in held]
    assert shapes[0] == [1, tile["M"], 8] and shapes[2] == [tile["O"]]
    assert [prod(shape) * one.element_bytes for shape, one in zip(shapes, held, strict=True)] == [
        h.bytes for h in held
    ]


def square(**known):
    """A square convolution, cut along one of two sides: blocks alone do not tell which."""
    made, _ = conv(16, 1, 1, (1, 1, 0), integer=False)
    sizes = {"data_in": 32, "weight": 1, "data_out": 32}
    held = [Held(h.tensor, h.operand, h.access, h.shape, 1, 1, sizes[h.operand]) for h in made.held]
    return Operator(**{**vars(made), "held": tuple(held), "tiles": 8, **known})


def test_what_several_tiles_agree_with_is_not_named():
    run = square()
    assert chosen_tile(run, conv_model(run)) == {"C": 1}
    assert tile_shape(conv_model(run), {"C": 1}, run.held[0]) is None


def test_tables_of_the_code_say_which_side_is_cut():
    run = square(sizes={"dim_im_out_y": 2})
    assert chosen_tile(run, conv_model(run)) == {"H": 16, "W": 2, "C": 1}
    run = square(sizes={"dim_im_out_x": 2, "dim_im_in_x": 2})
    assert chosen_tile(run, conv_model(run)) == {"H": 2, "W": 16, "C": 1}


def test_an_operator_of_another_kind_names_whole_tensors_only():
    run = operator("Relu", [tensor("data_in", (2, 4), 4, 32), tensor("data_out", (2, 4), 4, 16)])
    assert [tile_shape(None, {}, held) for held in run.held] == [[2, 4], None]


def test_sizes_are_read_from_text():
    assert parse_sizes("3x32") == (3, 32)
    assert parse_sizes("?x3") is parse_sizes("") is parse_sizes(None) is None
