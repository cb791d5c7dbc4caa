"""Slots that nodes keep from state to state."""

from analysis.program.picture import Folding, build_picture
from analysis.program.stable_places import SPAN, neighbours, stable_slots
from analysis.program.state import state_of
from tests.support.graphs import Graph


def states():
    """Return the states of a step that replaces one leaf after the other."""
    graph = Graph()
    leaves = [graph.add("CONST", argument=str(number)) for number in range(6)]
    node = graph.add("LOAD", leaves[0])
    for _ in range(4):
        node = graph.add("NEG", node)
    pairs = [
        (leaves[0], graph.add("MUL", leaves[1], leaves[2])),
        (graph.add("LOAD", leaves[3]), leaves[4]),
    ]
    replay = graph.replay(node, *pairs)
    return [state_of(replay, "0.12", match, str) for match in range(3)]


def drawn(every):
    return [(state, build_picture(state, Folding(constants=False), ())) for state in every]


def layer_of_names(slots):
    layers = [layer for layer, count in enumerate(slots.layers) for _ in range(count)]
    return {name: layer for name, layer in zip(slots.nodes, layers, strict=True) if name >= 0}


def test_every_node_of_every_state_has_one_slot():
    pictures = drawn(states())
    layers = layer_of_names(stable_slots(pictures, routed=True))
    for state, picture in pictures:
        assert {state.names[node] for node in picture.nodes} <= layers.keys()
        for edge in picture.edges:
            assert layers[state.names[edge.operand]] < layers[state.names[edge.user]]


def test_neighbours_end_with_the_step():
    assert list(neighbours(0, 3)) == [0, 1, 2, 3]
    assert SPAN in neighbours(SPAN, 40)
    assert SPAN - 1 not in neighbours(SPAN, 40)
