import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from data_loaders.deeploy import graph as deeploy_graph
from data_loaders.deeploy.graph import is_graph, read_graph, shape_text, tensor_bytes
from data_loaders.protocol import LoadError
from tests.support.deeploy_net import TOY
from tests.support.deeploy_run import graph_bytes


def read(content):
    return read_graph(content, "g.onnx")


def test_steps_are_the_nodes():
    steps = read(graph_bytes()).steps
    assert steps.to_numpy().tolist() == [[node.name, node.op] for node in TOY.nodes]


def test_tensors_have_the_types_of_their_description():
    tensors = read(graph_bytes()).tensors
    assert tensors.loc["t0", ["dtype", "shape", "tensor_bytes"]].tolist() == ["int8", "1x64", 64]
    assert tensors.loc["mul0", ["dtype", "shape", "tensor_bytes", "constant"]].tolist() == [
        "int32",
        "64",
        256,
        True,
    ]
    assert tensors["role"].dropna().to_dict() == {"input_0": "input", "output_0": "output"}
    assert tensors.loc["t2", "op_type"] == "iRelu"
    assert tensors["op_type"].isna().loc["input_0"]


def test_uses_are_in_the_order_of_the_steps():
    uses = read(graph_bytes()).uses
    assert uses[uses["step"] == 0].to_numpy().tolist() == [
        [0, "t0", "w"],
        [0, "input_0", "r"],
        [0, "w0", "r"],
        [0, "mul0", "r"],
    ]
    assert uses.loc[uses["name"] == "t1", ["step", "access"]].to_numpy().tolist() == [
        [1, "w"],
        [2, "r"],
    ]


def test_views_are_outputs_of_operators_that_move_nothing():
    assert read(graph_bytes()).views == TOY.views


def made(nodes, values=(), constants=()):
    return helper.make_model(
        helper.make_graph(nodes, "g", [], list(values), list(constants))
    ).SerializeToString()


def test_in_place_use_is_read_and_written():
    uses = read(made([helper.make_node("Add", ["a", "", "a"], ["a", ""])])).uses
    assert uses.to_numpy().tolist() == [[0, "a", "rw"]]


def test_a_view_of_a_constant_is_none():
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=(2,))
    assert (
        read(made([helper.make_node("Reshape", ["w", "s"], ["o"])], constants=[weight])).views == {}
    )


def test_what_a_graph_does_not_know_stays_unknown():
    value = helper.make_tensor_value_info("o", TensorProto.BFLOAT16, ["N", 3])
    odd = onnx.ValueInfoProto(name="p")
    odd.type.tensor_type.elem_type = 999
    tensors = read(made([helper.make_node("Add", ["o"], ["p"])], [value, odd])).tensors
    assert tensors.loc["o", ["dtype", "shape"]].tolist() == ["bfloat16", "?x3"]
    assert tensors["tensor_bytes"].isna().all()
    assert tensors.loc["p", "dtype"] == ""


def test_bytes_of_a_shape():
    assert tensor_bytes("int8", [1, 3, 32, 32]) == 3072
    assert tensor_bytes("float32", []) == 4
    assert tensor_bytes("int4", [3]) == 2
    assert tensor_bytes("", [3]) is None
    assert tensor_bytes("int8", [2**40, 2**40]) is None
    assert shape_text([1, -1, 3]) == "1x?x3"


@pytest.mark.parametrize("content", [b"", b"\x08\x05junk", b"\x08\x05", made([])], ids=repr)
def test_what_is_no_graph_is_refused(content):
    with pytest.raises(LoadError, match=r"^g\.onnx: "):
        read(content)


def test_a_huge_graph_is_refused(monkeypatch):
    monkeypatch.setattr(deeploy_graph, "MAX_GRAPH_BYTES", 100)
    with pytest.raises(LoadError, match="limit of 100 bytes"):
        read(graph_bytes())


def test_weights_in_another_file_are_not_opened(tmp_path, monkeypatch):
    """What the graph says of them is read; that the file exists makes no difference."""
    read(graph_bytes())  # imports what it needs
    weights = TensorProto(
        name="w", data_type=TensorProto.FLOAT, dims=[2], data_location=TensorProto.EXTERNAL
    )
    weights.external_data.add(key="location", value=str(tmp_path / "weights.bin"))
    (tmp_path / "weights.bin").write_bytes(b"\0" * 8)
    content = made([helper.make_node("Add", ["w", "w"], ["b"])], constants=[weights])
    opened = []
    monkeypatch.setattr("builtins.open", lambda *given, **_: opened.append(given))
    tensors = read(content).tensors
    assert tensors.loc["w", ["shape", "constant"]].tolist() == ["2", True]
    assert opened == []


def test_graphs_are_recognised():
    assert is_graph(graph_bytes())
    assert not is_graph(made([helper.make_node("Add", ["a"], ["b"])]))
    assert not is_graph(b"Deeploy")


@pytest.mark.parametrize("text", [b"input_0", b"t2", b"iRelu", b"mul0", b"Type: int8"])
def test_text_that_is_not_utf8_is_refused(text):
    damaged = graph_bytes().replace(text, b"\x80" + text[1:])
    assert damaged != graph_bytes()
    with pytest.raises(LoadError, match="UTF-8"):
        read(damaged)


@given(data=st.data())
def test_any_damage_is_survived(data):
    content = bytearray(graph_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 20))] = data.draw(st.binary(max_size=20))
    try:
        graph = read(bytes(content))
    except LoadError as error:
        assert "\n" not in str(error)
        return
    assert len(graph.steps)
