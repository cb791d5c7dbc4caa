import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.deeploy.aliases import alias_of_views, ancestors, coinciding, view_sources
from data_loaders.deeploy.code import read_code
from data_loaders.deeploy.graph import read_graph
from tests.support.deeploy_net import TOY
from tests.support.deeploy_run import graph_bytes, network_c


def made(*rows, plan="outer", attempt=0):
    """Return blocks (name, first, last step, low, high)."""
    frame = pd.DataFrame(rows, columns=["name", "start", "last", "low", "high"])
    frame = frame.astype(dict.fromkeys(("start", "last", "low", "high"), "int64") | {"name": "str"})
    frame = frame.assign(
        attempt=attempt, block=range(len(frame)), plan=plan, constant=False, end=frame["last"] + 1
    )
    return frame.assign(address=frame["low"].astype("Int64"), size=frame["high"] - frame["low"])


def values(alias_of):
    return [None if value is pd.NA else int(value) for value in alias_of]


def test_a_view_lies_in_its_source():
    blocks = made(("a", 0, 3, 0, 8), ("b", 1, 3, 8, 16), ("c", 1, 2, 16, 24))
    assert values(alias_of_views(blocks, {"b": "a"})) == [None, 0, None]


def test_a_view_of_a_view_lies_in_the_first_source_that_is_there():
    blocks = made(("a", 0, 3, 0, 8), ("b", 1, 3, 0, 8), ("c", 2, 3, 0, 8))
    assert values(alias_of_views(blocks, {"b": "a", "c": "b"})) == [None, 0, 0]
    assert values(alias_of_views(blocks.iloc[1:], {"b": "a", "c": "b"})) == [None, 1]


def test_tiles_share_within_their_step():
    blocks = made(
        ("a", 0, 0, 0, 8), ("a", 1, 1, 0, 8), ("b", 1, 1, 0, 8), ("b", 2, 2, 0, 8), plan="inner"
    )
    assert values(alias_of_views(blocks, {"b": "a"})) == [None, None, 1, None]


def test_levels_and_constants_are_apart():
    blocks = pd.concat(
        [made(("a", 0, 3, 0, 8)), made(("b", 0, 3, 0, 8), attempt=1)], ignore_index=True
    )
    assert values(alias_of_views(blocks, {"b": "a"})) == [None, None]
    blocks = made(("a", 0, 3, 0, 8), ("b", 1, 3, 0, 8)).assign(constant=[True, False])
    assert values(alias_of_views(blocks, {"b": "a"})) == [None, None]


def test_views_in_a_circle_end():
    assert len(ancestors({"a": "b", "b": "a", "c": "c"})) == 2


def test_blocks_that_coincide_while_alive_share():
    blocks = made(
        ("a", 0, 3, 0, 8),
        ("b", 2, 5, 0, 8),
        ("c", 5, 6, 0, 8),
        ("d", 8, 9, 0, 8),
        ("e", 1, 2, 0, 16),
    )
    assert values(coinciding(blocks)) == [None, 0, 0, None, None]


def test_tiles_of_different_steps_coincide_without_sharing():
    blocks = made(("a", 0, 1, 0, 8), ("b", 1, 1, 0, 8), ("c", 1, 1, 0, 8), plan="inner")
    assert values(coinciding(blocks)) == [None, None, 1]


def test_nothing_coincides_without_size_or_address():
    blocks = made(("a", 0, 3, 0, 0), ("b", 0, 3, 0, 0))
    assert values(coinciding(blocks)) == [None, None]
    assert values(
        coinciding(
            made(("a", 0, 3, 0, 8), ("b", 0, 3, 0, 8)).assign(
                address=pd.array([pd.NA] * 2, dtype="Int64")
            )
        )
    ) == [None, None]
    assert values(coinciding(made())) == []


def test_code_knows_better_than_the_graph():
    graph, code = read_graph(graph_bytes(), "g"), read_code([network_c().encode()])
    copied = read_code([network_c().replace("DeeployNetwork_t1 = DeeployNetwork_t0;", "").encode()])
    assert view_sources(None, None) is None
    assert view_sources(None, graph) == TOY.views
    assert view_sources(code, None) == TOY.views
    assert view_sources(copied, graph) == {}


def test_code_that_was_cut_does_not_know_all():
    cut = network_c()
    code = read_code([cut[: cut.index("DeeployNetwork_t1 = DeeployNetwork_t0")].encode()])
    assert view_sources(code, read_graph(graph_bytes(), "g")) == TOY.views


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)),
        max_size=12,
    )
)
def test_coinciding_blocks_have_the_place_and_time_of_their_target(rows):
    blocks = made(
        *[("t", first, first + more, 8 * low, 8 * (low + size)) for first, more, low, size in rows]
    )
    alias_of = coinciding(blocks)
    for row in alias_of.dropna().index:
        target = alias_of[row]
        assert blocks.loc[row, "address"] == blocks.loc[target, "address"]
        assert blocks.loc[row, "size"] == blocks.loc[target, "size"]
        assert alias_of.isna()[target]
