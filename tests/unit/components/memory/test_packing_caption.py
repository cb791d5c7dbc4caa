"""Caption of the built-in allocators: bytes against the extent, or against the capacity."""

from components.memory.packing_caption import packing_caption
from tests.support import memory
from tests.support.memory import block
from tests.support.numbers_in_text import numbers_in
from tests.support.sentences import plain

NEEDS = {"best fit": 400, "first fit": 700, "last fit": 1800}


def numbers(amap, *more):
    return numbers_in(plain(packing_caption(amap, NEEDS, *more)))


def test_needs_are_compared_with_the_extent_of_what_was_placed():
    placed = memory.amap([block("a", 0, 2, address=0, size=300)])
    assert numbers(placed)[:6] == ["400 B", "100 B", "700 B", "400 B", "1800 B", "1500 B"]
    assert packing_caption(placed, {}) == ""


def test_of_a_failed_attempt_it_says_which_would_fit_into_the_room():
    failed = memory.amap([memory.failed(size=32)], capacity=1100, static_bytes=100)
    assert numbers(failed, {"best fit": 3, "last fit": 1})[:7] == [
        "400 B",
        "1000 B",
        "3",
        "700 B",
        "1000 B",
        "1800 B",
        "800 B",
    ]


def test_if_none_fits_the_bytes_too_many_follow():
    failed = memory.amap([memory.failed(size=32)], capacity=300, static_bytes=0)
    assert numbers(failed)[:4] == ["3", "300 B", "400 B", "100 B"]
