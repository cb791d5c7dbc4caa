"""States of a step: pairs applied as tinygrad's `substitute` applies them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.program import replay as replays
from analysis.program import rewriting
from analysis.program.nodes import NONE
from analysis.program.replay import Replay, Step, below
from analysis.program.rewriting import EndlessError
from tests.support.graphs import Graph, written


def chain(graph, *operations):
    node = graph.add("CONST", argument="1")
    for operation in operations:
        node = graph.add(operation, node)
    return node


def texts(replay):
    return [written(replay.nodes, replay.root(state)) for state in range(replay.states)]


class TestOneMatch:
    def test_users_are_rebuilt_up_to_the_root(self):
        graph = Graph()
        root = chain(graph, "NEG", "SIN")
        one, two = graph.add("CONST", argument="1"), graph.add("CONST", argument="2")
        assert texts(graph.replay(root, (one, two))) == ["SIN(NEG(CONST:1))", "SIN(NEG(CONST:2))"]

    def test_a_node_is_replaced_until_it_is_no_before(self):
        graph = Graph()
        root = chain(graph, "NEG")
        one, two, three = (graph.add("CONST", argument=text) for text in "123")
        replay = graph.replay(root, (two, three), (one, two))
        assert texts(replay) == ["NEG(CONST:1)", "NEG(CONST:1)", "NEG(CONST:3)"]

    def test_a_rebuilt_node_is_rewritten_again(self):
        graph = Graph()
        root = chain(graph, "NEG", "SIN")
        one, two = graph.add("CONST", argument="1"), graph.add("CONST", argument="2")
        rebuilt, other = graph.add("NEG", two), graph.add("EXP2", two)
        replay = graph.replay(root, (rebuilt, other), (one, two))
        assert texts(replay)[-1] == "SIN(EXP2(CONST:2))"

    def test_a_pair_of_equal_nodes_takes_back_an_earlier_one(self):
        graph = Graph()
        root = chain(graph, "NEG")
        one, two = graph.add("CONST", argument="1"), graph.add("CONST", argument="2")
        bottom_up = graph.replay(root, (one, two), (one, one), bottom_up=True)
        assert texts(bottom_up) == ["NEG(CONST:1)", "NEG(CONST:2)", "NEG(CONST:1)"]
        assert texts(graph.replay(root, (one, two), (one, one)))[-1] == "NEG(CONST:2)"

    def test_a_match_that_the_capture_has_lost_changes_nothing(self):
        graph = Graph()
        root = chain(graph, "NEG")
        replay = graph.replay(root, (NONE, NONE))
        assert texts(replay) == ["NEG(CONST:1)"] * 2
        assert not any((replay.change(1).changed, replay.change(1).added, replay.change(1).removed))


class TestRules:
    def test_what_walking_put_in_is_left_as_it_is(self):
        graph = Graph()
        root = chain(graph, "NEG")
        one, two, three = (graph.add("CONST", argument=text) for text in "123")
        pairs = (one, two), (two, three)
        assert (
            texts(graph.replay(root, *pairs, bottom_up=True, walk=True, release="0.14"))[-1]
            == "NEG(CONST:2)"
        )
        assert (
            texts(graph.replay(root, *pairs, bottom_up=True, release="0.14"))[-1] == "NEG(CONST:3)"
        )

    @pytest.mark.parametrize(
        ("release", "body", "entered"),
        [
            ("0.12", "SINK", True),
            ("0.13", "ADD", False),
            ("0.14", "SINK", False),
            ("0.14", "ADD", True),
        ],
    )
    def test_bodies_of_calls_stay_as_the_release_has_it(self, release, body, entered):
        graph = Graph()
        one, two = graph.add("CONST", argument="1"), graph.add("CONST", argument="2")
        root = graph.add("CALL", graph.add(body, one), one)
        shown = texts(graph.replay(root, (one, two), release=release))[-1]
        assert shown == f"CALL({body}(CONST:{2 if entered else 1}), CONST:2)"

    def test_bodies_are_entered_where_the_step_says_so(self):
        graph = Graph()
        one, two = graph.add("CONST", argument="1"), graph.add("CONST", argument="2")
        root = graph.add("CALL", graph.add("SINK", one), one)
        replay = graph.replay(root, (one, two), release="0.14", enter_calls=True)
        assert texts(replay)[-1] == "CALL(SINK(CONST:2), CONST:2)"

    @pytest.mark.parametrize(
        ("release", "dtype"), [("0.12", "int"), ("0.13", "int"), ("0.14", "float")]
    )
    def test_types_of_rebuilt_nodes_follow_their_operands_since_0_14(self, release, dtype):
        graph = Graph()
        one, real = (
            graph.add("CONST", argument="1"),
            graph.add("CONST", argument="1.0", dtype="float"),
        )
        replay = graph.replay(graph.add("NEG", one), (one, real), release=release)
        assert replay.nodes.dtypes[replay.root(1)] == dtype


class TestEnds:
    def test_pairs_that_lead_in_a_circle_are_said(self):
        graph = Graph()
        one, two = graph.add("CONST", argument="1"), graph.add("CONST", argument="2")
        replay = graph.replay(graph.add("NEG", one), (one, two), (two, one), bottom_up=True)
        assert written(replay.nodes, replay.root(1)) == "NEG(CONST:2)"
        with pytest.raises(EndlessError):
            replay.root(2)
        with pytest.raises(EndlessError):
            replay.root(2)
        assert replay.root(0) == 1 + one or replay.root(0) >= 0

    def test_a_node_that_becomes_a_user_of_itself_is_said(self):
        graph = Graph()
        one = graph.add("CONST", argument="1")
        replay = graph.replay(one, (one, graph.add("NEG", one)))
        with pytest.raises(EndlessError):
            replay.root(1)

    def test_wide_nodes_count_by_their_operands(self, monkeypatch):
        monkeypatch.setattr(rewriting, "MAX_MADE", 1_000)
        graph = Graph()
        old, new = (
            [graph.add("PARAM", argument=f"{side}{number}") for number in range(500)]
            for side in "ab"
        )
        replay = graph.replay(graph.add("SINK", *old), *zip(old, new, strict=True))
        assert replay.root(15)
        with pytest.raises(EndlessError, match="more than"):
            replay.root(30)

    @pytest.mark.slow
    def test_a_deep_chain_is_rewritten(self):
        graph = Graph()
        root = chain(graph, *["NEG"] * 20_000)
        one, two = graph.add("CONST", argument="1"), graph.add("CONST", argument="2")
        replay = graph.replay(root, (one, two))
        assert len(replay.below(replay.root(1))) == 20_001


def test_changes_tell_made_rebuilt_and_gone():
    graph = Graph()
    root = chain(graph, "NEG", "SIN")
    one = graph.add("CONST", argument="1")
    new = graph.add("MUL", one, graph.add("CONST", argument="3"))
    replay = graph.replay(root, (graph.add("NEG", one), new))
    change = replay.change(1)
    operation = replay.nodes.operations.__getitem__
    assert {operation(node) for node in change.changed} == {"MUL", "CONST"}
    assert sorted(operation(node) for node in change.added) == ["CONST", "MUL", "SIN"]
    assert sorted(operation(node) for node in change.removed) == ["NEG", "SIN"]


def test_a_life_is_from_the_match_that_made_a_node_to_the_one_that_removed_it():
    graph = Graph()
    one, two, three = (graph.add("CONST", argument=text) for text in "123")
    replay = graph.replay(graph.add("NEG", one), (one, two), (two, three))
    assert replay.life(0, one) == (0, 1)
    assert replay.life(1, two) == (1, 2)
    assert replay.life(2, three) == (2, 0)


def long_and_short():
    """Return a step of which the first five states are chains of a hundred nodes, and the last one of a single node."""
    graph = Graph()
    numbers = [graph.add("CONST", argument=str(number)) for number in range(6)]
    there = graph.add("PARAM")
    first, last = numbers[0], numbers[4]
    for _ in range(100):
        first, last = graph.add("NEG", first), graph.add("NEG", last)
    pairs = *pairwise(numbers[:5]), (last, numbers[5])
    return graph.replay(graph.add("SINK", there, first), *pairs), there


def test_looking_for_where_a_node_comes_from_ends_by_the_size_of_the_states_looked_at(monkeypatch):
    replay, there = long_and_short()
    assert (len(replay.below(replay.root(5))), replay.life(5, there)) == (3, (0, 0))
    monkeypatch.setattr(replays, "MAX_VISITED", 250)
    assert replay.life(5, there) == (None, 0)


def test_looking_for_where_a_node_goes_ends_by_what_is_rewritten_too(monkeypatch):
    monkeypatch.setattr(replays, "MAX_VISITED", 480)
    replay, there = long_and_short()
    assert replay.life(0, there) == (0, None)
    replay.root(5)
    assert replay.life(0, there) == (0, 0)


def test_operands_come_before_what_uses_them_from_the_first_port_on():
    graph = Graph()
    one, two = graph.add("CONST", argument="1"), graph.add("CONST", argument="2")
    root = graph.add("ADD", graph.add("MUL", two, one), one)
    assert [graph.nodes.argument_texts[node] for node in below(graph.nodes.sources, root)][:2] == [
        "2",
        "1",
    ]


@st.composite
def rewrites(draw):
    """Draw a graph with pairs that only ever lead to later leaves, so that rewriting ends."""
    graph = Graph()
    nodes = [graph.add("CONST", argument=str(number)) for number in range(6)]
    for _ in range(draw(st.integers(1, 10))):
        sources = draw(st.lists(st.sampled_from(nodes), min_size=1, max_size=2))
        nodes.append(graph.add(draw(st.sampled_from(("ADD", "MUL", "CALL"))), *sources))
    pairs = []
    for _ in range(draw(st.integers(0, 6))):
        before = draw(st.integers(0, len(nodes) - 1))
        after = draw(st.integers(0, 5))
        pairs.append((nodes[before], nodes[after]))
    return graph, nodes[-1], [(a, b) for a, b in pairs if a > 5 or a < b or a == b]


def substituted(nodes, root, pairs):
    """Return what `substitute` makes of a root, written down as the documentation says it, without any memory."""
    while root in pairs:
        root = pairs[root]
    sources = tuple(substituted(nodes, source, pairs) for source in nodes.sources[root])
    if sources == nodes.sources[root]:
        return root
    return substituted(nodes, nodes.rebuild(root, nodes.dtypes[root], sources), pairs)


@given(rewrites(), st.booleans())
def test_every_state_is_what_applying_all_pairs_anew_gives(drawn, bottom_up):
    graph, root, pairs = drawn
    replay = graph.replay(root, *pairs, bottom_up=bottom_up)
    known, begin = {}, root
    for state, (before, after) in enumerate(pairs, start=1):
        known[before] = after
        kept = {a: b for a, b in known.items() if a != b}
        expected = substituted(replay.nodes, begin, kept)
        assert replay.root(state) == expected
        begin = root if bottom_up else expected


@given(rewrites(), st.booleans(), st.sets(st.integers(1, 6)), st.permutations(range(7)))
def test_states_are_the_same_from_any_snapshots_and_in_any_order(drawn, bottom_up, kept, order):
    graph, root, pairs = drawn
    whole = graph.replay(root, *pairs, bottom_up=bottom_up)
    plain = [written(whole.nodes, whole.root(state)) for state in range(len(pairs) + 1)]
    source = graph.replay(root, *pairs, bottom_up=bottom_up)
    snapshots = []
    for state in range(1, len(pairs) + 1):
        source.root(state)
        if state in kept:
            snapshots.append(source.snapshot())
    replay = Replay(
        graph.nodes,
        whole_step(root, pairs, bottom_up),
        [one for one in snapshots if one is not None],
    )
    for state in order:
        if state <= len(pairs):
            assert written(replay.nodes, replay.root(state)) == plain[state]


def whole_step(root, pairs, bottom_up):
    return Step(root, pairs, bottom_up, walk=False, enter_calls=False, release="0.12")


def test_a_state_after_a_snapshot_rewrites_only_what_follows_it():
    graph, root, pairs = chain_of(50, 40)
    source = graph.replay(root, *pairs)
    source.root(30)
    snapshot = source.snapshot()
    replay = Replay(graph.nodes, whole_step(root, pairs, bottom_up=False), [snapshot])
    end = replay.root(32)
    assert replay.rewritten < 5 * 50
    assert replay.nodes.of_capture <= end
    # nodes that are the same are the same ones, whichever way they were come by
    assert replay.life(32, end) == (32, 33)


def chain_of(depth, matches):
    """Return a chain whose leaf is replaced by each match."""
    graph = Graph()
    leaves = [graph.add("CONST", argument=str(rank)) for rank in range(matches + 1)]
    last = leaves[0]
    for _ in range(depth):
        last = graph.add("NEG", last)
    return graph, last, [*pairwise(leaves)]
