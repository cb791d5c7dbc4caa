"""Hidden nodes, labels, names, text and exports of a state."""

import difflib
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.program.constants import MAX_VALUES
from analysis.program.exported import dot, graph_mapping
from analysis.program.kinds import find_kind
from analysis.program.rules import rebuilt_dtype
from analysis.program.text_form import difference, lines_of
from data_loaders.tinygrad.versions import RELEASES
from tests.support.graphs import Graph
from tests.support.numbers_in_text import has_numbers


def hidden(state):
    return sorted(state.nodes.operations[node] for node in state.hidden_nodes)


class TestHidden:
    @pytest.mark.parametrize("release", ["0.12", "0.13"])
    def test_devices_constants_and_counters_are(self, release):
        graph = Graph()
        leaves = [graph.add(name) for name in ("DEVICE", "CONST", "UNIQUE", "LUNIQUE", "RANGE")]
        assert hidden(graph.state(graph.add("SINK", *leaves), release=release)) == [
            "CONST",
            "DEVICE",
            "LUNIQUE",
            "UNIQUE",
        ]

    def test_vectors_of_indices_are_in_0_12(self):
        graph = Graph()
        vectors = [
            graph.add("VCONST", dtype=dtype, argument=dtype) for dtype in ("index2", "float2")
        ]
        assert len(graph.state(graph.add("SINK", *vectors)).hidden_nodes) == 1

    def test_a_numbered_constant_is_not_in_0_13(self):
        graph = Graph()
        root = graph.add("SINK", graph.add("CONST", graph.add("UNIQUE")))
        assert hidden(graph.state(root, release="0.13")) == ["UNIQUE"]

    def test_shapes_of_constants_are_in_0_14(self):
        graph = Graph()
        two = graph.add("CONST", argument="2")
        shape = graph.add("STACK", two, two)
        constant = graph.add("EXPAND", graph.add("RESHAPE", two, shape), shape)
        root = graph.add("ADD", constant, graph.add("RESHAPE", graph.add("LOAD"), shape))
        assert hidden(graph.state(root, release="0.14")) == ["CONST", "EXPAND", "RESHAPE", "STACK"]

    @pytest.mark.parametrize("release", ["0.12", "0.13", "0.14"])
    def test_the_result_never_is_but_for_an_empty_stack(self, release):
        graph = Graph()
        assert not graph.state(graph.add("CONST"), release=release).hidden_nodes
        empty = graph.add("VECTORIZE" if release == "0.12" else "STACK")
        assert graph.state(empty, release=release).hidden_nodes == {empty}


class TestLabels:
    def test_hidden_operands_stand_with_their_port(self):
        graph = Graph()
        root = graph.add(
            "MUL",
            graph.add("LOAD"),
            graph.add("CONST", argument="0.17677669529663687", dtype="float"),
        )
        assert graph.state(root).labels.label(root).split("\n") == ["MUL", "int", "CONST1 0.176777"]

    def test_of_an_index_only_the_first_operand_and_of_an_end_none(self):
        graph = Graph()
        one = graph.add("CONST", argument="1")
        index, end = graph.add("INDEX", one, one), graph.add("END", one, one)
        state = graph.state(graph.add("SINK", index, end))
        assert state.labels.label(index).count("CONST") == 1
        assert "CONST" not in state.labels.label(end)

    def test_a_size_of_a_shape_that_is_no_constant_is_open(self):
        graph = Graph()
        two = graph.add("CONST", argument="2")
        known = graph.add("RESHAPE", graph.add("LOAD"), graph.add("STACK", two, two))
        unknown = graph.add(
            "RESHAPE", graph.add("LOAD"), graph.add("STACK", two, graph.add("RANGE"))
        )
        state = graph.state(graph.add("SINK", known, unknown), release="0.14")
        assert "shape (2, 2)" in state.labels.label(known)
        assert "shape (2, ?)" in state.labels.label(unknown)

    def test_a_loop_that_is_closed_is_named_with_its_size(self):
        graph = Graph()
        loop = graph.add("RANGE", graph.add("CONST", argument="16"), argument="(3, AxisType 2)")
        root = graph.add("REDUCE", graph.add("LOAD"), loop)
        assert has_numbers(graph.state(root).labels.label(root), "3", "16")

    def test_a_call_names_the_context_of_its_body(self):
        graph = Graph()
        body = graph.add("SINK", context=4)
        kernel, call = graph.add("KERNEL", body=body), graph.add("CALL", body)
        state = graph.state(graph.add("SINK", kernel, call))
        assert all("context 4: context 4" in state.labels.label(node) for node in (kernel, call))


def test_a_constant_of_many_numbers_is_cut_in_the_labels_that_name_it():
    graph = Graph()
    shape = graph.add(
        "STACK", *(graph.add("CONST", argument=str(number)) for number in range(MAX_VALUES + 5))
    )
    state = graph.state(graph.add("RESHAPE", graph.add("PARAM"), shape), release="0.14")
    label = state.labels.label(state.root)
    assert has_numbers(label, "98", "99", "5")
    assert "100" not in label


class TestText:
    def test_a_node_keeps_its_number_when_it_is_rebuilt(self):
        graph = Graph()
        one, two = graph.add("CONST", argument="1"), graph.add("CONST", argument="2")
        root = graph.add("NEG", one)
        before, after = (graph.state(root, (one, two), match=match) for match in (0, 1))
        assert after.names[after.root] == before.names[before.root] == root
        assert lines_of(after)[-1] == f"%{root} = NEG int (%{two})"

    def test_a_difference_has_what_the_match_made_and_removed_alone(self):
        graph = Graph()
        one, two = graph.add("CONST", argument="1"), graph.add("CONST", argument="2")
        node = graph.add("NEG", one)
        for _ in range(50):
            node = graph.add("SIN", node)
        replay = graph.replay(node, (one, two))
        from analysis.program.state import state_of

        states = [state_of(replay, "0.12", match, str) for match in (0, 1)]
        changed = [line for line in difference(*states) if line[0] in "+-"]
        assert sorted(line.split(" = ")[1] for line in changed) == [
            "CONST int 1",
            "CONST int 2",
            f"NEG int (%{one})",
            f"NEG int (%{two})",
        ]
        assert not difference(states[0], states[0])

    @given(st.data(), st.integers(0, 4))
    def test_a_difference_is_that_of_the_lines_by_number(self, data, context):
        graph = Graph()
        nodes = [graph.add("CONST", argument=str(number)) for number in range(4)]
        for _ in range(data.draw(st.integers(1, 20))):
            nodes.append(
                graph.add(
                    "ADD", *data.draw(st.lists(st.sampled_from(nodes), min_size=1, max_size=3))
                )
            )
        pair = nodes[0], nodes[1]
        before, after = (
            graph.state(graph.add("SINK", *nodes[2:]), pair, match=match) for match in (0, 1)
        )
        old, new = (
            sorted(lines_of(state), key=lambda line: int(line[1:].split()[0]))
            for state in (before, after)
        )
        expected = list(difflib.unified_diff(old, new, n=context, lineterm=""))[2:]
        assert difference(before, after, context) == expected


class TestExports:
    def hostile(self):
        graph = Graph()
        text = 'a"b\\c\n<script>\x00'
        return graph.state(graph.add("SOURCE", graph.add("LOAD", argument=text), argument=text))

    def test_a_digraph_has_what_is_shown_and_quotes_what_is_hostile(self):
        text = dot(self.hostile())
        strings = re.findall(r'"(?:[^"\\]|\\.)*"', text)
        assert text.startswith("digraph")
        assert re.sub(r'"(?:[^"\\]|\\.)*"', "", text).count('"') == 0
        assert len(strings) == 2
        assert text.count("->") == 1

    def test_json_has_every_node_and_edge(self):
        state = self.hostile()
        given = json.loads(json.dumps(graph_mapping(state)))
        assert {node["id"] for node in given["nodes"]} == set(state.order)
        assert given["edges"] == [{"source": state.order[0], "target": state.root, "port": 0}]

    def test_an_endless_rewriting_is_one_node_that_says_so(self):
        graph = Graph()
        one = graph.add("CONST", argument="1")
        state = graph.state(one, (one, graph.add("NEG", one)))
        given = graph_mapping(state)
        assert [node["kind"] for node in given["nodes"]] == ["error"]
        assert given["error"] == state.error
        assert dot(state).count("error") >= 1


def test_every_operation_of_a_release_has_a_kind():
    unknown = {name for names in RELEASES.values() for name in names if find_kind(name) == "other"}
    assert not unknown


@pytest.mark.parametrize(
    ("operation", "before", "after", "dtype"),
    [
        ("ADD", ["weakint", "int"], ["float", "int"], "float"),
        ("ADD", ["weakint", "weakint"], ["weakint", "unsigned char"], "unsigned char"),
        ("MUL", ["int", "int"], ["short", "unsigned short"], "int"),
        ("WHERE", ["bool", "int", "int"], ["bool", "half", "half"], "half"),
        ("CMPLT", ["int", "int"], ["float", "float"], "old"),
        ("SQRT", ["int"], ["half"], "half"),
        ("SQRT", ["half"], ["int"], "float"),
        ("WMMA", ["half", "half", "float"], ["half", "half", "double"], "double"),
        ("RESHAPE", ["int", "weakint"], ["float", "weakint"], "float"),
        ("ADD", ["int"], ["something else", "int"], "old"),
        ("SINK", ["int"], ["float"], "old"),
    ],
)
def test_types_follow_operands(operation, before, after, dtype):
    assert rebuilt_dtype(operation, "old", before, after) == dtype
