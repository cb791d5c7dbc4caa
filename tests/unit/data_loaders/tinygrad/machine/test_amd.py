"""Instructions of AMD GPUs and the descriptor of their kernels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.tinygrad.machine.amd import UNKNOWN, Resources, decode_program, resources
from data_loaders.tinygrad.machine.instruction import BRANCH, END, JUMP, NEXT
from tests.support.decoders import hide_decoder
from tests.support.machine_code import (
    S_BRANCH,
    S_CBRANCH_SCC1,
    S_CODE_END,
    S_ENDPGM,
    S_NOP,
    descriptor,
    words,
)

MOST = 1000


def texts(code, architecture="gfx1100"):
    return [found.text for found in decode_program(code, architecture, MOST).instructions]


def test_padding_behind_the_last_end_is_left_out():
    found = decode_program(words(S_NOP, S_ENDPGM, *[S_CODE_END] * 30), "gfx1100", MOST)
    assert [each.text for each in found.instructions] == ["s_nop 0x0", "s_endpgm"]
    assert found.why == ""


def test_padding_without_an_end_and_code_behind_the_end_stay():
    assert len(texts(words(S_NOP, S_CODE_END))) == 2
    assert len(texts(words(S_ENDPGM, S_CODE_END, S_NOP))) == 3


def test_branches_count_words_from_what_follows_them():
    found = decode_program(
        words(S_NOP, S_CBRANCH_SCC1 | 0xFFFE, S_BRANCH | 1, S_NOP, S_ENDPGM), "gfx1151", MOST
    ).instructions
    assert [(each.flow, each.target) for each in found] == [
        (NEXT, None),
        (BRANCH, 0),
        (JUMP, 16),
        (NEXT, None),
        (END, None),
    ]
    assert found[1].text == "s_cbranch_scc1 0x0"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (words(0xBE800080), "s_mov_b32 s0, 0"),
        (words(0x7E0002FF, 0x3F800001), "v_mov_b32_e32 v0, 0x3f800001"),
        (words(0xF4080100, 0xF8000000), "s_load_b128 s[4:7], s[0:1], null"),
        (words(0xF4080100, 0xF81FFFF0), "s_load_b128 s[4:7], s[0:1], null, offset:-16"),
        (words(0xDC5E0100, 0x167C0010), "global_load_b128 v[22:25], v[16:17], null, offset:256"),
        (words(0xDC5E1F00, 0x167C0010), "global_load_b128 v[22:25], v[16:17], null, offset:-256"),
        (words(0xCA100080, 0x07060080), "v_dual_mov_b32 v7, 0 :: v_dual_mov_b32 v6, 0"),
    ],
)
def test_operands_are_named_as_assemblers_name_them(code, text):
    assert texts(code) == [text]


@pytest.mark.parametrize(
    ("architecture", "text"),
    [("gfx1201", "s_endpgm"), ("gfx950", "s_endpgm"), ("gfx942", "s_endpgm")],
)
def test_families_have_tables_of_their_own(architecture, text):
    word = 0xBF810000 if architecture.startswith("gfx9") else S_ENDPGM
    assert texts(words(word), architecture) == [text]


@pytest.mark.parametrize("architecture", ["gfx906", "gfx1030", "gfx1250", "", "gfx"])
def test_what_no_table_is_for_is_said(architecture):
    found = decode_program(words(S_ENDPGM), architecture, MOST)
    assert found.instructions == []
    assert found.why.startswith("the decoder does not know")
    assert resources(descriptor(1, 2, 3), architecture) == UNKNOWN


def test_a_missing_decoder_is_said_with_what_to_install(monkeypatch):
    hide_decoder(monkeypatch)
    found = decode_program(words(S_ENDPGM), "gfx1100", MOST)
    assert found.instructions == []
    assert "requirements-full.txt" in found.why


def test_words_that_are_no_instruction_are_said_to_be_words():
    assert texts(words(0xFFFFFFFF, S_ENDPGM)) == [".long 0xffffffff", "s_endpgm"]


def test_a_cut_instruction_is_a_word_and_odd_bytes_are_left_out():
    assert texts(words(0x7E0002FF)) == [".long 0x7e0002ff"]
    assert texts(words(S_ENDPGM) + b"\1\2") == ["s_endpgm"]


def test_decoding_stops_at_a_limit():
    found = decode_program(words(*[S_NOP] * 50), "gfx1100", 20)
    assert len(found.instructions) == 20
    assert "first 20" in found.why


def test_a_descriptor_has_registers_and_memory():
    assert resources(descriptor(1024, 16, 7), "gfx1100") == Resources(57, None, 1024, 16)
    assert resources(descriptor(0, 0, 3 << 6), "gfx942") == Resources(1, 32, 0, 0)
    assert resources(descriptor()[:40], "gfx1100") == UNKNOWN


@given(st.binary(max_size=160), st.sampled_from(["gfx1100", "gfx1201", "gfx950"]))
def test_instructions_of_any_words_follow_each_other(code, architecture):
    found = decode_program(code, architecture, 30).instructions
    ends = [0, *(each.end for each in found)]
    assert [each.pc for each in found] == ends[:-1]
    assert ends[-1] <= len(code)
    assert all(each.text.isprintable() for each in found)
    resources(code, architecture)
