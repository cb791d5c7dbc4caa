"""Address spaces: where parameters and buffers lie, and what follows from it."""

import pytest

from analysis.program.address_spaces import address_spaces
from tests.support.graphs import graph_of_rows


def param(space):
    return "PARAM", "float", (), f"ParamArg(slot=1, dtype=float, addrspace={space}, device='CPU')"


@pytest.mark.parametrize(
    ("rows", "space"),
    [
        ([param("global")], "global"),
        ([param("AddrSpace 4")], None),
        (
            [param("register"), ("RESHAPE", "float", (0,), ""), ("INDEX", "float", (1,), "")],
            "register",
        ),
        ([param("global"), ("LOAD", "float", (0,), "")], None),
        ([param("local"), param("local"), ("STACK", "float", (0, 1), "")], "local"),
        ([param("local"), param("global"), ("STACK", "float", (0, 1), "")], None),
        ([("CONST", "int", (), "1"), ("ADD", "int", (0, 0), "")], None),
    ],
)
def test_the_last_node_lies_where_its_operands_do(rows, space):
    nodes, last = graph_of_rows(*rows)
    assert address_spaces(nodes, range(len(nodes)), "0.14").get(last) == space


def test_earlier_releases_say_it_in_the_type():
    assert address_spaces(graph_of_rows(param("global"))[0], [0], "0.13") == {}
