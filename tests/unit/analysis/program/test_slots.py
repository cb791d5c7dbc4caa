"""Slots of a picture: layers that edges lead on through, a slot for each node."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.program.nodes import NONE
from analysis.program.slots import compute_slots


@st.composite
def graphs(draw):
    count = draw(st.integers(0, 40))
    edges = [
        (draw(st.integers(0, user - 1)), user)
        for user in range(1, count)
        for _ in range(draw(st.integers(0, 3)))
    ]
    return list(range(count)), edges


def layer_of_slots(slots):
    return [layer for layer, count in enumerate(slots.layers) for _ in range(count)]


@pytest.mark.parametrize("routed", [True, False])
@given(drawn=graphs())
def test_every_edge_leads_to_a_later_layer_and_every_node_has_one_slot(routed, drawn):
    nodes, edges = drawn
    slots = compute_slots(nodes, edges, routed=routed)
    layers = layer_of_slots(slots)
    place = {node: slot for slot, node in enumerate(slots.nodes) if node != NONE}
    assert sorted(place) == nodes
    assert all(layers[place[source]] < layers[place[user]] for source, user in edges)


@given(drawn=graphs())
def test_links_join_neighbouring_layers_where_edges_are_routed(drawn):
    slots = compute_slots(*drawn, routed=True)
    layers = layer_of_slots(slots)
    assert all(layers[user] - layers[source] == 1 for source, user in slots.links)


@given(graphs())
def test_the_same_graph_has_the_same_slots(drawn):
    assert compute_slots(*drawn, routed=True) == compute_slots(*drawn, routed=True)


@pytest.mark.parametrize("edges", [[(1, 0)], [(0, 0)]])
def test_an_edge_against_the_order_has_no_say(edges):
    assert compute_slots([0, 1], edges, routed=True).layers == [2]


@given(graphs())
def test_long_edges_pass_every_layer_between_and_each_node_has_a_slot(drawn):
    nodes, edges = drawn
    slots = compute_slots(nodes, edges, routed=True)
    layers = layer_of_slots(slots)
    layer_of = {node: layer for node, layer in zip(slots.nodes, layers, strict=True) if node >= 0}
    for operand, user in edges:
        passed = slots.passed.get(operand, [])[: layer_of[user] - layer_of[operand] - 1]
        assert [layers[slot] for slot in passed] == list(
            range(layer_of[operand] + 1, layer_of[user])
        )


def test_edges_that_are_not_routed_have_no_slots():
    slots = compute_slots([0, 1, 2], [(0, 1), (1, 2), (0, 2)], routed=False)
    assert len(slots.nodes) == 3
    assert not slots.passed
