"""What ran on tinygrad's devices: launches, executions, counters and what is said about them."""

import pytest

from data_loaders.tinygrad.run import read_run
from samples.tinygrad_capture import colour_name, training
from samples.tinygrad_objects import Metadata, ParamArg
from samples.tinygrad_writer import GENERATIONS, Maker
from tests.support.finding_codes import code_counts, only_finding
from tests.support.numbers_in_text import numbers_in


def read(maker, rewrites=True):
    return read_run(maker.profile(), maker.rewrites() if rewrites else None, False)


def executions(maker, *columns, rewrites=True):
    """Return rows of the executions, null as None."""
    frame = read(maker, rewrites).frames["kernels"]
    return (
        frame[list(columns)]
        .astype(object)
        .where(frame[list(columns)].notna(), None)
        .to_numpy()
        .tolist()
    )


@pytest.mark.parametrize("generation", GENERATIONS)
def test_kernels_lead_to_their_program_and_to_their_launch(generation):
    rows = executions(
        training(generation, steps=2, size=8),
        "name",
        "batched",
        "run",
        "launch",
        "program",
        "operations",
    )
    kernels = [row for row in rows if row[0] != "TINY -> CPU"]
    work = {"r_8_8": 2 * 8**3, "E_8": None if generation in ("2025", "0.12") else 8}
    assert kernels == [
        ["r_8_8", False, 1, 1, 0, work["r_8_8"]],
        ["E_8", False, 1, 2, 1, work["E_8"]],
        ["r_8_8", True, 2, 1, 0, work["r_8_8"]],
        ["E_8", True, 2, 2, 1, work["E_8"]],
        ["r_8_8", False, 3, 3, 0, work["r_8_8"]],
        ["E_8", False, 3, 4, 1, work["E_8"]],
        ["r_8_8", True, 4, 3, 0, work["r_8_8"]],
        ["E_8", True, 4, 4, 1, work["E_8"]],
    ]


def test_ranks_count_on_each_track_and_rows_of_the_host_have_none():
    maker = Maker().range("CPU:1", "k", 0, 1).range("CPU", "k", 3, 4).range("CPU", "k", 1, 2)
    maker.range("USER", "matmul", 0, 9).range("TINY", "k", 0, 9).range("LOOP:0", "k", 0, 9)
    maker.graph([("CPU", "k", 0, 1)], [5, 6])
    assert executions(maker, "track", "kernel", "start", "duration", "run", rewrites=False) == [
        ["CPU", 0, 1000, 1000, 1],
        ["CPU", 1, 3000, 1000, 2],
        ["CPU", 2, 5000, 1000, 3],
        ["CPU:1", 0, 0, 1000, 1],
    ]


def test_a_launch_of_the_same_microsecond_counts_and_a_later_one_does_not():
    maker = (
        Maker()
        .launch("CPU", 1, colour_name("k_4"), "10.9")
        .launch("CPU", 2, colour_name("k_4"), 20)
    )
    maker.launch("CPU:1", 3, "k_4", 5).launch("CPU", 4, "other", 12)
    maker.range("CPU", "k_4", "10.5", 11).range("CPU", "k_4", 9, 10).range("CPU", "k_4", 30, 31)
    assert executions(maker, "start", "launch", rewrites=False) == [
        [4000, None],
        [5500, 1],
        [25_000, 3],
    ]


def test_sizes_that_vary_are_those_of_the_launch():
    maker = (
        Maker("0.14")
        .launch("CPU", 1, "r_n", 0, values={"n": 3})
        .range("CPU", "r_n", 1, 2, key=b"k")
    )
    maker.launch("CPU", 2, "r_n", 5, values={"n": 5}).range("CPU", "r_n", 6, 7, key=b"k")
    maker.launch("CPU", 3, "r_n", 8, values={"m": 5, 7: 8, "x": "y"}).range(
        "CPU", "r_n", 9, 10, key=b"k"
    )
    size = maker.uop(
        "MUL", (maker.uop("PARAM", (), ParamArg(name="n")), maker.uop("CONST", (), 10))
    )
    maker.kernel(
        "r_n", "r_n", {"ops": size, "lds": 8, "mem": size}, key=b"k", size=(size, 1, 2**70)
    )
    reading = read(maker)
    frame = reading.frames["kernels"]
    assert frame["operations"].fillna(-1).tolist() == [30, 50, -1]
    assert frame["missing"].tolist() == ["", "", "values"]
    program = reading.frames["programs"].iloc[0]
    assert (program["estimate"], program["global_size"]) == ("symbolic", "?x1x?")
    assert reading.frames["launches"]["variables"].tolist() == ['{"n": 3}', '{"n": 5}', '{"m": 5}']


def test_it_is_said_why_a_kernel_has_no_operations():
    maker = (
        Maker("0.14")
        .range("CPU", "a", 0, 1, key=b"a")
        .range("CPU", "b", 2, 3, key=b"b")
        .range("CPU", "X -> Y", 4, 5)
    )
    maker.kernel("a", "a", None, key=b"a")
    assert executions(maker, "name", "missing") == [
        ["a", "estimate"],
        ["b", "program"],
        ["X -> Y", ""],
    ]
    assert executions(maker, "missing", rewrites=False) == [["rewrites"], ["rewrites"], [""]]


def test_numbers_that_are_no_sizes_are_none():
    maker = Maker("0.14").range("CPU", "a", 0, 1, key=b"a").range("CPU", "b", 2, 3, key=b"b")
    maker.kernel("a", "a", {"ops": -5, "lds": 0, "mem": 0}, key=b"a")
    maker.kernel("b", "b", {"ops": 2**70, "lds": 0, "mem": 0}, key=b"b")
    assert executions(maker, "operations", "missing") == [[None, "values"], [None, "values"]]


def test_copies_are_told_by_engine_arrow_or_flag():
    maker = (
        Maker("0.14")
        .range("AMD:SDMA:0", maker_copy("TINY -> AMD", 16384), 0, 2)
        .range("CPU:COPY", "moving", 2, 3)
    )
    old = Maker("0.12").range("CPU", "moving", 0, 1, copy=True).range("CPU", "k", 2, 3)
    assert executions(maker, "track", "copy", "copied_bytes", rewrites=False) == [
        ["AMD:SDMA:0", True, 16384],
        ["CPU:COPY", True, None],
    ]
    assert executions(old, "copy", rewrites=False) == [[True], [False]]


def maker_copy(name, size):
    return Maker().tracing_key(name, ret=size)


def test_metadata_of_the_launch_is_shown_once_each():
    said = (
        Metadata(name="relu", caller="a.py:3", backward=False),
        Metadata(name="relu"),
        Metadata(name="sum"),
        "text",
    )
    maker = (
        Maker("0.12")
        .launch("CPU", 1, "k", 0, metadata=said)
        .range("CPU", "k", 1, 2)
        .range("CPU", "z", 1, 2)
    )
    assert executions(maker, "metadata", rewrites=False) == [["relu, sum"], [""]]
    assert "a.py" not in read(maker, False).frames["launches"].to_csv()


class TestFindings:
    def test_without_rewrites_it_is_said_what_needs_them(self):
        assert code_counts(read(training(), rewrites=False))["rewrites_missing"] == 12

    def test_kernels_without_times_are_said(self):
        maker = (
            Maker("0.14")
            .range("TINY", "t", 0, 1)
            .launch("CPU", 1, "r_4", 0)
            .launch("CPU", 2, "copy 4 B", 1)
        )
        assert code_counts(read(maker))["kernels_untimed"] == 1

    @pytest.mark.slow
    def test_a_companion_that_is_broken_costs_itself(self):
        maker = training()
        for data, why in (
            (b"\x80\x04cos\nsystem\n.", "opcode GLOBAL"),
            (maker.profile(), "it contains events, not rewrites"),
            (b"\x80\x04N.", "neither a list"),
            (b"", "empty"),
        ):
            reading = read_run(maker.profile(), data, False)
            assert len(reading.frames["events"]) == 22
            said = only_finding(reading, "rewrites_unread")
            assert why in said.message

    def test_rewrites_alone_give_contexts_and_programs(self):
        reading = read_run(training().rewrites(), None, False)
        assert "events" not in reading.frames
        assert len(reading.frames["contexts"]) == 3
        assert len(reading.frames["programs"]) == 2


class TestHardware:
    @pytest.mark.parametrize(
        ("devices", "hwid"),
        [
            ({"CPU": None}, "CPU"),
            ({"CPU": None, "CPU:1": None, "CPU:0": None}, "2 x CPU"),
            (
                {"AMD": {"gfx_target_version": 110000}, "CPU": None, "AMD:SDMA:0": None},
                "AMD gfx1100",
            ),
            (
                {"AMD": {"gfx_target_version": 90402}, "AMD:1": {"gfx_target_version": 90402}},
                "2 x AMD gfx942",
            ),
            ({"AMD": {"gfx_target_version": "x"}, "NV": None}, "AMD + NV"),
            ({"NPY": None, "DISK:/a": None, "MINE": None}, ""),
        ],
    )
    def test_devices_that_compute_are_named(self, devices, hwid):
        maker = Maker("0.14").range("TINY", "t", 0, 1)
        for name, properties in devices.items():
            maker.device(name, 0, None, properties)
        assert read(maker).metadata["hwid"] == hwid


class TestCounters:
    def maker(self, generation="0.14"):
        maker = (
            Maker(generation)
            .device("AMD")
            .program("AMD", "r_4", b"lib", 7, b"k")
            .program("AMD", "E_2", b"lib", 8, b"e")
        )
        maker.range("AMD", "E_2", 0, 1, key=b"e").range("AMD", "r_4", 2, 3, key=b"k").range(
            "AMD", "r_4", 5, 6, key=b"k"
        )
        return maker

    def test_each_reading_belongs_to_its_execution(self):
        maker = self.maker()
        samples = [("BUSY", 1, 1, 2, 1, 1), ("WAIT", 1, 1, 1, 1, 1)]
        maker.counters("AMD", 7, samples, [1, 2, 3], tag=1).counters(
            "AMD", 7, samples, [10, 20, 30], tag=2
        )
        maker.counters("AMD", 7, samples, [9, 9, 9], tag=2)
        frame = read(maker).frames["counters"]
        assert frame[["name", "kernel", "instance", "value"]].astype(object).fillna(
            "sum"
        ).to_numpy().tolist() == [
            ["BUSY", 1, "sum", 3.0],
            ["BUSY", 1, 0, 1.0],
            ["BUSY", 1, 1, 2.0],
            ["WAIT", 1, "sum", 3.0],
            ["WAIT", 1, 0, 3.0],
            ["BUSY", 2, "sum", 30.0],
            ["BUSY", 2, 0, 10.0],
            ["BUSY", 2, 1, 20.0],
            ["WAIT", 2, "sum", 30.0],
            ["WAIT", 2, 0, 30.0],
        ]
        assert set(frame["track"]) == {"AMD"}
        places = (
            frame[["xcc", "inst", "se", "sa", "wgp"]]
            .astype(object)
            .fillna("sum")
            .to_numpy()
            .tolist()
        )
        assert places[:3] == [["sum"] * 5, [0, 0, 0, 0, 0], [0, 0, 1, 0, 0]]

    def test_kernels_are_named_by_their_function_up_to_0_12(self):
        maker = (
            Maker("0.12")
            .range("AMD", "r_4", 0, 1)
            .counters("AMD", "r_4", [("BUSY", 1, 1, 1, 1, 1)], [5])
        )
        assert read(maker, False).frames["counters"]["kernel"].tolist() == [0, 0]

    def test_a_reading_without_its_execution_is_kept(self):
        maker = (
            self.maker()
            .counters("AMD", 99, [("BUSY", 1, 1, 1, 1, 1)], [5])
            .counters("GONE", 7, [("B", 1, 1, 1, 1, 1)], [5])
        )
        frame = read(maker).frames["counters"]
        assert frame["kernel"].isna().all()
        assert set(frame["track"]) == {"AMD", "GONE"}

    def test_blobs_that_are_too_short_are_read_up_to_there(self):
        maker = self.maker().counters(
            "AMD", 7, [("A", 1, 1, 1, 1, 1), ("B", 1, 1, 9, 1, 1)], [5, 6], tag=1
        )
        maker.counters("AMD", 7, [("C", 10**9, 10**9, 1, 1, 1)], [5], tag=2).counters(
            "AMD", 7, [("D", 0, 1, 1, 1, 1)], [5], tag=3
        )
        reading = read(maker)
        assert reading.frames["counters"]["name"].tolist() == ["A", "A"]
        assert code_counts(reading)["counters_broken"] == 3

    def test_thread_traces_are_said_to_be_there_with_their_size_per_kernel(self):
        maker = (
            self.maker()
            .thread_trace("AMD", 7, 100)
            .thread_trace("AMD", 8, 1)
            .thread_trace("AMD", 7, 28)
        )
        maker.thread_trace("AMD", 9, 0)
        said = only_finding(read(maker), "thread_traces")
        assert said.count == 4
        sizes = ["128 bytes", "1 byte", "9", "0 bytes"]
        assert numbers_in(said.message) == ["4", "3", "129 bytes", *sizes]
        assert said.message.index("r_4 ") < said.message.index("E_2 ")

    def test_of_many_traced_kernels_the_largest_are_named(self):
        maker = Maker("0.12").range("AMD", "k", 0, 1)
        for place in range(14):
            maker.thread_trace("AMD", f"{'k' * 100}" if place == 13 else f"k{place}", place)
        said = only_finding(read(maker, False), "thread_traces")
        assert said.message.endswith(" k4 4 bytes, 4 others 6 bytes")
        assert f" {'k' * 59}… 13 bytes, k12 12 bytes" in said.message
