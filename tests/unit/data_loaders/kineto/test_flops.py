"""Floating-point operations of operators, counted by hand for shapes that are well known."""

import json

import pytest

from data_loaders.kineto.flops import count_flops
from tests.support.kineto_trace import call, kernel, load_trace, operator

CONV_ARGUMENTS = {
    "aten::conv2d": ["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "1"],
    "aten::convolution": ["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1"],
    "aten::_convolution": ["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1"],
    "aten::cudnn_convolution": ["", "", "[3, 3]", "[2, 2]", "[1, 1]", "1", "True", "False", "True"],
}
RESNET_FIRST_LAYER = 2 * 64 * 112 * 112 * 3 * 7 * 7
"""Operations of ResNet's first layer: 64 channels of 112 x 112, each of 3 x 7 x 7 products."""


def counted(name, dims, arguments=None):
    return count_flops(name, json.dumps(dims), None if arguments is None else json.dumps(arguments))


@pytest.mark.parametrize(
    ("name", "dims", "flops"),
    [
        ("aten::mm", [[64, 16], [16, 128]], 262_144),
        ("aten::addmm", [[128], [16, 64], [64, 128], [], []], 262_144),
        ("aten::bmm", [[16, 27, 16], [16, 16, 27]], 373_248),
        ("aten::baddbmm", [[2, 3, 5], [2, 3, 4], [2, 4, 5], [], []], 240),
        ("aten::matmul", [[2, 7, 3, 4], [4, 5]], 1_680),
        ("aten::matmul", [[2, 7, 3, 4], [2, 7, 4, 5]], 1_680),
        ("aten::linear", [[1, 141, 512], [30522, 512], [30522]], 4_406_888_448),
        ("aten::linear", [[512], [10, 512], [10]], 10_240),
        # BERT's attention: 8 heads of 141 x 141 pairs, each with 64 products twice.
        (
            "aten::scaled_dot_product_attention",
            [[1, 8, 141, 64], [1, 8, 141, 64], [1, 8, 141, 64], [], [], [], []],
            40_716_288,
        ),
        (
            "aten::_scaled_dot_product_efficient_attention",
            [[2, 8, 5, 4], [2, 2, 7, 4], [2, 2, 7, 6], [], []],
            2 * 2 * 8 * 5 * 7 * (4 + 6),
        ),
    ],
)
def test_products_of_matrices(name, dims, flops):
    assert counted(name, dims) == flops


@pytest.mark.parametrize("name", CONV_ARGUMENTS)
def test_convolutions(name):
    dims = [[1, 3, 224, 224], [64, 3, 7, 7], [], [], [], []]
    assert counted(name, dims, CONV_ARGUMENTS[name]) == RESNET_FIRST_LAYER == 236_027_904


def test_a_grouped_convolution_has_the_channels_of_its_group():
    arguments = ["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "32"]
    dims = [[4, 32, 10, 10], [32, 1, 3, 3], []]
    assert counted("aten::conv2d", dims, arguments) == 2 * 4 * 32 * 10 * 10 * 9


def test_a_transposed_convolution_has_the_products_of_its_input():
    arguments = ["", "", "", "[2, 2]", "[0, 0]", "[1, 1]", "True", "[0, 0]", "1"]
    dims = [[1, 16, 8, 8], [16, 4, 2, 2], []]
    assert counted("aten::convolution", dims, arguments) == 2 * 8 * 8 * 16 * 4 * 2 * 2


@pytest.mark.parametrize(
    ("name", "dims", "arguments"),
    [
        ("aten::mm", [[2, 3], [4, 5]], None),
        ("aten::mm", [[2, 3]], None),
        ("aten::mm", [[2, -3], [-3, 5]], None),
        ("aten::mm", [["2", 3], [3, 5]], None),
        ("aten::mm", [[2**40, 2**40], [2**40, 2**40]], None),
        ("aten::relu", [[2, 3]], None),
        ("aten::linear", [[2, 3], [4, 5]], None),
        ("aten::conv2d", [[1, 3, 8, 8], [4, 3, 3, 3]], None),
        ("aten::conv2d", [[1, 3, 8, 8], [4, 3, 3, 3]], ["", "", "", "[0, 0]", "[0, 0]", "[1, 1]"]),
        ("aten::conv2d", [[1, 3, 8, 8], [4, 3, 3, 3]], ["", "", "", "[1, 1]", "same", "[1, 1]"]),
        ("aten::conv2d", [[1, 3, 2, 2], [4, 3, 9, 9]], ["", "", "", "[1]", "[0]", "[1]"]),
        ("aten::scaled_dot_product_attention", [[1, 8, 5, 4], [1, 8, 5, 3], [1, 8, 5, 4]], None),
    ],
)
def test_operations_are_unknown_if_the_shapes_do_not_tell(name, dims, arguments):
    assert counted(name, dims, arguments) is None


def mm(at, correlation, dims, length=40):
    """Return a product of matrices that launches a kernel of `length` µs."""
    arguments = {} if dims is None else {"Input Dims": dims}
    return [
        operator("aten::mm", at, 20, **arguments),
        call(at + 1, correlation),
        kernel("gemm", at + 5, length, correlation),
    ]


def rows(folder, entries):
    frame = load_trace(folder, entries).frames["operators"]
    return frame.set_index("name")


def test_the_rate_is_over_the_time_on_devices(tmp_path):
    entries = [*mm(0, 1, [[64, 16], [16, 128]]), *mm(100, 2, [[64, 16], [16, 128]], 60)]
    row = rows(tmp_path, entries).loc["aten::mm"]
    assert row["flops"] == 2 * 262_144
    assert row["flop_rate"] == pytest.approx(2 * 262_144 / 100e-6)


def test_an_operator_around_has_the_time_of_those_inside(tmp_path):
    dims = [[16, 64], [128, 64], [128]]
    entries = [
        operator("aten::linear", 0, 50, **{"Input Dims": dims}),
        *mm(5, 1, [[16, 64], [64, 128]]),
    ]
    found = rows(tmp_path, entries)
    assert found["flops"].to_dict() == {"aten::linear": 262_144, "aten::mm": 262_144}
    assert found["flop_rate"].tolist() == pytest.approx([262_144 / 40e-6] * 2)


def test_a_call_without_shapes_makes_the_operations_unknown(tmp_path):
    row = rows(tmp_path, [*mm(0, 1, [[64, 16], [16, 128]]), *mm(100, 2, None)]).loc["aten::mm"]
    assert row[["flops", "flop_rate"]].isna().all()


def test_a_trace_without_devices_has_rates_over_the_time_of_the_host(tmp_path):
    entries = [operator("aten::mm", 0, 20, **{"Input Dims": [[64, 16], [16, 128]]})]
    assert rows(tmp_path, entries).loc["aten::mm", "flop_rate"] == pytest.approx(262_144 / 20e-6)


def test_arguments_of_convolutions_are_read_from_the_trace(tmp_path):
    arguments = {
        "Input Dims": [[1, 3, 224, 224], [64, 3, 7, 7], []],
        "Concrete Inputs": CONV_ARGUMENTS["aten::conv2d"],
    }
    entries = [
        operator("aten::conv2d", 0, 50, **arguments),
        call(1, 1),
        kernel("implicit_gemm", 5, 100, 1),
    ]
    whole = rows(tmp_path / "whole", entries).loc["aten::conv2d"]
    assert (whole["flops"], whole["flop_rate"]) == (236_027_904, pytest.approx(236_027_904 / 1e-4))
    # A name that is no text makes the reader take entries one by one.
    single = rows(tmp_path / "single", [*entries, {"ph": "X", "cat": [], "name": 5, "ts": 1}])
    assert single.loc["aten::conv2d", "flops"] == 236_027_904
