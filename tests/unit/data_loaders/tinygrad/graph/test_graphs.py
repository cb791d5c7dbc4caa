"""Graphs of captures: several numbers are one node, what is broken or hostile ends."""

import sys

import pytest

from data_loaders.tinygrad.contexts import read_rewrites
from data_loaders.tinygrad.graph.frames import (
    edges_frame,
    graph_findings,
    matches_frame,
    nodes_frame,
    read_graphs,
)
from data_loaders.tinygrad.graph.interning import NO_NODE, Interner
from data_loaders.tinygrad.records import read_pickle
from data_loaders.tinygrad.stacks import Stacks
from data_loaders.tinygrad.versions import Version, detect_version
from samples.tinygrad_objects import KernelInfo, RewriteTrace, call_class, dumps, fields_class
from samples.tinygrad_writer import GENERATIONS, Maker
from schema.frames import conform

MOST = 200_000
Kernel = fields_class("tinygrad.uop.ops.Kernel")
ConstFloat = call_class("tinygrad.dtype.ConstFloat")


def rewrites_of(maker):
    trace = RewriteTrace(keys=maker.keys, rewrites=maker.steps, uop_fields=maker.nodes)
    return read_rewrites(read_pickle(dumps(trace, Kernel, ConstFloat)).root, Stacks(keep=True))


def graphs_of(maker):
    rewrites = rewrites_of(maker)
    return read_graphs(rewrites, detect_version(rewrites.nodes.values()), MOST)


def interner(maker):
    """Return the nodes of a capture, whose numbers are those of the maker."""
    nodes = rewrites_of(maker).nodes
    return Interner(nodes, detect_version(nodes.values()) or Version("", ()))


@pytest.fixture(params=GENERATIONS)
def maker(request):
    made = Maker(request.param)
    made.node("SINK", (), KernelInfo(name="base", axis_types=()))
    made.node("CONST", (), 7)
    return made


class TestEqualNodes:
    def test_two_numbers_of_equal_nodes_are_one(self, maker):
        one, two = maker.node("NEG", (1,)), maker.node("NEG", (1,))
        found = interner(maker)
        assert found.node(one) == found.node(two)
        assert len(found) == 2

    def test_operation_type_operands_and_argument_tell_nodes_apart(self, maker):
        others = [
            maker.node("NEG", (1,)),
            maker.node("ADD", (1,)),
            maker.node("NEG", (1,), dtype=maker.dtype("float")),
            maker.node("NEG", (0,)),
            maker.node("NEG", (1,), "a"),
            maker.node("NEG", (1,), b"a"),
        ]
        found = interner(maker)
        assert len({found.node(number) for number in others}) == len(others)

    def test_numbers_are_equal_as_in_python(self, maker):
        same = [maker.node("SINK", (), value) for value in (1, True, 1.0)]
        found = interner(maker)
        assert len({found.node(number) for number in same}) == 1

    def test_constants_of_0_13_and_later_go_by_their_bits(self, maker):
        zeros = [maker.node("SINK", (), ConstFloat(value)) for value in (0.0, -0.0)]
        nans = [
            maker.node("SINK", (), ConstFloat(value)) for value in (float("nan"), -float("nan"))
        ]
        found = interner(maker)
        assert found.node(zeros[0]) != found.node(zeros[1])
        assert found.node(nans[0]) == found.node(nans[1])

    def test_records_are_equal_by_name_and_fields(self, maker):
        same = [
            maker.node("SINK", (), KernelInfo(name="a", axis_types=(1, (2,)))) for _ in range(2)
        ]
        other = maker.node("SINK", (), KernelInfo(name="b", axis_types=(1, (2,))))
        found = interner(maker)
        assert found.node(same[0]) == found.node(same[1]) != found.node(other)

    def test_operations_inside_of_arguments_that_share_operands_end(self, maker):
        value = maker.uop("CONST", (), 1)
        for _ in range(200):
            value = maker.uop("ADD", (value, value))
        number = maker.node("SINK", (), (value, value))
        assert interner(maker).node(number) >= 0

    def test_the_body_of_a_kernel_is_kept(self, maker):
        body = maker.node("SINK", (1,))
        kernel = maker.node("SINK", (), Kernel(ast=body, metadata=()))
        found = interner(maker)
        assert found.bodies[found.node(kernel)] == found.node(body)


class TestBroken:
    def test_a_missing_node_costs_the_graphs_above_it(self, maker):
        whole, broken = maker.node("NEG", (1,)), maker.node("NEG", (999,))
        above = maker.node("NEG", (broken,))
        found = interner(maker)
        assert found.node(whole) >= 0
        assert found.node(above) == NO_NODE

    def test_a_node_below_itself_has_no_graph(self, maker):
        first = len(maker.nodes)
        maker.node("NEG", (first + 1,))
        maker.node("NEG", (first,))
        found = interner(maker)
        assert found.node(first) == NO_NODE
        assert found.node(1) >= 0

    @pytest.mark.slow
    def test_a_chain_that_is_longer_than_any_stack_is_followed(self, maker):
        last, depth = 1, 4 * sys.getrecursionlimit()
        for _ in range(depth):
            last = maker.node("NEG", (last,))
        assert interner(maker).node(last) == depth

    @pytest.mark.parametrize("number", [None, "1", 1.0, True, (1,), 10**30])
    def test_what_is_no_number_has_no_node(self, maker, number):
        assert interner(maker).node(number) == NO_NODE

    @pytest.mark.parametrize("source", [[1], {}, ([1],), None, "1", 1.0, True])
    def test_a_source_that_is_no_number_costs_the_graphs_above_it(self, maker, source):
        whole, broken = maker.node("NEG", (1,)), maker.node("ADD", (1, source))
        above, kernel = (
            maker.node("NEG", (broken,)),
            maker.node("SINK", (), Kernel(ast=source, metadata=())),
        )
        found = interner(maker)
        assert [found.node(number) for number in (broken, above)] == [NO_NODE] * 2
        assert found.node(whole) >= 0
        assert found.bodies[found.node(kernel)] == NO_NODE

    def test_broken_graphs_are_counted_and_the_others_stay(self, maker):
        broken = maker.node("NEG", (999,))
        maker.context("a", (), [maker.rewrite("good", sink=1), maker.rewrite("bad", sink=broken)])
        graphs = graphs_of(maker)
        assert graphs.roots[0] >= 0
        assert graphs.roots[1] == NO_NODE
        assert [finding.code for finding in graph_findings(graphs)] == ["nodes_broken"]

    def test_graphs_of_too_many_nodes_are_left_out_and_said(self, maker):
        maker.context("a", (), [maker.rewrite("step", matches=1)])
        rewrites = rewrites_of(maker)
        graphs = read_graphs(rewrites, detect_version(rewrites.nodes.values()), 1)
        assert not len(graphs.nodes)
        assert graphs.roots == [NO_NODE]
        assert len(matches_frame(rewrites, graphs, strip=False)) == 1
        assert [finding.code for finding in graph_findings(graphs)] == ["graphs_left_out"]


class TestFrames:
    def test_they_fit_the_schema_and_operands_come_first(self, maker):
        root = maker.node("ADD", (1, 1))
        maker.context("a", (), [maker.rewrite("step", matches=2, sink=root)])
        rewrites = rewrites_of(maker)
        graphs = read_graphs(rewrites, detect_version(rewrites.nodes.values()), MOST)
        nodes, edges = (
            conform("graph_nodes", nodes_frame(graphs)),
            conform("graph_edges", edges_frame(graphs)),
        )
        matches = conform("rewrite_matches", matches_frame(rewrites, graphs, strip=False))
        assert (edges["source"] < edges["node"]).all()
        assert edges["port"].tolist() == [0, 1]
        assert nodes["argument_text"].tolist()[graphs.nodes.node(1)] == "7"
        assert matches["match"].tolist() == [1, 2]
        assert matches["duration"].tolist() == [1500, 1500]

    def test_a_step_has_the_size_of_its_first_graph(self, maker):
        root = maker.node("ADD", (1, maker.node("NEG", (1,))))
        maker.context("a", (), [maker.rewrite("step", sink=root)])
        assert graphs_of(maker).sizes == [(3, 3)]

    def test_stripped_matches_name_no_files(self, maker):
        maker.context("a", (), [maker.rewrite("step", matches=1)])
        rewrites = rewrites_of(maker)
        graphs = read_graphs(rewrites, detect_version(rewrites.nodes.values()), MOST)
        matches = matches_frame(rewrites, graphs, strip=True)
        assert matches["file"].tolist() == [""]
        assert matches["line"].isna().all()

    def test_a_node_stands_for_the_last_context_that_has_it_as_a_key(self, maker):
        body = maker.node("SINK", (1,))
        key = maker.uop("SINK", (maker.uop("CONST", (), 7),))
        for name in ("first", "last"):
            maker.context(name, (key,), [maker.rewrite("step", sink=body)])
        graphs = graphs_of(maker)
        assert graphs.contexts[graphs.nodes.node(body)] == 1

    def test_how_a_kernel_is_called_does_not_matter_to_its_context_since_0_13(self, maker):
        info = KernelInfo(name="given later", axis_types=())
        body = maker.node("SINK", (1,), info)
        key = maker.uop(
            "SINK", (maker.uop("CONST", (), 7),), KernelInfo(name="test", axis_types=())
        )
        maker.context("a", (key,), [maker.rewrite("step", sink=body)])
        graphs = graphs_of(maker)
        assert graphs.contexts[graphs.nodes.node(body)] == (
            NO_NODE if graphs.rules == "0.12" else 0
        )


RULES = {"2025": "0.12", "0.12": "0.12", "0.13": "0.13", "0.14": "0.14"}


def test_rules_go_by_the_generation(maker):
    maker.context("a", (), [maker.rewrite("step")])
    assert graphs_of(maker).rules == RULES[maker.generation]


HOSTILE = {
    "control": "a\x1b]0;x\x07b",
    "long": "x" * 10**6,
    "a tuple of itself": ((((("x",) * 300,) * 300,),),),
    "large number": 10**300,
    "bytes": b"\x00" * 10**5,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_arguments_are_short_text_whatever_they_are(name):
    maker = Maker("0.14")
    number = maker.node("SINK", (), HOSTILE[name])
    found = interner(maker)
    assert len(found.argument_texts[found.node(number)]) <= 2000
