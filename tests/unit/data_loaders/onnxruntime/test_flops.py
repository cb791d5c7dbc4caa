"""Operations of nodes of ONNX Runtime, counted by hand, and the rates of operators.

The shapes are those that ONNX Runtime 1.32 writes for such nodes on a CPU: it leaves out weights
that a kernel packed for itself.
"""

import json

import pytest

from data_loaders.onnxruntime.flops import count_flops
from tests.unit.data_loaders.onnxruntime.test_profile import device_kernel, kernel, load

RESNET_FIRST_LAYER = 2 * 64 * 112 * 112 * 3 * 7 * 7
"""Operations of ResNet's first layer: 64 channels of 112 x 112, each of 3 x 7 x 7 products."""
IMAGE, WEIGHT, FEATURES = [1, 3, 224, 224], [64, 3, 7, 7], [1, 64, 112, 112]
SCALAR = []


@pytest.mark.parametrize(
    ("operator", "inputs", "outputs", "flops"),
    [
        ("Conv", [IMAGE, WEIGHT, [64]], [FEATURES], RESNET_FIRST_LAYER),
        ("FusedConv", [IMAGE, WEIGHT, [64], FEATURES], [FEATURES], RESNET_FIRST_LAYER),
        # A group is a channel, then 16 of 64 channels.
        ("Conv", [FEATURES, [64, 1, 3, 3]], [FEATURES], 2 * 64 * 112 * 112 * 9),
        ("Conv", [FEATURES, [32, 16, 3, 3]], [[1, 32, 112, 112]], 2 * 32 * 112 * 112 * 16 * 9),
        ("Conv", [[1, 6, 100], [8, 6, 3]], [[1, 8, 98]], 2 * 8 * 98 * 6 * 3),
        ("ConvInteger", [[1, 4, 10, 10], [5, 4, 3, 3]], [[1, 5, 8, 8]], 2 * 5 * 64 * 36),
        # Channels are last.
        (
            "QLinearConv",
            [[1, 10, 10, 4], *[SCALAR] * 2, [5, 4, 3, 3], *[SCALAR] * 4],
            [[1, 8, 8, 5]],
            2 * 5 * 64 * 36,
        ),
        ("ConvTranspose", [[1, 16, 8, 8], [16, 4, 2, 2]], [[1, 4, 16, 16]], 2 * 1024 * 16),
        ("MatMul", [[2, 7, 64], [2, 64, 5]], [[2, 7, 5]], 2 * 2 * 7 * 64 * 5),
        ("MatMul", [[2, 7, 64]], [[2, 7, 48]], 2 * 2 * 7 * 64 * 48),
        ("MatMul", [[2, 7, 64], [64]], [[2, 7]], 2 * 2 * 7 * 64),
        ("MatMul", [[64], [64, 5]], [[5]], 2 * 64 * 5),
        ("FusedMatMul", [[2, 7, 64], [2, 9, 64]], [[2, 7, 9]], 2 * 2 * 7 * 9 * 64),
        ("MatMulInteger", [[7, 8]], [[7, 6]], 2 * 7 * 8 * 6),
        ("QLinearMatMul", [[7, 8], *[SCALAR] * 6], [[7, 6]], 2 * 7 * 8 * 6),
        ("MatMulNBits", [[2, 7, 64], [64]], [[2, 7, 32]], 2 * 2 * 7 * 64 * 32),
        ("Gemm", [[1, 32], [10]], [[1, 10]], 2 * 32 * 10),
        # The first factor is transposed.
        ("Gemm", [[5, 3], [5, 11]], [[3, 11]], 2 * 3 * 5 * 11),
        ("FusedGemm", [[1, 32], [10]], [[1, 10]], 2 * 32 * 10),
        # Projections to query, key and value, then 7 x 7 pairs of 64 products twice.
        (
            "Attention",
            [[2, 7, 64], [192]],
            [[2, 7, 64]],
            2 * 2 * 7 * 64 * 192 + 2 * 2 * 7 * 7 * 128,
        ),
        (
            "Attention",
            [[2, 1, 64], [64, 192], [192], [2, 2, 4, 9, 16]],
            [[2, 1, 64], [2, 2, 4, 10, 16]],
            2 * 2 * 64 * 192 + 2 * 2 * 10 * 128,
        ),
        (
            "Attention",
            [[2, 4, 7, 16], [2, 2, 9, 16], [2, 2, 9, 8]],
            [[2, 4, 7, 8]],
            2 * 2 * 4 * 7 * 9 * (16 + 8),
        ),
        ("Attention", [[2, 7, 64], [2, 9, 32], [2, 9, 32]], [[2, 7, 64]], 2 * 2 * 7 * 9 * 128),
        ("MultiHeadAttention", [[2, 7, 64], *[[2, 9, 64]] * 2], [[2, 7, 64]], 2 * 2 * 63 * 128),
    ],
)
def test_operations_by_shapes(operator, inputs, outputs, flops):
    assert count_flops(operator, json.dumps(inputs), json.dumps(outputs)) == flops


def test_the_first_layer_of_resnet():
    texts = json.dumps([IMAGE, WEIGHT]), json.dumps([FEATURES])
    assert count_flops("Conv", *texts) == 236_027_904


@pytest.mark.parametrize(
    ("operator", "inputs", "outputs"),
    [
        ("Relu", [FEATURES], [FEATURES]),
        ("Conv", [IMAGE], [FEATURES]),
        ("Conv", [IMAGE, [64]], [FEATURES]),
        ("Conv", [IMAGE, [64, 5, 7, 7]], [FEATURES]),
        ("Conv", [IMAGE, [32, 3, 7, 7]], [FEATURES]),
        # The weight is packed, so that its scale is in its place.
        ("QLinearConv", [[1, 10, 10, 4], *[SCALAR] * 6, [5]], [[1, 8, 8, 5]]),
        ("ConvTranspose", [[1, 16, 8, 8]], [[1, 4, 16, 16]]),
        ("ConvTranspose", [[1, 16, 8, 8], [4]], [[1, 4, 16, 16]]),
        ("MatMul", [[7, 8], [9, 6]], [[7, 6]]),
        ("MatMul", [[8, 6]], [[7, 6]]),
        ("MatMul", [[8]], [[7]]),
        ("FusedMatMul", [[7, 8], [9, 6]], [[7, 6]]),
        ("FusedMatMul", [[7, 8]], [[7, 6]]),
        ("Gemm", [[10], [1, 10]], [[1, 10]]),
        ("Gemm", [[4, 32]], [[5, 10]]),
        ("Gemm", [[4, 32]], [[5]]),
        ("Attention", [[2, 1, 64], [192], [2, 2, 4, 9, 16]], [[2, 1, 64]]),
        ("Attention", [[2, 7, 64], [32, 192]], [[2, 7, 64]]),
        ("Attention", [[2, 7, 64], *[[2, 9, 64]] * 2, *[[2, 4, 3, 16]] * 2], [[2, 7, 64]]),
        ("MultiHeadAttention", [[2, 7, 64], *[[2, 9, 64]] * 2, *[[2, 4, 3, 16]] * 2], [[2, 7, 64]]),
        ("MatMul", [], [[7, 6]]),
        ("MatMul", [[2**40, 2**40]], [[2**40, 2**40]]),
    ],
)
def test_operations_are_unknown_if_shapes_do_not_tell_them(operator, inputs, outputs):
    assert count_flops(operator, json.dumps(inputs), json.dumps(outputs)) is None


@pytest.mark.parametrize("text", [None, "", "[[1,", "7", "[[-1,2]]", '[["a"]]', "[" * 100_000])
def test_texts_that_are_no_shapes_are_unknown(text):
    assert count_flops("MatMul", text, "[[1,2]]") is None


def tensors(*shapes):
    return [{"float": shape} for shape in shapes]


def matmul(name, ts, dur, rows=4, **said):
    shapes = {"input_type_shape": tensors([rows, 500]), "output_type_shape": tensors([rows, 250])}
    return kernel(name, ts, dur, op_name="MatMul", **shapes, **said)


MATMUL = 2 * 4 * 500 * 250


def operators(run):
    return run.frames["operators"].set_index("name")


def shapes(run):
    frame = run.frames["operator_shapes"].astype(object)
    return frame.where(frame.notna(), None).to_numpy().tolist()


def test_rates_are_over_the_time_on_the_host_of_all_calls(tmp_path):
    run = load(tmp_path, [matmul("a", 10, 100), matmul("b", 200, 300, rows=8), kernel("c", 600, 9)])
    table = operators(run)
    assert table["flops"]["MatMul"] == 3 * MATMUL
    assert table["flop_rate"]["MatMul"] == pytest.approx(3 * MATMUL / 400e-6)
    assert table.loc["Gemm", ["flops", "flop_rate"]].isna().all()


def test_a_call_without_shapes_makes_the_operator_unknown(tmp_path):
    run = load(tmp_path, [matmul("a", 10, 100), kernel("b", 200, 300, op_name="MatMul")])
    assert operators(run).loc["MatMul", ["flops", "flop_rate"]].isna().all()


@pytest.mark.slow
def test_shapes_are_counted_by_operator(tmp_path):
    entries = [matmul("a", 10, 100), matmul("a", 200, 300), kernel("b", 600, 1)]
    assert shapes(load(tmp_path, entries)) == [["Gemm", None, 1], ["MatMul", "[[4,500]]", 2]]


def test_a_profile_without_shapes_has_no_frame_of_them(tmp_path):
    assert "operator_shapes" not in load(tmp_path, [kernel("a", 1, 2)]).frames


DEVICE = "CUDAExecutionProvider"


def test_rates_of_a_device_are_over_the_time_of_its_executions(tmp_path):
    node = matmul("a", 10, 100, provider=DEVICE)
    run = load(tmp_path, [node, device_kernel("k", 60, 40, operator="MatMul")])
    assert operators(run)["flop_rate"]["MatMul"] == pytest.approx(MATMUL / 40e-6)


def test_an_operator_on_both_host_and_device_has_no_rate(tmp_path):
    nodes = [matmul("a", 10, 100, provider=DEVICE), matmul("b", 200, 300)]
    row = operators(load(tmp_path, [*nodes, device_kernel("k", 60, 40, operator="MatMul")]))
    assert row["flops"]["MatMul"] == 2 * MATMUL
    assert row["flop_rate"].isna().all()


ODD_ENTRIES = [
    [{"float": [2], "int64": [3]}],
    [{"float": ["two"]}],
    [{"float": [-1]}],
    [7],
    "[[2]]x",
    {"float": [2]},
    None,
]


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("value", ODD_ENTRIES, ids=str)
def test_odd_shapes_cost_no_entry(tmp_path, value):
    entries = [matmul("a", 10, 100), kernel("b", 200, 300, op_name="Odd", input_type_shape=value)]
    run = load(tmp_path, entries)
    assert shapes(run) == [["MatMul", "[[4,500]]", 1], ["Odd", None, 1]]
    assert run.diagnostics == load(tmp_path, [kernel("b", 200, 300)]).diagnostics


@pytest.mark.slow
def test_entries_read_one_by_one_have_the_same_shapes(tmp_path):
    entries = [matmul("a", 10, 100), matmul("b", 200, 300, rows=8)]
    fast = load(tmp_path, entries)
    text = "[\n{bad}, " + ",\n".join(json.dumps(entry) for entry in entries) + "]"
    slow = load(tmp_path, entries, text)
    assert shapes(slow) == shapes(fast)
    assert operators(slow)["flops"].equals(operators(fast)["flops"])
