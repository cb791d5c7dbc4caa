"""What of a graph is drawn, and where."""

from analysis.program import picture as pictures
from analysis.program.picture import Edge, Folding, build_picture
from tests.support.graphs import Graph

EVERYTHING = Folding(constants=False)


def sum_of_moved():
    """Return the state of `load + reshape(load)`, with the shape as constants."""
    graph = Graph()
    load = graph.add("LOAD", graph.add("PARAM", argument="0"))
    shape = graph.add("CONST", argument="4")
    return graph.state(graph.add("ADD", load, graph.add("RESHAPE", load, shape)))


def names(state, nodes):
    return sorted(state.nodes.operations[node] for node in nodes)


class TestFolding:
    def test_constants_stand_in_labels_or_are_nodes(self):
        state = sum_of_moved()
        assert "CONST" not in names(state, build_picture(state, Folding(), ()).nodes)
        assert "CONST" in names(state, build_picture(state, EVERYTHING, ()).nodes)

    def test_edges_lead_through_movement_that_is_passed_over(self):
        state = sum_of_moved()
        shown = build_picture(state, Folding(movement=True), ())
        assert names(state, shown.nodes) == ["ADD", "LOAD", "PARAM"]
        assert len(shown.edges) == 2

    def test_an_edge_tells_its_first_port_and_how_many_there_are(self):
        graph = Graph()
        load, other = graph.add("LOAD"), graph.add("PARAM")
        state = graph.state(graph.add("WHERE", other, load, load))
        assert set(build_picture(state, Folding(), ()).edges) == {
            Edge(other, 2, 0, 1),
            Edge(load, 2, 1, 2),
        }


class TestExtent:
    def long(self, length=30):
        graph = Graph()
        node = graph.add("LOAD")
        for _ in range(length):
            node = graph.add("NEG", node)
        return graph.state(node)

    def test_a_part_has_what_is_two_steps_away(self):
        state = self.long()
        middle = state.order[15]
        shown = build_picture(state, Folding(), [middle], around=True)
        assert list(shown.nodes) == list(state.order[13:18])
        assert shown.around
        assert shown.total == len(state.order)

    def test_a_large_graph_begins_with_the_part_around_the_change(self, monkeypatch):
        monkeypatch.setattr(pictures, "MAX_SHOWN", 10)
        state = self.long()
        assert len(build_picture(state, Folding(), ()).nodes) == 3

    def test_a_part_around_very_many_nodes_is_bounded(self, monkeypatch):
        monkeypatch.setattr(pictures, "MAX_SHOWN", 10)
        state = self.long()
        assert len(build_picture(state, Folding(), state.order, around=True).nodes) <= 10
