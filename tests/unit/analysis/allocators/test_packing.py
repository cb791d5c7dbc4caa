import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.allocators.packing import MAX_PARTS, PACKERS, needs, pack_map
from tests.support.memory import amap, block, constant, failed, steps, uses
from tests.support.placements import LENGTH, bytes_at, problems, root

every_packer = pytest.mark.parametrize("name", PACKERS)


def addresses(rows, name, **columns):
    """Return name -> new address."""
    made = pack_map(amap(rows, **columns), name).blocks
    return dict(zip(made["name"], made["address"].tolist(), strict=True))


class TestPacked:
    @pytest.mark.slow
    @given(problems(), st.sampled_from(sorted(PACKERS)))
    def test_no_byte_is_used_twice_and_alignment_is_kept(self, rows, name):
        made = pack_map(amap(rows, length=LENGTH), name).blocks
        at = made["address"].tolist()
        owners = {}
        for rank, row in enumerate(rows):
            assert at[rank] >= 0
            assert at[rank] == at[root(rows, rank)]
            assert at[rank] % (row["alignment"] or 1) == 0
            for step in range(LENGTH):
                for offset in bytes_at(row, step):
                    owner = owners.setdefault((step, at[rank] + offset), root(rows, rank))
                    assert owner == root(rows, rank)

    @pytest.mark.slow
    @given(problems(), st.sampled_from(sorted(PACKERS)))
    def test_extent_is_the_highest_byte_and_never_below_the_bound(self, rows, name):
        asked = amap(rows, length=LENGTH)
        made = pack_map(asked, name)
        parts = made.segments
        highest = max(parts.high, default=0)
        assert (made.whole("extent") or 0) == highest
        assert (made.whole("extent") or 0) >= asked.whole("bound") == made.whole("bound")

    @pytest.mark.slow
    @given(problems())
    def test_needs_are_the_extents(self, rows):
        asked = amap(rows, length=LENGTH)
        assert needs(asked) == {
            name: pack_map(asked, name).whole("extent") or 0 for name in PACKERS
        }

    @every_packer
    def test_what_never_lives_at_once_shares_addresses(self, name):
        assert addresses([block("a", 0, 1), block("b", 1, 2)], name) == {"a": 0, "b": 0}

    @every_packer
    def test_a_wrap_is_alive_at_both_ends_and_not_between(self, name):
        rows = [
            block("w", 3, 1, wraps=True, size=64),
            block("first", 0, 1, size=32),
            block("between", 1, 3, size=32),
        ]
        assert addresses(rows, name) == {"w": 0, "first": 64, "between": 0}

    @pytest.mark.slow
    @every_packer
    def test_a_gap_is_room_for_others(self, name):
        rows = [
            block("g", 0, 4, size=64, gaps="1-3@0:16"),
            block("in", 1, 3, size=32),
            block("out", 0, 4, size=8),
        ]
        found = addresses(rows, name)
        assert found["g"] == 0
        assert found["in"] in (16, 24)

    @every_packer
    def test_an_inner_block_has_its_step_alone(self, name):
        rows = [block("tile", 0, 2, plan="inner"), block("next", 1, 3, plan="inner")]
        assert addresses(rows, name) == {"tile": 0, "next": 0}

    @every_packer
    def test_failed_blocks_are_placed_and_constants_stay(self, name):
        made = pack_map(
            amap([constant("c", address=0), failed("f", 0, 1), block("p", 0, 1, address=512)]), name
        )
        assert made.blocks["address"].tolist() == [0, 0, 64]
        assert made.blocks["status"].tolist() == ["placed"] * 3
        assert made.whole("failed") == 0

    @every_packer
    def test_a_view_lies_in_its_target_even_through_another_view(self, name):
        rows = [
            block("a", 0, 2),
            block("v", 1, 3, alias_of=0),
            block("vv", 3, 4, alias_of=1),
            block("b", 3, 4),
        ]
        made = pack_map(amap(rows), name).blocks
        assert made["address"].tolist()[:3] == [0, 0, 0]
        assert made["status"].tolist() == ["placed", "shared", "shared", "placed"]
        assert made["address"].iloc[3] == 64

    @every_packer
    def test_the_hardware_s_alignment_holds_where_a_block_asks_for_none(self, name):
        rows = [
            block("a", 0, 1, size=65),
            block("b", 0, 1, size=5, alignment=1),
            block("c", 0, 1, size=3),
        ]
        found = addresses(rows, name, align_bytes=64)
        assert found == {"a": 0, "b": 65, "c": 128}

    @every_packer
    def test_what_is_empty_or_never_lives_is_no_trouble(self, name):
        rows = [block("empty", 0, 1, size=0), block("never", 2, 2), block("a", 0, 3)]
        assert addresses(rows, name) == {"empty": 0, "never": 0, "a": 0}

    @every_packer
    @pytest.mark.parametrize("rows", [[], [constant()]])
    def test_nothing_to_place_is_no_trouble(self, rows, name):
        assert len(pack_map(amap(rows), name).blocks) == len(rows)

    @every_packer
    def test_the_capacity_is_no_limit(self, name):
        made = pack_map(amap([block("a", 0, 1), block("b", 0, 1)], capacity=64), name)
        assert made.attempt["utilization"] == 2

    @every_packer
    def test_numbers_are_of_the_new_places(self, name):
        asked = amap(
            [block("a", 0, 1, address=0), block("b", 1, 2, address=640)],
            reported_bytes=704,
            capacity=128,
        )
        made = pack_map(asked, name)
        numbers = {
            key: made.attempt[key]
            for key in ("outcome", "strategy", "extent", "bound", "waste", "utilization")
        }
        assert numbers == {
            "outcome": "solved", "strategy": name, "extent": 64, "bound": 64, "waste": 0, "utilization": 0.5
        }  # fmt: skip
        assert made.whole("reported_bytes") is None
        assert made.occupancy["high_water"].tolist() == [64, 64]
        assert asked.blocks["address"].tolist() == [0, 640]

    @every_packer
    def test_steps_and_uses_stay(self, name):
        asked = amap([block("a", 0, 1)], steps=steps(["conv"]), uses=uses([(0, 0, 0, "w")]))
        made = pack_map(asked, name)
        assert made.steps is asked.steps
        assert made.uses is asked.uses

    def test_another_name_raises(self):
        with pytest.raises(KeyError):
            pack_map(amap([block()]), "worst_fit")

    @every_packer
    def test_addresses_do_not_run_over(self, name):
        asked = amap([block("a", 0, 1, size=1, alignment=2**61)] * 3)
        with pytest.raises(ValueError, match=r"^attempt 0 .* sizes"):
            pack_map(asked, name)

    def test_too_many_lifetimes_are_refused_with_a_sentence(self, monkeypatch):
        monkeypatch.setattr("analysis.allocators.packing.MAX_PARTS", 2)
        assert MAX_PARTS > 62_185
        with pytest.raises(ValueError, match=r"^attempt 0 .* 3 lifetimes.* 2\b"):
            pack_map(amap([block()] * 3), "best_fit")


class TestOrder:
    ROWS = (
        block("early", 0, 2, size=16), block("large", 1, 4, size=64), block("late", 2, 4, size=32),
    )  # fmt: skip

    def test_best_fit_begins_with_the_largest(self):
        assert addresses(self.ROWS, "best_fit") == {"early": 64, "large": 0, "late": 64}

    def test_first_fit_begins_with_the_earliest(self):
        assert addresses(self.ROWS, "first_fit") == {"early": 0, "large": 16, "late": 80}

    @pytest.mark.slow
    def test_best_fit_takes_the_tightest_gap_and_first_fit_the_lowest(self):
        holes = [
            block("p", 0, 2, size=100), block("q", 0, 4, size=90), block("r", 0, 2, size=80), block("s", 0, 4, size=70),
        ]  # fmt: skip
        rows = [*holes, block("fits", 2, 4, size=60)]
        assert addresses(rows, "best_fit")["fits"] == 190
        assert addresses(rows, "first_fit")["fits"] == 0
