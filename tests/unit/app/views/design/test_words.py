"""The first sentence of a capture with a design: the sentences of command `design`, with links."""

import re

import pytest

from app.views.design.words import lock_caption, memory_caption, stalls_caption
from app.views.registry import parse
from app.views.run_words import first_sentence, main_sentences, selection_words
from app.views.state import RunState
from components.caption import Jump
from components.numbers import grouped_digits
from services.run.design_stalls import stalls_mapping
from tests.support.numbers_in_text import first_value

FIRST, SECOND = "core 2,0", "core 3,0"


@pytest.fixture
def sentences(capture):
    """The sentences of the command by kind and core, with spaces between thousands."""
    mapping = stalls_mapping(capture.design.frames, capture.design.stored)
    return {
        (kind, stall["tile"]): grouped_digits(stall["sentence"])
        for kind in ("memory_stalls", "lock_stalls")
        for stall in mapping[kind]
    }


def test_cycles_have_spaces_between_thousands(sentences):
    assert any("\u202f" in text for text in sentences.values())
    assert not any(re.search(r"\b\d{4,} cycles", text) for text in sentences.values())


def test_the_first_result_is_one_sentence(capture):
    first, *rest = main_sentences(capture, RunState())
    assert first.count(". ") == 0
    assert first_value(str(first)) == 3  # row 3 sets the pace
    assert rest == [stalls_caption(capture.design, RunState())]


def test_the_page_begins_with_the_sentences_of_the_worst_cores(capture, sentences):
    text = str(first_sentence(capture, RunState()))
    assert sentences["memory_stalls", FIRST] in text
    assert sentences["lock_stalls", SECOND] in text
    assert sentences["memory_stalls", SECOND] not in text
    assert sentences["lock_stalls", FIRST] not in text


@pytest.mark.parametrize("unit", [SECOND, "mem 3,0"])
def test_a_selected_core_gets_its_own_sentences(capture, sentences, unit):
    text = str(stalls_caption(capture.design, RunState().selecting(track=unit)))
    assert text == f"{sentences['memory_stalls', SECOND]} {sentences['lock_stalls', SECOND]}"


def test_cores_in_sentences_are_links(capture):
    assert memory_caption(capture.design, FIRST).jumps == (Jump(FIRST, "track", FIRST),)
    jumps = lock_caption(capture.design, SECOND).jumps
    assert [jump.value for jump in jumps] == [SECOND, FIRST]


def test_a_design_without_a_trace_has_no_stalls(plan):
    assert stalls_caption(plan.design, RunState()) == ""


def test_a_selected_buffer_is_named(capture):
    words = selection_words(capture, parse("attempt=0&block=1"))
    assert words["block"] == "block in_cons_buff_1"
    other = selection_words(capture, parse("track=core+3%2C0&attempt=0&block=1"))
    assert other["block"] == "block 1"


def test_a_memory_with_too_many_buffers_is_a_sentence(capture, monkeypatch):
    monkeypatch.setattr("analysis.aie.design.model.MAX_BUFFERS", 2)
    design = type(capture.design)(capture.design.stored)
    caption = memory_caption(design, FIRST)
    assert caption.startswith(FIRST)
    assert "2 buffers" in caption
