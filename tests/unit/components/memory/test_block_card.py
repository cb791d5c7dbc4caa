import json
import re
from dataclasses import replace

import pytest

from components.memory.block_card import block_card
from tests.support import memory
from tests.support.numbers_in_text import numbers_in, without_numbers

HOSTILE = "</script><b>%{x} & $"


def words(component):
    """Return the text that a component shows, parts joined by blanks."""
    if component is None or isinstance(component, str | int | float):
        return str(component or "")
    if isinstance(component, list | tuple):
        return " ".join(filter(None, map(words, component)))
    return words(getattr(component, "children", None))


def read(component):
    return " ".join(words(component).replace("\u202f", " ").split())


def facts(card):
    (listing,) = [part for part in card.children if type(part).__name__ == "Dl"]
    terms = [read(part) for part in listing.children]
    return dict(zip(terms[::2], terms[1::2], strict=True))


def ids(component):
    """Return the ids of a component and of all within it."""
    children = getattr(component, "children", None)
    parts = children if isinstance(children, list | tuple) else [children]
    own = [component.id] if getattr(component, "id", None) is not None else []
    return own + [
        one
        for part in parts
        if part is not None and not isinstance(part, str | int)
        for one in ids(part)
    ]


@pytest.fixture
def amap():
    rows = [
        memory.block(
            "in", 0, 2, 0, 64, op_type="top.Input", dtype="int8", shape="1x3x4x4", tensor_bytes=48
        ),
        memory.block("out", 1, 4, 64, 512, alignment=64),
        memory.block("view", 2, 4, 64, 512, status="shared", alias_of=1),
        memory.block("crooked", 0, 1, 600, 10, alignment=64, gaps="4-6", hint=640),
        memory.failed("failed", 0, 4, 64),
        memory.constant("weights", 32, 16),
        memory.block(HOSTILE, 0, 1, 1024, 64),
    ]
    uses = memory.uses([(0, 1, 1, "w"), (0, 1, 3, "r")])
    steps = memory.steps(
        ["Input_0", "Conv_1", "Relu_2", HOSTILE], ["Input", "Conv", "Relu", "Conv"]
    )
    return memory.amap(rows, bank_bytes=256, banks=16, uses=uses, steps=steps, length=4)


def test_place_and_size_are_exact(amap):
    known = facts(block_card(amap, 1))
    assert known["size"] == "512 B"
    assert known["address"].split() == ["0x40", "–", "0x240", "64", "–", "576"]
    assert known["lies in"] == "banks 0 – 2"
    assert numbers_in(known["steps"]) == ["1", "3", "3"]
    assert known["alignment"] == "64 B"


def test_the_tensor_is_set_against_the_block(amap):
    known = facts(block_card(amap, 0))
    assert numbers_in(known["tensor"]) == ["48 B", "16 B"]
    assert (known["op type"], known["dtype"]) == ("top.Input", "int8")


def test_an_alias_names_its_target(amap):
    assert facts(block_card(amap, 2))["storage of"] == "out"
    assert "view" in read(block_card(amap, 1))


def test_what_is_wrong_is_said(amap):
    assert facts(block_card(amap, 3))["alignment"] != facts(block_card(amap, 1))["alignment"]
    assert facts(block_card(amap, 3))["not alive"] == "4-6"
    assert facts(block_card(amap, 3))["hint"] == "0x280 (640)"
    assert without_numbers(facts(block_card(amap, 4))["address"])
    assert "failed" in read(block_card(amap, 4))


def test_a_constant_has_its_place_among_constants(amap):
    known = facts(block_card(amap, 5))
    assert "in the constants" in known["address"]
    assert "lies in" not in known
    assert known["steps"] == "all"


@pytest.mark.parametrize("row", range(7))
def test_every_block_beside_it_is_linked_once(amap, row):
    linked = [one["block"] for one in ids(block_card(amap, row))]
    assert len(linked) == len(set(linked))
    assert row not in linked


def test_uses_are_listed_by_step(amap):
    said = read(block_card(amap, 1))
    assert re.search(r"step 1: Conv_1 \(Conv\) writes", said)
    assert said.index("step 1:") < said.index("step 3:")


def test_names_of_the_file_are_text(amap):
    card = block_card(amap, 6)
    assert HOSTILE in read(card)
    json.dumps(card.to_plotly_json(), default=lambda part: part.to_plotly_json())


def test_a_block_without_a_name_goes_by_its_rank(amap):
    nameless = replace(amap, blocks=amap.blocks.assign(name=""))
    assert read(block_card(nameless, 2)).startswith("block 2")
    assert facts(block_card(nameless, 2))["storage of"] == "block 1"


def test_an_address_of_the_device_uses_all_64_bits(amap):
    high = 0xFF00_0000_0000_0000
    addressed = replace(amap, blocks=amap.blocks.assign(device_address=high - 2**64))
    assert facts(block_card(addressed, 0))["on the device"].startswith(f"0x{high:x}")


def test_a_block_alone_has_no_lists():
    alone = memory.amap([memory.block("alone", address=0)])
    assert ids(block_card(alone, 0)) == []
    assert "Used by" not in read(block_card(alone, 0))


@pytest.mark.slow
def test_what_the_extent_rests_on_is_told(amap):
    flagged = [row for row in range(7) if "sets the extent" in read(block_card(amap, row))]
    assert flagged == [0, 3, 6]
