import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.tpu_mlir import blocks as tpu_blocks
from data_loaders.tpu_mlir.blocks import Fields, LogBlock, line_blocks


def blocks(text, monkeypatch, block=8, line=8):
    monkeypatch.setattr(tpu_blocks, "BLOCK_BYTES", block)
    monkeypatch.setattr(tpu_blocks, "MAX_LINE_BYTES", line)
    return list(line_blocks(io.BytesIO(text)))


def test_blocks_end_with_a_line_and_know_where_they_are(monkeypatch):
    found = blocks(b"first one\nsecond\nthird\nlast", monkeypatch, line=100)
    assert [block.text for block in found] == [b"first one\n", b"second\nthird\n", b"last"]
    assert [block.offset for block in found] == [0, 10, 23]
    assert [block.first_line for block in found] == [1, 2, 4]
    assert not any(block.cut for block in found)


def test_a_line_without_end_comes_in_pieces(monkeypatch):
    found = blocks(b"x" * 40 + b"\nend\n", monkeypatch)
    assert b"".join(block.text for block in found) == b"x" * 40 + b"\nend\n"
    assert max(len(block.text) for block in found) <= 16
    assert [block.cut for block in found] == [True, True, False, False]
    assert [block.first_line for block in found] == [1, 1, 1, 2]


def test_a_block_numbers_its_lines():
    block = LogBlock(b"a\nbc\n\nd", 0, 7, False)
    assert block.line_numbers(np.array([0, 2, 3, 5, 6])).tolist() == [7, 8, 8, 9, 10]
    assert block.line_ends(np.array([7, 8, 10])).tolist() == [1, 4, 7]


def test_fields_are_found_by_what_they_start_with():
    text = b"; step = abcdefgh; step = abcdefgx; step = abc; step = abcdefgh"
    fields = Fields(text)
    assert fields.at[fields.starting(b"; step = abcdefgh")].tolist() == [0, 46]
    assert fields.at[fields.starting(b"; step =")].tolist() == [0, 17, 34, 46]


@given(
    st.binary(max_size=200),
    st.binary(min_size=8, max_size=20),
    st.lists(st.integers(0, 200), max_size=5),
)
def test_starting_is_what_searching_gives(noise, key, places):
    key = b";" + key[1:]
    text = noise
    for place in places:
        text = text[:place] + key + text[place:]
    fields = Fields(text)
    expected = [at for at in range(len(text)) if text.startswith(key, at)]
    assert fields.at[fields.starting(key)].tolist() == expected


def test_short_texts_have_no_fields():
    for text in (b"", b";", b"; a = b"):
        assert len(Fields(text).starting(b"; step = x")) == 0
