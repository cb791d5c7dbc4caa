import pandas as pd

from data_loaders.deeploy.code import read_code
from data_loaders.deeploy.graph import read_graph
from data_loaders.deeploy.residents import home_addresses, home_level, residents
from tests.support.deeploy_net import TOY
from tests.support.deeploy_run import graph_bytes, network_c

GRAPH = read_graph(graph_bytes(), "g.onnx")
CODE = read_code([network_c().encode()])
HOME = {
    name: (first, last + 1, high - low) for name, first, last, low, high in TOY.levels["L2"].blocks
}


def test_tensors_live_as_the_plan_has_them():
    found = residents(GRAPH, TOY.views)
    rows = zip(found["name"], found["start"], found["end"], found["size"], strict=True)
    assert {name: row for name, *row in rows} == {name: list(row) for name, row in HOME.items()}


def test_without_its_view_a_tensor_dies_sooner():
    found = residents(GRAPH, {}).set_index("name")
    assert found.loc["t0", "end"] == 2


def test_the_home_is_where_the_code_places_them():
    names = pd.Series(list(HOME), dtype="str")
    assert home_level(names, CODE) == "L2"
    assert home_level(pd.Series(["x"], dtype="str"), CODE) is None
    assert home_addresses(names, CODE, "L2", TOY.views).tolist() == [64, 0, 0, 160, 0]
    assert home_addresses(names, CODE, "L2", {}).isna().tolist() == [
        False,
        False,
        True,
        False,
        False,
    ]
