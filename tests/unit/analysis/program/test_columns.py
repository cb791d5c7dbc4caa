"""Columns that a graph is drawn from: slots, equal parts, what a match did, labels."""

import pytest

from analysis.program.columns import MADE, REBUILT, REMOVED, box_size, graph_columns
from analysis.program.picture import Folding, build_picture
from analysis.program.repeats import find_repeats
from analysis.program.state import state_of
from tests.support.graphs import Graph
from tests.support.numbers_in_text import numbers_in


def picture_of(state):
    return state, build_picture(state, Folding(), ())


def unrolled(count):
    """Return the state of a chain of additions of `count` loads that differ in their constant."""
    graph = Graph()
    parameter = graph.add("PARAM", argument="0")
    loads = [
        graph.add(
            "LOAD",
            graph.add("INDEX", parameter, graph.add("CONST", argument=str(number))),
            argument="x",
        )
        for number in range(count)
    ]
    node = loads[0]
    for load in loads[1:]:
        node = graph.add("ADD", node, load)
    return graph.state(graph.add("STORE", parameter, node))


class TestRepeats:
    def test_copies_that_feed_a_chain_are_told_as_one_with_what_differs(self):
        state = unrolled(6)
        (repeat,) = [
            one
            for one in find_repeats(*picture_of(state))
            if state.nodes.operations[one.members[0]] == "LOAD"
        ]
        assert len(repeat.members) == 6
        assert numbers_in(repeat.differ) == ["0", "1", "2", "3", "4", "5"]

    def test_few_copies_stay(self):
        assert not find_repeats(*picture_of(unrolled(3)))

    def test_what_differs_in_more_than_numbers_is_no_copy(self):
        graph = Graph()
        loads = [graph.add("LOAD", graph.add("PARAM", argument=str(number))) for number in range(8)]
        state = graph.state(graph.add("SINK", *loads))
        assert not [
            one
            for one in find_repeats(*picture_of(state))
            if state.nodes.operations[one.members[0]] == "LOAD"
        ]


class TestColumns:
    def states(self):
        """Return the states before and after a match that makes MUL of NEG, below a SINK."""
        graph = Graph()
        load = graph.add("LOAD", argument="x")
        negated = graph.add("NEG", load)
        replay = graph.replay(graph.add("SINK", negated), (negated, graph.add("MUL", load, load)))
        return [state_of(replay, "0.14", match, str) for match in range(2)]

    def test_made_rebuilt_and_removed_are_told_apart(self):
        before, after = map(picture_of, self.states())
        columns = graph_columns(after, before, [before, after])
        change = {
            label.split("\n")[0]: columns["change"][at] for at, label in enumerate(columns["label"])
        }
        assert change == {"LOAD": MADE, "MUL": MADE, "SINK": REBUILT, "NEG": REMOVED} | {
            "LOAD": change["LOAD"]
        }

    def test_edges_name_port_and_how_many_ports(self):
        _, after = map(picture_of, self.states())
        columns = graph_columns(after, None, [])
        edges = [columns["edges"][at : at + 4] for at in range(0, len(columns["edges"]), 4)]
        operation = [label.split("\n")[0] for label in columns["label"]]
        assert sorted((operation[a], operation[b], port, ports) for a, b, port, ports in edges) == [
            ("LOAD", "MUL", 0, 2),
            ("MUL", "SINK", 0, 1),
        ]

    def test_a_slot_has_room_for_the_largest_box_of_its_states(self):
        drawn = [*map(picture_of, self.states())]
        sizes = [graph_columns(one, None, drawn)["slots"] for one in drawn]
        assert sizes[0]["chars"] == sizes[1]["chars"]
        assert sizes[0]["layers"] == sizes[1]["layers"]

    @pytest.mark.parametrize(
        ("label", "size"),
        [("ADD\nint", (3, 2)), ("漢字", (4, 1)), ("x" * 99 + "\n" * 30, (34, 10))],
    )
    def test_wide_signs_take_two_columns_and_boxes_are_bounded(self, label, size):
        assert box_size(label) == size
