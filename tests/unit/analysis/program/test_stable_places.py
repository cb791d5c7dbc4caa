"""Places that nodes keep from state to state."""

from analysis.program.picture import WHOLE, Folding, build_picture
from analysis.program.stable_places import SPAN, neighbours, stable_places
from analysis.program.state import state_of
from tests.support.graphs import Graph


def states():
    """Return the states of a step that replaces one leaf after the other."""
    graph = Graph()
    leaves = [graph.add("CONST", argument=str(number)) for number in range(6)]
    node = graph.add("LOAD", leaves[0])
    for _ in range(4):
        node = graph.add("NEG", node)
    pairs = [(leaves[0], graph.add("MUL", leaves[1], leaves[2])), (graph.add("LOAD", leaves[3]), leaves[4])]
    replay = graph.replay(node, *pairs)
    return [state_of(replay, "0.12", match, str) for match in range(3)]


def drawn(every):
    return [(state, build_picture(state, Folding(constants=False), WHOLE, ())) for state in every]


def test_a_node_has_the_same_place_in_all_states():
    pictures = drawn(states())
    found = {}
    for state, picture in pictures:
        places = stable_places(pictures, state, picture)
        for node in picture.nodes:
            place = places.x[node], places.y[node]
            assert found.setdefault(state.names[node], place) == place
        assert all(places.x[source] < places.x[user] for source, user in picture.edges)


def test_no_two_nodes_of_a_state_share_a_place():
    pictures = drawn(states())
    for state, picture in pictures:
        places = stable_places(pictures, state, picture)
        assert len({(places.x[node], places.y[node]) for node in picture.nodes}) == len(picture.nodes)


def test_neighbours_end_with_the_step():
    assert list(neighbours(0, 3)) == [0, 1, 2, 3]
    assert SPAN in neighbours(SPAN, 40)
    assert SPAN - 1 not in neighbours(SPAN, 40)
