"""Keys of kernels that command queues ran, and the programs that remain possible without one."""

import hashlib

import pytest

from data_loaders.tinygrad import executions, kernel_keys
from data_loaders.tinygrad.run import read_run
from samples.tinygrad_capture import START, colour_name
from samples.tinygrad_writer import Maker

NAME = colour_name("r_8")
KEYS = [hashlib.sha256(bytes([place])).digest() for place in range(3)]


def call_key(program):
    """Return the key of the call of a program named NAME, as tinygrad 0.14 hashes it."""
    function = hashlib.sha256(b"(Ops.CUSTOM_FUNCTION, dtypes.void, 'hcq')" + program).digest()
    text = f"(Ops.CALL, dtypes.void, CallInfo(None, {NAME!r}, False, False))"
    return hashlib.sha256(text.encode() + function).digest()


def named_alike(*event_keys, operations=(8, 9, 10)):
    """Return a capture of three programs of one name, and a run for each key."""
    maker = Maker("0.14")
    for place, key in enumerate(event_keys):
        maker.range("CPU", NAME, START + 4 * place, START + 4 * place + 2, key=key)
    for place, (key, count) in enumerate(zip(KEYS, operations, strict=True)):
        work = {"ops": count, "lds": 1, "mem": 64}
        maker.kernel(NAME, "r_8", work, source=f"void f() {{ {place}; }}", key=key)
    return maker


def read(maker):
    return read_run(maker.profile(), maker.rewrites(), strip=False)


def test_programs_of_one_name_are_told_by_the_key_of_their_call_or_their_own():
    reading = read(named_alike(call_key(KEYS[2]), KEYS[1], call_key(KEYS[0])))
    kernels = reading.frames["kernels"]
    assert kernels["program"].tolist() == [2, 1, 0]
    assert kernels["operations"].tolist() == [10, 9, 8]
    assert len(reading.frames["program_candidates"]) == 0


def test_without_a_key_all_are_offered_and_numbers_are_those_that_agree():
    reading = read(named_alike(b"\x09" * 32))
    kernel = reading.frames["kernels"].iloc[0]
    assert kernel[["program", "operations", "moved_bytes"]].isna().tolist() == [True, True, False]
    assert (kernel["memory_bytes"], kernel["missing"]) == (64, "program")
    candidates = reading.frames["program_candidates"]
    assert candidates[["kernel", "program"]].to_numpy().tolist() == [[0, 0], [0, 1], [0, 2]]


def test_operations_that_agree_are_known_and_so_are_rates():
    kernel = read(named_alike(b"\x09" * 32, operations=(8, 8, 8))).frames["kernels"].iloc[0]
    assert (kernel["operations"], kernel["missing"]) == (8, "")
    assert kernel["flops"] == pytest.approx(8 / 2e-6)


def test_a_name_alone_does_not_decide_between_programs():
    reading = read(named_alike(None, operations=(1, 2, 3)))
    assert reading.frames["kernels"]["program"].isna().all()
    assert len(reading.frames["program_candidates"]) == 3


def test_hashes_and_rows_are_bounded(monkeypatch):
    monkeypatch.setattr(kernel_keys, "MAX_HASHES", 2)
    monkeypatch.setattr(executions, "MAX_CANDIDATES", 4)
    reading = read(named_alike(call_key(KEYS[2]), None))
    assert reading.frames["kernels"]["program"].isna().all()
    assert len(reading.frames["program_candidates"]) == 3
    assert {finding.code: finding.count for finding in reading.findings}["candidates_left_out"] == 1
