"""Captions of maps whose blocks are not listed, and of blocks that share addresses."""

import re

from analysis.memory.selection import MemorySelection
from components.memory.captions import live_caption
from components.memory.listed_blocks import are_unlisted, used_bytes
from components.memory.packing_caption import packing_caption
from components.memory.step_captions import alive_caption, peak_caption, timesteps_caption
from tests.support import memory

SHARED = (
    memory.block("a", 0, 2, address=0, size=100),
    memory.block("b", 0, 2, address=50, size=100),
    memory.block("c", 1, 3, address=200, size=50),
)


def numbers(sentence):
    return [
        int(digits) for digits in re.findall(r"\d+", re.sub(r"(?<=\d)\s(?=\d{3})", "", sentence))
    ]


def test_a_map_without_listed_blocks_counts_none():
    amap = memory.amap([memory.constant("w", 0, 64)])
    amap.attempt["extent"] = 7936
    assert are_unlisted(amap)
    assert packing_caption(amap, {"best fit": 0}) == ""
    for sentence in (alive_caption(amap, 0), live_caption([amap], MemorySelection())):
        assert "not listed" in sentence
        assert numbers(sentence)[-1] == 7936


def test_blocks_that_share_addresses_take_their_union():
    amap = memory.amap(SHARED, capacity=400)
    assert not are_unlisted(amap)
    assert [used_bytes(amap, step) for step in range(3)] == [150, 200, 50]
    assert numbers(alive_caption(amap, 1))[1:5] == [3, 250, 200, 400]
    assert "50.0" in alive_caption(amap, 1)
    assert numbers(live_caption([amap], MemorySelection()))[:3] == [1, 250, 200]
    apart = memory.amap([memory.block("a", 0, 2, address=0, size=100)], capacity=400)
    assert "of addresses" not in alive_caption(apart, 0)
    assert "share" not in live_caption([apart], MemorySelection())


def test_without_blocks_no_step_is_called_the_peak():
    amap = memory.amap([memory.failed("a", 0, 2, size=100)], capacity=64)
    sentence = alive_caption(amap, 0, chosen=False)
    assert "peak" not in sentence
    assert numbers(sentence) == [100]


def test_a_single_block_at_the_peak_has_no_number():
    amap = memory.amap([memory.block("a", 0, 2, address=0, size=100)], capacity=400)
    assert "the block alive" in peak_caption(amap)


def test_steps_without_cycles_hide_no_transfers():
    amap = memory.amap([memory.block("a", 0, 2, address=0, size=100)], steps=memory.steps(["x"]))
    amap.steps[["gdma_cycles", "layer_cycles"]] = 0
    assert numbers(timesteps_caption(amap, MemorySelection())) == []
