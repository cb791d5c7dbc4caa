import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.memory.compare import compare_blocks, compare_metrics
from schema.attempt_metrics import ATTEMPT_METRICS
from tests.support.memory import amap, block, failed


def row(a, b, name):
    found = compare_metrics(amap(a, capacity=1024), amap(b, capacity=1024)).set_index("metric")
    return found.loc[name]


def changes(a, b):
    found = compare_blocks(amap(a), amap(b))
    return dict(zip(found["name"], found["change"], strict=True))


class TestMetrics:
    def test_every_registered_number_has_a_row_with_its_words(self):
        found = compare_metrics(amap([block(address=0)]), amap([block(address=0)]))
        assert found["metric"].tolist() == list(ATTEMPT_METRICS)
        assert found["label"].tolist() == [metric.label for metric in ATTEMPT_METRICS.values()]
        assert found["unit"].tolist() == [metric.unit for metric in ATTEMPT_METRICS.values()]
        assert found["polarity"].tolist() == [
            metric.polarity for metric in ATTEMPT_METRICS.values()
        ]
        assert (found["delta"].dropna() == 0).all()

    def test_a_delta_is_from_a_to_b(self):
        extent = row([block(address=0, size=64)], [block(address=0, size=96)], "extent")
        assert (extent["a"], extent["b"], extent["delta"], extent["ratio"]) == (64, 96, 32, 1.5)

    def test_what_is_not_known_has_no_delta(self):
        waste = row([block(address=0)], [failed()], "waste")
        assert waste["a"] == 0
        assert math.isnan(waste["b"])
        assert math.isnan(waste["delta"])

    def test_there_is_no_ratio_to_nothing(self):
        found = row([block(address=0)], [block(address=0), failed()], "failed")
        assert found["delta"] == 1
        assert math.isnan(found["ratio"])


class TestBlocks:
    def test_each_change_has_its_name(self):
        a = [
            block("same", 0, 2, 0),
            block("moved", 0, 2, 64),
            block("resized", 0, 2, 128),
            block("relived", 0, 2, 192),
            block("lost its place", 0, 2, 256),
            block("gone", 0, 2, 320),
        ]
        b = [
            block("new", 0, 2, 0),
            block("same", 0, 2, 0),
            block("moved", 0, 2, 0),
            block("resized", 0, 1, 0, 128),
            block("relived", 1, 2, 0),
            failed("lost its place", 0, 2),
        ]
        assert changes(a, b) == {
            "same": "same",
            "moved": "moved",
            "resized": "resized",
            "relived": "relived",
            "lost its place": "moved",
            "gone": "removed",
            "new": "added",
        }

    def test_rows_are_those_of_a_in_order_then_what_is_added(self):
        assert list(changes([block("z"), block("a")], [block("n"), block("b"), block("a")])) == [
            "z",
            "a",
            "n",
            "b",
        ]

    def test_equals_are_told_by_their_rank(self):
        found = compare_blocks(
            amap([block("t", size=1), block("t", size=2)]), amap([block("t", size=1)])
        )
        assert found[["change", "size_a"]].to_numpy().tolist() == [["same", 1], ["removed", 2]]

    def test_another_kind_is_another_block(self):
        assert compare_blocks(amap([block("t", kind="weight")]), amap([block("t")]))[
            "change"
        ].tolist() == ["removed", "added"]

    def test_held_is_another_life(self):
        assert changes([block("t", 0, 2, 0)], [block("t", 0, 2, 0, hold=True)]) == {"t": "relived"}

    @pytest.mark.slow
    def test_other_gaps_are_another_life(self):
        whole, gap, other = (block("t", 0, 5, 0, gaps=gaps) for gaps in ("", "1-2", "2-3"))
        assert changes([whole], [gap]) == changes([gap], [other]) == {"t": "relived"}
        assert changes([gap], [gap]) == {"t": "same"}

    def test_values_are_of_both(self):
        found = compare_blocks(
            amap([block("t", 0, 2, 0)]), amap([block("t", 1, 3, None, 32)])
        ).iloc[0]
        assert (
            found["size_a"],
            found["size_b"],
            found["address_a"],
            found["start_b"],
            found["end_b"],
        ) == (64, 32, 0, 1, 3)
        assert found["address_b"] is pd.NA

    def test_large_numbers_stay_exact(self):
        found = compare_blocks(amap([block("t", size=2**61 + 1)]), amap([]))
        assert found["size_a"].tolist() == [2**61 + 1]

    def test_nothing_against_nothing(self):
        assert len(compare_blocks(amap([]), amap([]))) == 0


blocks = st.lists(
    st.builds(
        block,
        st.sampled_from("abc"),
        st.integers(0, 2),
        st.integers(3, 5),
        st.sampled_from([None, 0, 64]),
    ),
    max_size=8,
)


@pytest.mark.slow
@given(blocks, blocks)
def test_every_block_is_in_one_row_and_turning_round_turns_the_changes(one, other):
    a, b = amap(one), amap(other)
    there, back = compare_blocks(a, b), compare_blocks(b, a)
    assert there["size_a"].notna().sum() == len(one)
    assert there["size_b"].notna().sum() == len(other)
    turned = {"added": "removed", "removed": "added"}
    wanted = sorted(turned.get(change, change) for change in there["change"])
    assert sorted(back["change"]) == wanted


@pytest.mark.slow
@given(blocks)
def test_a_map_against_itself_is_the_same(one):
    assert set(compare_blocks(amap(one), amap(one))["change"]) <= {"same"}
