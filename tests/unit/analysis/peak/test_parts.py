"""Parts of a peak sum to it exactly, on drawn maps and on maps with every kind of block."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.memory.attempt_map import MapFacts
from analysis.peak.contents import PARTS
from analysis.peak.parts import EXTENT, LIVE, peak_parts
from tests.support.memory import amap, block, constant, failed
from tests.support.peak_maps import drawn_plan

KINDS = ("activation", "weight", "operation", "variable", "transient", "buffer")


@st.composite
def drawn_maps(draw):
    """Return a map of blocks that may overlap, wrap, be held, have gaps or no place."""
    rows = []
    for at in range(draw(st.integers(1, 8))):
        start = draw(st.integers(0, 5))
        wraps = draw(st.booleans()) and start > 0
        end = draw(st.integers(0, start)) if wraps else draw(st.integers(start, 6))
        address = draw(st.none() | st.integers(0, 400))
        given = {"kind": draw(st.sampled_from(KINDS)), "wraps": wraps, "hold": draw(st.booleans())}
        given |= {"alignment": draw(st.sampled_from([None, 1, 64]))}
        given |= {"tensor_bytes": draw(st.none() | st.integers(1, 300))}
        given |= {"plan": draw(st.sampled_from([None, "inner", "outer"]))}
        if draw(st.booleans()):
            given["gaps"] = f"{start + 1}-{start + 2}"
        rows.append(block(f"t{at}", start, end, address, draw(st.integers(0, 300)), **given))
    if draw(st.booleans()):
        rows.append(failed("failed", 0, 2))
    return amap(rows, length=7, static_bytes=draw(st.sampled_from([0, 96])))


@pytest.mark.slow
@given(drawn_maps(), st.booleans())
def test_parts_sum_to_the_peak(shown, placed):
    shown = shown if placed else replace(shown, facts=MapFacts(addressed=False))
    found = peak_parts(shown)
    if found is None:
        return
    assert tuple(found.parts) == PARTS
    assert min(found.parts.values()) >= 0
    assert sum(found.parts.values()) == found.peak
    if found.kind == EXTENT:
        assert found.peak == shown.whole("static_bytes") + shown.whole("extent")


@pytest.mark.parametrize("seed", range(5))
def test_a_live_peak_is_that_of_the_attempt(seed):
    shown = drawn_plan(seed, placed=False).shown
    found = peak_parts(shown)
    assert (found.kind, found.peak, found.step) == (
        LIVE,
        shown.whole("live_peak"),
        shown.whole("peak_step"),
    )


def test_each_part_of_a_placed_peak():
    rows = [constant(size=64), block("w", 0, 2, 0, 100, kind="weight")]
    rows.append(block("a", 0, 2, 128, 80, alignment=64, tensor_bytes=70))
    rows.append(block("s", 0, 1, 256, 50, kind="transient", alignment=1))
    rows.append(block("b", 0, 1, 306, 10, kind="buffer"))
    rows.append(block("top", 1, 2, 356, 20))
    found = peak_parts(amap(rows, static_bytes=64))
    assert (found.peak, found.step, found.blocks) == (64 + 376, 0, 4)
    assert found.parts == {
        "persistent": 64 + 100,
        "intermediate": 70,
        "scratch": 50,
        # Between `a` and `s`, whose alignment needs no gap, and above `b` up to the extent.
        "placement": 48 + 60,
        # Below `a`, which begins at a multiple of 64, and the rounding of its size.
        "alignment": 28 + 10,
        "unknown": 10,
    }


def test_bytes_that_only_the_allocator_counted_are_unknown():
    facts = MapFacts(addressed=True, allocator=True)
    shown = replace(amap([block("a", 1, 3, 0, 64, kind="buffer")], length=4), facts=facts)
    found = peak_parts(shown, 100)
    assert (found.peak, found.parts["intermediate"], found.parts["unknown"]) == (100, 64, 36)


@pytest.mark.parametrize(
    ("start", "end", "part"), [(0, 4, "persistent"), (1, 3, "intermediate"), (1, 4, "unknown")]
)
def test_buffers_of_a_recording_are_known_by_their_lives(start, end, part):
    shown = amap([block("a", start, end, None, 64, kind="buffer")], length=4)
    found = peak_parts(replace(shown, facts=MapFacts(addressed=False, devices=True)))
    assert {name for name, size in found.parts.items() if size} == {part}


def test_a_map_without_blocks_has_no_peak():
    assert peak_parts(amap([])) is None


def test_parts_are_plain_numbers():
    found = peak_parts(amap([block("a", 0, 2, 0, 64)]))
    assert json.dumps(found.parts)
    assert not any(isinstance(size, np.integer) for size in found.parts.values())
