"""What an attempt poses: storages, fixed blocks, sums that fit, and the bound."""

import numpy as np
import pytest
from hypothesis import given

from analysis.allocators.components import components
from analysis.allocators.pairs import pairs
from analysis.allocators.sections import compute_bound, sections, uses
from tests.support.memory import block, constant, failed
from tests.support.numbers_in_text import numbers_in
from tests.support.placements import LENGTH, least_extent, problem, problems


def least(rows, fixed=None, **columns):
    return compute_bound(problem(rows, fixed, **columns))


def sentence(rows, fixed, **columns):
    """Return what is said about blocks that cannot be fixed so."""
    with pytest.raises(ValueError, match=r"\w") as caught:
        problem(rows, fixed, **columns)
    assert "\n" not in str(caught.value)
    return str(caught.value)


class TestProblem:
    def test_constants_are_left_out_and_failed_blocks_are_not(self):
        posed = problem(
            [constant("c"), failed("f", 0, 1), block("a", 0, 1, address=0)],
            capacity=640,
            static_bytes=64,
        )
        assert posed.block.tolist() == [1, 2]
        assert (posed.capacity, posed.static_bytes, posed.label) == (640, 64, "attempt 0")

    @pytest.mark.slow
    def test_windows_are_known(self):
        assert problem([block(gaps="1-2@0:4", end=3)]).windows
        assert not problem([block(gaps="1-2", end=3)]).windows

    def test_too_many_lifetimes_are_refused(self, monkeypatch):
        monkeypatch.setattr("analysis.allocators.problem.MAX_PARTS", 2)
        assert numbers_in(sentence([block()] * 3, {})) == ["0", "3", "2"]

    def test_sums_beyond_int64_are_refused(self):
        assert "2^62 bytes" in sentence([block(size=2**61)] * 2, {})
        assert "2^62 bytes" in sentence([block(size=8, alignment=2**61)] * 2, {})
        assert "2^62 bytes" in sentence([block(size=8)], {0: 2**62})


class TestFixed:
    def test_a_block_stays_at_an_address_or_where_it_lies(self):
        rows = [block("a", 0, 2, address=128), block("b", 0, 2, address=0), block("c", 0, 2)]
        assert problem(rows, {0: None, 2: 512}).fixed.tolist() == [128, -1, 512]

    def test_an_alias_fixes_its_storage(self):
        rows = [block("a", 0, 2, address=64), block("v", 1, 3, alias_of=0)]
        assert problem(rows, {1: None}).fixed.tolist() == [64]
        assert problem(rows, {0: 256, 1: 256}).fixed.tolist() == [256]

    @pytest.mark.slow
    def test_what_cannot_be_fixed_is_said(self):
        rows = [constant("c"), block("a", 0, 2), failed("f", 0, 2), block("v", 1, 3, alias_of=1)]
        assert numbers_in(sentence(rows, {9: 0})) == ["0", "9"]
        assert numbers_in(sentence(rows, {0: 0})) == ["0"]
        assert "constant" in sentence(rows, {0: 0})
        assert numbers_in(sentence(rows, {1: None})) == ["1", "1"]
        assert numbers_in(sentence(rows, {2: None}))[0] == "2"
        assert numbers_in(sentence(rows, {1: -4})) == ["1", "-4", "0", "2", "62"]
        assert numbers_in(sentence(rows, {1: 2**70}))[0] == "1"
        assert numbers_in(sentence(rows, {1: 0, 3: 64})) == ["3"]
        assert numbers_in(sentence(rows, {1: 8}, align_bytes=64)) == ["1", "8", "64 bytes"]

    def test_two_in_each_other_s_way_are_named(self):
        rows = [block("a", 0, 2), block("b", 1, 3), block("c", 3, 4)]
        assert numbers_in(sentence(rows, {1: 0, 0: 63})) == ["0", "1"]
        assert problem(rows, {0: 0, 1: 64, 2: 32}).fixed.tolist() == [0, 64, 32]

    @pytest.mark.slow
    def test_a_gap_leaves_room_for_another_that_is_fixed(self):
        rows = [block("g", 0, 6, gaps="2-4"), block("in", 2, 4), block("out", 3, 5)]
        assert problem(rows, {0: 0, 1: 0}).fixed.tolist() == [0, 0, -1]
        assert numbers_in(sentence(rows, {0: 0, 2: 0})) == ["0", "2"]


class TestBound:
    @pytest.mark.slow
    @given(problems(blocks=6, most=4))
    def test_no_placement_is_below_it(self, rows):
        assert least(rows, length=LENGTH) <= least_extent(rows)

    def test_it_is_the_most_bytes_alive_at_once(self):
        assert (
            least(
                [block(size=5, end=2), block(size=7, start=1, end=3), block(size=9, start=2, end=3)]
            )
            == 16
        )

    def test_an_alias_counts_once_and_with_the_larger_size(self):
        rows = [
            block("a", 0, 2, size=8),
            block("v", 1, 3, size=12, alias_of=0),
            block("b", 0, 1, size=5),
        ]
        assert least(rows) == 13

    def test_sizes_count_rounded_up_but_for_one(self):
        assert (
            least(
                [block(size=5, alignment=8), block(size=5, alignment=8), block(size=3, alignment=1)]
            )
            == 13
        )
        assert least([block(size=5, alignment=8), block(size=6, alignment=8)]) == 13

    def test_rounding_holds_where_sections_are_too_many_to_look_at_each(self, monkeypatch):
        monkeypatch.setattr("analysis.allocators.sections.MAX_PLACES", 1)
        assert least([block(size=5, alignment=8), block(size=6, alignment=8)]) == 13

    def test_the_highest_fixed_block_counts(self):
        assert least([block(size=5), block(size=5, start=3, end=4)], {1: 100}) == 105


class TestUses:
    @pytest.mark.slow
    @given(problems())
    def test_a_storage_is_used_once_in_each_section_for_all_that_lives_in_it(self, rows):
        posed = problem(rows, length=LENGTH)
        cut = sections(posed)
        found = uses(posed, cut)
        use, section = found.per_section()
        made = {
            (int(storage), int(at)): (int(bottom), int(size))
            for storage, at, bottom, size in zip(
                found.storage[use], section, found.bottom[use], found.size[use], strict=True
            )
        }
        assert len(made) == len(use)
        wanted, plain = posed.demand, {}
        for part in range(len(wanted.storage)):
            bottom, size = int(wanted.bottom[part]), int(wanted.top[part] - wanted.bottom[part])
            for at in range(int(cut.first[part]), int(cut.last[part])):
                key = int(wanted.storage[part]), at
                lowest, most = plain.get(key, (bottom, size))
                plain[key] = min(lowest, bottom), max(most, size)
        assert made == plain

    def test_blocks_with_gaps_share_nothing_with_one_that_lives_long_before_them(self, monkeypatch):
        monkeypatch.setattr("analysis.allocators.sections._merge_uses", None)
        posed = problem(
            [
                block("long", 0, 9),
                block("g", 0, 9, gaps="2-4"),
                block("h", 1, 8, gaps="3-5"),
                block(end=4),
            ]
        )
        assert uses(posed, sections(posed)).storage.tolist().count(1) == 2


class TestComponents:
    def test_stretches_that_nothing_spans_are_apart(self):
        posed = problem(
            [block(end=2), block(start=1, end=3), block(start=3, end=5), block(start=7, end=9)]
        )
        cut = sections(posed)
        assert [part.storage.tolist() for part in components(posed, cut, uses(posed, cut))] == [
            [0, 1],
            [2],
            [3],
        ]

    def test_what_is_fixed_joins_nothing_but_is_in_the_way(self):
        posed = problem(
            [block(end=4, size=8), block(end=2, size=4), block(start=2, end=4, size=4)], {0: 0}
        )
        cut = sections(posed)
        parts = components(posed, cut, uses(posed, cut))
        assert [part.storage.tolist() for part in parts] == [[1], [2]]
        assert [part.barrier_low.tolist() + part.barrier_high.tolist() for part in parts] == [
            [-4, 8]
        ] * 2
        assert [part.taken_high.tolist() for part in parts] == [[8], [8]]

    def test_pairs_know_how_far_apart_they_are_in_either_order(self):
        rows = [
            block("a", 0, 2, size=8),
            block("v", 1, 3, size=12, alias_of=0),
            block("b", 0, 1, size=5),
        ]
        assert np.stack(pairs(problem(rows))).T.tolist() == [[0, 1, 8, 5], [1, 0, 5, 8]]
