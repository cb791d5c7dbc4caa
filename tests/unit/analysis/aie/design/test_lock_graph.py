"""Graph of a design: who gives and takes which lock, what feeds what, and its columns."""

import pytest

from analysis.aie.design import lock_graph as graphs
from analysis.aie.design.graph_columns import WAITED, WAITS, WAYS, design_columns
from analysis.aie.design.lock_graph import CHANNEL, CORE, FEEDS, FIFO, GIVES, LOCK, TAKES
from samples.aie_design import design_lines
from tests.support.design_trace import design_of

FIFOS = """
module { aie.device(npu1_1col) {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  aie.objectfifo @of(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  %core = aie.core(%a) { aie.end }
} }
"""
LOCK_NAME = "mid_cons_cons_lock"


@pytest.fixture(scope="module")
def graph():
    return graphs.lock_graph(design_of("\n".join(design_lines())))


def edges_of(graph):
    names = [(node.kind, node.tile, node.name) for node in graph.nodes]
    return {(names[source], way, names[target]) for source, target, way in graph.edges}


def test_a_lock_lies_between_giver_and_taker(graph):
    edges = edges_of(graph)
    lock = (LOCK, "core 3,0", LOCK_NAME)
    assert ((CHANNEL, "core 3,0", "S2MM 0"), GIVES, lock) in edges
    assert (lock, TAKES, (CORE, "core 3,0", "core 3,0")) in edges
    assert {way for source, way, target in edges if lock in (source, target)} == {GIVES, TAKES}


def test_a_flow_feeds_the_channel_at_its_end(graph):
    feeds = {(source, target) for source, way, target in edges_of(graph) if way == FEEDS}
    assert feeds == {
        ((CHANNEL, "shim 0,0", "MM2S 0"), (CHANNEL, "core 2,0", "S2MM 0")),
        ((CHANNEL, "core 2,0", "MM2S 0"), (CHANNEL, "core 3,0", "S2MM 0")),
        ((CHANNEL, "core 3,0", "MM2S 0"), (CHANNEL, "shim 0,0", "S2MM 0")),
    }


def test_the_graph_begins_with_the_channel_that_the_host_feeds(graph):
    node = graph.nodes[0]
    assert (node.kind, node.tile, node.name) == (CHANNEL, "shim 0,0", "MM2S 0")
    assert "@in" in node.detail


def test_an_objectfifo_lies_between_its_ends():
    edges = edges_of(graphs.lock_graph(design_of(FIFOS)))
    fifo = (FIFO, "core 2,0", "of")
    assert edges == {
        ((CORE, "core 2,0", "core 2,0"), FEEDS, fifo),
        (fifo, FEEDS, (CORE, "core 3,0", "core 3,0")),
    }


def test_flows_of_the_trace_are_no_data():
    text = "\n".join(design_lines()).replace(
        "    func.func private",
        "    aie.packet_flow(0x1) { aie.packet_source<%core2, Trace : 0> "
        "aie.packet_dest<%shim, DMA : 1> }\n    func.func private",
    )
    graph = graphs.lock_graph(design_of(text))
    assert not [node for node in graph.nodes if node.name.endswith(" 1")]


def test_a_large_graph_is_cut(graph, monkeypatch):
    monkeypatch.setattr(graphs, "MAX_NODES", 5)
    cut = graphs.lock_graph(design_of("\n".join(design_lines())))
    assert len(cut.nodes) == 5
    assert cut.left_out == len(graph.nodes) - 5
    assert all(max(source, target) < 5 for source, target, _ in cut.edges)
    assert design_columns(cut, {}, {})["total"] == len(graph.nodes)


def test_the_waited_lock_has_a_kind_and_an_edge_of_its_own(graph):
    waits = {("core 3,0", LOCK_NAME): {"core 3,0": 420}}
    columns = design_columns(graph, waits, {"core 3,0": 500})
    kinds = [columns["kinds"][kind] for kind in columns["kind"]]
    (waited,) = [at for at, kind in enumerate(kinds) if kind == WAITED]
    assert columns["label"][waited].startswith(LOCK_NAME)
    assert "420" in columns["label"][waited]
    core = columns["label"].index("core 3,0\nlock stall 500 cycles")
    numbers = columns["edges"]
    edges = [tuple(numbers[at : at + 4]) for at in range(0, len(numbers), 4)]
    assert [edge for edge in edges if edge[2] == WAYS.index(WAITS)] == [
        (waited, core, WAYS.index(WAITS), 1)
    ]
    assert len(edges) == len(graph.edges)


def test_each_node_has_a_place(graph):
    columns = design_columns(graph, {}, {})
    assert sorted(columns["slot"]) == sorted(set(columns["slot"]))
    assert len(columns["names"]) == len(graph.nodes) == len(columns["tiles"])
    assert sum(columns["slots"]["layers"]) == len(columns["slots"]["chars"])
    assert {*columns["kinds"]} == {CORE, CHANNEL, LOCK}


def test_an_empty_design_has_an_empty_graph():
    graph = graphs.lock_graph(design_of("module { aie.device(npu1) { %t = aie.tile(0, 2) } }"))
    assert graph.nodes == []
    assert design_columns(graph, {}, {})["names"] == []
