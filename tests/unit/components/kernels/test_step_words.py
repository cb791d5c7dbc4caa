"""The sentence about the steps of a training."""

import re
from types import SimpleNamespace

import pytest

from analysis.kernels.step_times import FILLS, step_series, step_times
from analysis.kernels.steps import find_steps
from components.kernels.step_words import step_sentence
from tests.support.kineto_trace import kernel, load_trace
from tests.support.kineto_trace import step as step_marker


def step(*shares, name="step"):
    fill = dict(zip(FILLS, [*shares, *[0.0] * len(FILLS)], strict=False))
    return SimpleNamespace(
        name=name, first=1_000_000, fill=fill, median=None, steps=1, is_main=False
    )


@pytest.mark.parametrize(
    "shares",
    [
        (0.295, 0.325, 0.325, 0.055),
        (0.3333, 0.3333, 0.3334),
        (0.005, 0.995),
        (0.2, 0.2, 0.2, 0.2, 0.2),
        (1.0,),
    ],
)
def test_the_shares_of_a_step_sum_to_the_whole(shares, monkeypatch):
    monkeypatch.setattr("components.kernels.step_words.main_series", lambda _series: None)
    sentence = step_sentence([step(*shares)], 1)
    percents = [int(share) for share in re.findall(r"(\d+) %", sentence)]
    assert sum(percents) == 100
    assert 0 not in percents


def test_of_two_counted_steps_neither_is_typical(tmp_path):
    # The first step warms up, and two steps have no typical time.
    entries = [step_marker(0, 0, 299), step_marker(1, 300, 99), step_marker(2, 400, 110)]
    frames = load_trace(tmp_path, [*entries, kernel("k", 310, 40), kernel("k", 420, 40)]).frames
    steps = find_steps(frames)
    times = step_times(frames["tracks"], frames["events"], frames["kernels"], steps.windows)
    sentence = step_sentence(step_series(times, steps.typical), len(times))
    durations = ["100 µs", "110 µs", "300 µs"]
    assert re.findall(r"\d+ µs", sentence) == durations
    assert "each with a name" not in sentence


def test_a_single_step_is_not_the_longest_of_several(monkeypatch):
    monkeypatch.setattr("components.kernels.step_words.main_series", lambda _series: None)
    assert "each" not in step_sentence([step(1.0)], 1)
    assert "each" in step_sentence([step(1.0), step(1.0, name="other")], 2)
