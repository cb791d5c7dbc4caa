import json

import pytest

from data_loaders.protocol import LoadError
from data_loaders.tpu_mlir.layers import Layer, read_layers
from tests.support.tpu_log import LAYERS, bmodel


def test_a_bmodel_names_the_operator_of_each_line(tmp_path):
    path = tmp_path / "net.bmodel.json"
    path.write_text(bmodel(LAYERS))
    assert read_layers(path) == {
        14: Layer("Load", "load_conv1.weight"),
        15: Layer("Conv2D", "conv1"),
        19: Layer("MatMul", "fc"),
    }


def test_an_operator_without_named_results_has_its_operands_name(tmp_path):
    path = tmp_path / "net.bmodel.json"
    entries = [
        {"file-line": 3, "opcode": "tpu.Store", "results": [{}], "operands": [{}, {"name": "x"}]},
        {"file-line": 4},
    ]
    path.write_text(json.dumps([*entries, 5, {"file-line": "6"}]))
    assert read_layers(path) == {3: Layer("Store", "x"), 4: Layer("", "")}


@pytest.mark.parametrize("content", ["", "{}", "[]", "[1]", "[" * 100_000])
def test_what_is_no_bmodel_is_a_sentence(tmp_path, content):
    path = tmp_path / "net.bmodel.json"
    path.write_text(content)
    with pytest.raises(LoadError, match=r"^net\.bmodel\.json: "):
        read_layers(path)
