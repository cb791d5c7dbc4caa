"""The first sentence about the memory of devices: which numbers it has, and in which order."""

import pandas as pd

from analysis.memory.device_memory import device_memory
from components.memory.device_memory_words import memory_sentence
from schema.frames import frame_of_records
from tests.support.numbers_in_text import numbers_in
from tests.support.torch_snapshots import alloc, block, entry, read, segment

MIB = 2**20


def plain(sentence):
    return sentence.replace("\u202f", " ")


def of_snapshot(reading, capacity=None):
    attempts = reading.frames["attempts"]
    if capacity is not None:
        attempts = attempts.assign(capacity=pd.array([capacity] * len(attempts), dtype="Int64"))
    return plain(memory_sentence(device_memory({**reading.frames, "attempts": attempts})))


def of_events(**row):
    given = {"device": "cuda:0", "entries": 3, "peak_allocated": 6 * MIB, "end_allocated": 0}
    frame = frame_of_records("device_memory", [given | {"relative": False} | row])
    return plain(memory_sentence(device_memory({"device_memory": frame})))


def test_the_peak_of_events_names_device_and_operator():
    sentence = of_events(op="aten::conv2d", python="train.py(3): step")
    assert numbers_in(sentence)[0] == "6.00 MiB"
    assert "cuda:0" in sentence and "aten::conv2d" in sentence


def test_without_an_operator_the_function_is_named():
    assert "train.py(3): step" in of_events(op=None, python="train.py(3): step")


def test_a_running_sum_is_named_as_such():
    assert of_events(relative=True).count("from 0") == 1
    assert "from 0" not in of_events()


def test_no_events_are_no_number():
    sentence = memory_sentence(device_memory({}))
    assert not any(letter.isdigit() for letter in sentence)


def test_a_peak_without_a_capacity_is_no_share():
    sentence = of_snapshot(read([segment()], [alloc(0, 3 * 1024)]))
    assert [text for text in numbers_in(sentence) if "KiB" in text] == ["3.00 KiB", "4.00 KiB"]
    assert sentence.index("cuda:0") < sentence.index("model.py:31 forward")
    assert "%" not in sentence


def test_a_peak_is_a_share_of_a_known_capacity():
    sentence = of_snapshot(read([segment()], [alloc(0, 3 * 1024)]), capacity=12 * 1024)
    assert "25.0 % of 12.0 KiB" in sentence


def test_without_a_history_there_is_no_peak():
    sentence = of_snapshot(read([segment(block(512, requested_size=70))], []))
    assert sentence.startswith("70 B allocated on cuda:0")
    assert not sentence.startswith("Peak")


def test_out_of_memory_comes_first_with_the_largest_request():
    trace = [
        alloc(0, 1024),
        entry("oom", 0, 5 * MIB, device_free=7 * MIB),
        entry("oom", 0, 9 * MIB, device_free=2 * MIB),
    ]
    sentence = of_snapshot(read([segment()], trace))
    failed, _, peak = sentence.partition("; ")
    assert numbers_in(failed) == ["2", "9.00 MiB", "0", "2.00 MiB"]
    assert numbers_in(peak)[:4] == ["1.00 KiB", "3.00 KiB", "3.00 KiB", "1.00 KiB"]


def test_unknown_sizes_of_a_failed_request_are_left_out():
    sentence = of_snapshot(read([], [alloc(0, 1024), entry("oom", 0, -1)]))
    assert sentence.startswith("Out of memory")
    assert "free" not in sentence.partition(";")[0]
