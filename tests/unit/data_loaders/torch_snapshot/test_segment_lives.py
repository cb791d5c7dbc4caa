"""Lifetimes of segments: reserved, given back, mapped in parts, and known only from the end."""

import numpy as np
import pytest

from tests.support.torch_snapshots import BASE, alloc, entry, read, segment

PAGE = 4096


def rows(reading, *columns):
    return reading.frames["memory_segments"][[*columns]].to_numpy().tolist()


def lives(segments, *trace):
    """Return offset, pages, begin and end of each segment of a device."""
    found = rows(read(segments, list(trace)), "device_address", "size", "start", "end")
    return [[(low - BASE) // PAGE, size // PAGE, *life] for low, size, *life in found]


def test_a_segment_lives_from_its_entry_to_that_which_gave_it_back():
    trace = (
        entry("segment_alloc", 8192, PAGE),
        alloc(8192, 512),
        entry("segment_free", 8192, PAGE),
        entry("segment_alloc", 8192, PAGE),
    )
    assert lives([segment(address=BASE + 8192)], *trace) == [[2, 1, 0, 2], [2, 1, 3, 4]]


def test_segments_without_an_entry_were_there_before():
    trace = (alloc(0, 512), entry("segment_free", 8 * PAGE, PAGE))
    assert lives([segment()], *trace) == [[0, 1, 0, 2], [8, 1, 0, 1]]


def test_a_mapped_segment_shrinks_in_parts():
    trace = (
        entry("segment_map", 0, 3 * PAGE),
        entry("segment_map", 3 * PAGE, PAGE),
        entry("segment_unmap", PAGE, PAGE),
        alloc(0, 512),
    )
    assert lives([segment()], *trace) == [[0, 1, 0, 4], [1, 1, 0, 2], [2, 1, 0, 4], [3, 1, 1, 4]]


def test_a_range_that_spans_several_is_given_back_whole():
    trace = (
        entry("segment_map", 0, PAGE),
        entry("segment_map", 2 * PAGE, PAGE),
        entry("segment_unmap", 0, 4 * PAGE),
    )
    # The pages between them were there before the first entry.
    assert lives([], *trace) == [[0, 1, 0, 2], [1, 1, 0, 2], [3, 1, 0, 2], [2, 1, 1, 2]]


def test_a_segment_reserved_twice_lost_the_entry_that_gave_it_back():
    trace = (entry("segment_alloc", 0, PAGE), entry("segment_alloc", 0, PAGE))
    assert lives([segment()], *trace) == [[0, 1, 0, 1], [0, 1, 1, 2]]


def test_a_range_ends_at_the_last_address():
    last = 2**64 - PAGE - BASE
    trace = (
        alloc(0, 512),
        entry("segment_map", last, 8 * PAGE),
        entry("segment_unmap", last, 8 * PAGE),
    )
    found = rows(read([segment()], list(trace)), "device_address", "size")
    assert found == [[BASE, PAGE], [-PAGE, PAGE]]


def test_pool_and_line_of_the_first_block_are_named():
    trace = [entry("segment_alloc", 0, PAGE), alloc(0, 512)]
    kept = segment() | {"segment_pool_id": (1, 0)}
    assert rows(read([kept], trace), "device", "pool", "name") == [
        ["cuda:0", "pool 1,0", "model.py:31 forward"]
    ]
    assert rows(read([], trace), "pool") == [["given back"]]


@pytest.mark.parametrize("stride", [3, 7, 11])
def test_segments_add_up_to_the_reserved_bytes(stride):
    held = []
    trace = [alloc(0, 512)]
    for number in range(60):
        place = (1 + number * stride % 40) * PAGE
        if number % 3 == 2 or place in held:
            trace.append(entry("segment_free", held.pop(number % len(held)), PAGE))
        else:
            held.append(place)
            trace.append(entry("segment_alloc", place, PAGE))
    reading = read([segment(), *(segment(address=BASE + place) for place in held)], trace)
    found = reading.frames["memory_segments"]
    steps = np.arange(len(trace))[:, None]
    is_there = (found["start"].to_numpy() <= steps) & (steps < found["end"].to_numpy())
    reserved = (is_there * found["size"].to_numpy()).sum(axis=1)
    device = reading.frames["device_memory"].iloc[0]
    assert (reserved.max(), reserved[-1]) == (device["peak_reserved"], device["end_reserved"])
