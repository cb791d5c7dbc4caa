"""Thread traces of AMD devices: of which program, run and shader engine."""

import pytest

from data_loaders.tinygrad.run import read_run
from samples.tinygrad_writer import Maker


def traces(maker):
    return read_run(maker.profile(), None, False).frames["thread_traces"]


def traced(generation="0.14"):
    maker = Maker(generation).program("AMD", "r_4", b"lib", 7).program("AMD", "E_2", b"lib", 8)
    return maker.range("AMD", "r_4", 0, 1)


def test_runs_are_told_by_their_number():
    maker = traced()
    for kernel, tag in ((7, 1), (8, 2), (7, 3)):
        for engine in range(2):
            maker.thread_trace("AMD", kernel, 64, engine=engine, instructions=engine == 0, tag=tag)
    frame = traces(maker)
    assert frame["trace"].tolist() == list(range(6))
    assert frame["kernel"].tolist() == ["r_4"] * 2 + ["E_2"] * 2 + ["r_4"] * 2
    assert frame["program"].tolist() == [0, 0, 1, 1, 0, 0]
    assert frame["run"].tolist() == [1, 1, 1, 1, 2, 2]
    assert frame["engine"].tolist() == [0, 1] * 3
    assert frame["instructions"].tolist() == [True, False] * 3
    assert set(frame["bytes"]) == {64}
    assert set(frame["device"]) == {"AMD"}


def test_without_a_number_a_run_ends_where_an_engine_recurs():
    maker = traced("0.12")
    for engine in (0, 1, 0, 1, 1):
        maker.thread_trace("AMD", "r_4", 1, engine=engine)
    assert traces(maker)["run"].tolist() == [1, 1, 2, 2, 3]


def test_what_is_not_known_is_null():
    maker = traced().thread_trace("AMD", 99, 0).thread_trace("GONE", None, 3, engine=-4)
    frame = traces(maker)
    assert frame["program"].isna().all()
    assert frame["kernel"].tolist() == ["", ""]
    assert frame["engine"].tolist() == [0, -1]
    assert frame["device"].tolist() == ["AMD", "GONE"]


@pytest.mark.parametrize("kernel", [[1], {}, (["r_4"],), 1.5])
def test_what_names_no_kernel_costs_nothing_else(kernel):
    maker = (
        traced()
        .thread_trace("AMD", 7, 64)
        .thread_trace("AMD", kernel, 3)
        .thread_trace("AMD", kernel, 3, tag=4)
    )
    frame = traces(maker)
    assert frame["kernel"].tolist() == ["r_4", "", ""]
    assert frame["bytes"].tolist() == [64, 3, 3]


def test_programs_that_share_a_function_are_not_told_apart():
    maker = traced("0.12").thread_trace("AMD", "r_4", 1)
    maker.kernel("r_4", "r_4", None).kernel("r_4", "r_4", None)
    frame = read_run(maker.profile(), maker.rewrites(), False).frames["thread_traces"]
    assert frame["program"].isna().all()


def test_a_capture_without_traces_has_no_row():
    assert len(traces(traced())) == 0
