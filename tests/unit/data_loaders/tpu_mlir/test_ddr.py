import pytest

from data_loaders.tpu_mlir.ddr import ddr_frames, tensor_bytes
from data_loaders.tpu_mlir.module import Tensor, read_module
from tests.support.tpu_log import MODULE


@pytest.fixture
def read(tmp_path):
    def write_and_read(text=MODULE):
        path = tmp_path / "net_final.mlir"
        path.write_text(text)
        return ddr_frames(read_module(path), 7)

    return write_and_read


def test_tensors_live_from_where_they_are_made_to_their_last_use(read):
    frames, elsewhere = read()
    blocks = frames["allocations"].set_index("name")
    assert blocks.index.tolist() == ["conv1.weight", "conv1", "pool", 'café "flat"']
    assert blocks["kind"].tolist() == ["constant", "activation", "activation", "activation"]
    assert blocks["address"].tolist() == [0, 0, 2048, 0]
    assert blocks["size"].tolist() == [864, 2048, 256, 2048]
    assert blocks["start"].tolist() == [0, 0, 0, 1]
    assert blocks["end"].tolist() == [3, 2, 3, 3]
    assert blocks["shape"].tolist() == ["16x3x3x3", "1x16x8x8", "1x16x4x4", "1x1024"]
    assert blocks["dtype"].tolist() == ["f16", "f16", "i8", "f16"]
    assert blocks["level"].tolist() == ["DDR"] * 4
    # The network's input and its output have memories of their own.
    assert elsewhere == 2


def test_a_tensor_in_the_bytes_of_another_shares_them(read):
    blocks = read()[0]["allocations"]
    assert blocks["status"].tolist() == ["placed", "placed", "placed", "shared"]
    assert blocks["alias_of"].tolist()[3] == 1
    joined = MODULE.replace("1x1024xf16, 1000000", "1x9000xf16, 1000000")
    blocks = read(joined)[0]["allocations"]
    assert blocks["status"].tolist() == ["placed", "shared", "placed", "placed"]
    assert blocks["alias_of"].tolist()[1] == 3


def test_the_attempt_is_the_whole_model(read):
    frames, _ = read()
    columns = ["attempt", "level", "outcome", "steps", "static_bytes"]
    assert frames["attempts"][columns].values.tolist() == [[7, "DDR", "success", 3, 8192]]
    assert frames["steps"]["op_type"].tolist() == ["tpu.Group", "tpu.Reshape", "tpu.MatMul"]
    uses = frames["buffer_uses"]
    rows = list(zip(uses["block"], uses["kernel"], uses["access"], strict=True))
    assert rows == [(1, 0, "w"), (1, 1, "r"), (2, 0, "w"), (2, 2, "r"), (3, 1, "w"), (3, 2, "r")]


def test_a_module_without_addresses_has_no_frames(read):
    assert read(MODULE.replace(" : i64>", " : i32>"))[0] == {}


@pytest.mark.parametrize(
    ("dtype", "shape", "size"),
    [
        ("f32", (2, 3), 24),
        ("bf16", (5,), 10),
        ("ui4", (3,), 2),
        ("i1", (9,), 2),
        ("f8E4M3FN", (4,), 4),
        ("none", (4,), 0),
        ("f16", (), 2),
    ],
)
def test_a_tensor_has_the_bytes_of_its_elements(dtype, shape, size):
    assert tensor_bytes(Tensor(dtype, shape, None)) == size
