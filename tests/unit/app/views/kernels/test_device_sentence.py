"""The first sentence of a profile is that of command `breakdown`, on the page and in the file."""

import json

import pytest

from app.pages.run.snapshot import snapshot_html
from app.views.run_words import first_sentence
from app.views.state import RunState
from tests.support.command_line import good, run
from tests.support.kineto_trace import operator, trace_data, two_steps
from tests.support.pages import Page
from tests.support.profile_data import profile_data


@pytest.mark.slow
def test_page_and_snapshot_begin_with_the_sentence_of_the_command(settings, tmp_path):
    data = trace_data(settings.repository(), tmp_path, two_steps())
    sentence = first_sentence(data, RunState())
    printed = good(run("breakdown", data.run_id, "--json", "--data", settings.data))
    assert sentence == json.loads(printed)["sentence"]
    assert "busy 40 %" in sentence
    assert "communication 10 % exposed" in sentence
    words = " ".join(Page(snapshot_html(settings.repository(), [data.run_id], "")).words)
    assert sentence in words


def test_a_trace_of_the_host_alone_says_that_it_has_no_device(settings, tmp_path):
    data = trace_data(settings.repository(), tmp_path, [operator("aten::mm", 0, 10)])
    sentence = first_sentence(data, RunState())
    assert sentence.startswith("No spans of a device")
    assert "aten::mm takes 100 %" in sentence


@pytest.mark.slow
def test_a_profile_without_classes_has_no_such_sentence(settings, tmp_path):
    assert first_sentence(profile_data(settings, tmp_path), RunState()) == ""
