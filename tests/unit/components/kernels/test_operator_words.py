"""The sentence about the operators of a profile of ONNX Runtime."""

import re

import pandas as pd
import pytest

from components.kernels.operator_words import operators_sentence


def operators(*rows):
    names = ["name", "self_cpu", "self_device", "device_spans"]
    return pd.DataFrame(rows, columns=names)


def test_shares_are_those_of_the_host_without_a_device():
    rows = operators(("Conv", 630, 0, 0), ("Loop", 250, 0, 0), ("If", 119, 0, 0), ("Add", 1, 0, 0))
    sentence = operators_sentence(rows, 3)
    assert re.findall(r"(\w+) (\d+) %", sentence) == [("Conv", "63"), ("Loop", "25"), ("If", "12")]
    assert "in 3 runs" in sentence
    assert "host" in sentence


def test_shares_are_those_of_devices_if_one_was_profiled():
    rows = operators(("Conv", 900, 100, 1), ("Add", 100, 300, 2))
    sentence = operators_sentence(rows, None, (2, 5_000))
    assert re.findall(r"(\w+) (\d+) %", sentence) == [("Add", "75"), ("Conv", "25")]
    assert "run" not in sentence
    assert "2 kernels of 5.00" in sentence


def test_time_outside_of_the_runs_is_not_in_them():
    rows = operators(("Conv", 900_000, 0, 0), ("Add", 100_000, 0, 0))
    sentence = operators_sentence(rows, 3, outside_ns=400_000)
    assert "Conv 90 % of 1.00" in sentence
    assert re.search(r"400\D+s outside of 3 runs", sentence)
    assert "in 3" not in sentence


@pytest.mark.parametrize("rows", [(), (("Conv", 0, 0, 0),)])
def test_no_sentence_without_time(rows):
    assert operators_sentence(operators(*rows), 1) == ""
