"""The sentence about the allocations of a compiled module."""

import pytest

from analysis.memory.allocation_totals import AllocationTotals
from components.memory.allocation_words import allocations_sentence
from components.numbers import size

KIND_SIZES = {"preallocated_temp": 1024, "parameter": 4096, "thread_local": 8}
TOTAL = sum(KIND_SIZES.values())


@pytest.mark.parametrize("stated", [None, TOTAL])
def test_the_largest_kind_comes_first_and_one_memory_space_is_left_out(stated):
    sentence = allocations_sentence(AllocationTotals(TOTAL, stated, KIND_SIZES, {0: TOTAL}))
    assert sentence.startswith(f"{size(TOTAL)} in all: ")
    places = [sentence.index(f" {size(part)}") for part in (4096, 1024, 8)]
    assert places == sorted(places)
    assert "memory space" not in sentence
    assert sentence.count(size(TOTAL)) == 1


def test_memory_spaces_are_named_by_number():
    spaces = {0: 4096, 5: 1032}
    sentence = allocations_sentence(AllocationTotals(TOTAL, None, KIND_SIZES, spaces))
    assert all(
        f"{size(part)} in memory space {color}" in sentence for color, part in spaces.items()
    )
    assert "memory space 5" in allocations_sentence(
        AllocationTotals(8, None, {"output": 8}, {5: 8})
    )


def test_another_total_of_xla_is_named():
    sentence = allocations_sentence(AllocationTotals(TOTAL, 2 * TOTAL, KIND_SIZES, {0: TOTAL}))
    assert size(2 * TOTAL) in sentence
