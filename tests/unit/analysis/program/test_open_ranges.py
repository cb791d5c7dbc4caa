"""Ranges that are open at a node."""

from analysis.program.open_ranges import MAX_OPEN, open_ranges, range_number
from tests.support.graphs import Graph


def looped():
    """Return the state of a store of a sum over range 1 in range 0, with its nodes by operation."""
    graph = Graph()
    outer, inner = (
        graph.add("RANGE", graph.add("CONST", argument="8"), argument=f"({n}, LOOP)")
        for n in (0, 1)
    )
    load = graph.add("LOAD", graph.add("INDEX", graph.add("PARAM"), graph.add("ADD", outer, inner)))
    total = graph.add("REDUCE", load, inner, argument="ADD")
    stored = graph.add("STORE", graph.add("INDEX", graph.add("PARAM"), outer), total)
    state = graph.state(graph.add("SINK", graph.add("END", stored, outer)))
    return state, {state.nodes.operations[node]: node for node in state.order}


def test_ranges_are_open_until_something_closes_them():
    state, node = looped()
    opened = open_ranges(state.nodes, state.order)
    assert len(opened[node["LOAD"]]) == 2
    assert len(opened[node["REDUCE"]]) == len(opened[node["STORE"]]) == 1
    assert not opened[node["END"]]
    assert not opened[node["SINK"]]


def test_very_many_ranges_take_no_more_room():
    graph = Graph()
    size = graph.add("CONST", argument="8")
    node = graph.add("RANGE", size, argument="(0, LOOP)")
    for number in range(1, 3 * MAX_OPEN):
        node = graph.add("ADD", node, graph.add("RANGE", size, argument=f"({number}, LOOP)"))
    state = graph.state(node)
    assert max(map(len, open_ranges(state.nodes, state.order).values())) == MAX_OPEN


def test_labels_name_them():
    state, node = looped()
    assert "in ranges 0, 1" in state.labels.label(node["LOAD"]).split("\n")
    assert "in range 0" in state.labels.label(node["STORE"]).split("\n")
    assert not [
        line for line in state.labels.label(node["RANGE"]).split("\n") if line.startswith("in ")
    ]


def test_a_range_is_called_by_all_but_its_kind():
    assert range_number("(2, 0, REDUCE)") == "2_0"
    assert range_number("3") == "3"
