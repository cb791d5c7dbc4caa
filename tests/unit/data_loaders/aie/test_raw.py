"""Raw trace words: levels, repeats, syncs, modes, and what is wrong with a buffer."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from analysis.timeline.open_levels import hold_open_levels
from data_loaders.aie.configuration import read_design
from data_loaders.aie.event_codes import code_name
from data_loaders.aie.packets import TooManySamplesError, read_levels, read_records
from data_loaders.aie.raw import AieWordsLoader
from data_loaders.aie.trace import AieTraceLoader
from data_loaders.protocol import LoadError
from samples.gemm_array import Behaviour, Gemm, simulate
from samples.trace_file import trace_entries, trace_lines, trace_text
from samples.trace_words import (
    addresses_stream,
    design_text,
    levels_stream,
    trace_words,
    write_words,
)
from tests.support.finding_codes import code_set

START = bytes([0xF0, 0, 0, 0, 0, 0, 0, 9])
TILE = ("core", 2, 1)


def changes(*commands):
    """Return (slot, whether it begins, cycle) of a stream."""
    levels = read_levels(START + b"".join(commands))
    return list(zip(levels.slot.tolist(), levels.begin.tolist(), levels.ts.tolist(), strict=True))


def design(*writes):
    lines = "\n".join(f"  aiex.npu.write32 {{{write}}}" for write in writes)
    return f"module {{ aie.device(npu1) {{\n{lines}\n}} }}\n"


def write(address, value, row=2, column=0):
    return f"address = {address} : ui32, column = {column} : i32, row = {row} : i32, value = {value} : ui32"


def load(folder, streams, text=None, words=None):
    folder.mkdir(exist_ok=True)
    found = trace_words(streams) if words is None else words
    path = folder / "trace.txt"
    path.write_text("".join(f"{word:08x}\n" for word in found))
    if text is not None:
        (folder / "aie.mlir").write_text(text)
    loader = AieWordsLoader()
    return loader.load(path, {}, None, loader.bundle(path).companions)


def test_levels_follow_from_samples_and_gaps():
    assert changes(b"\x09") == [(0, True, 10)]
    assert changes(b"\x00\x10") == [(0, True, 1), (0, False, 2), (1, True, 2)], (
        "a slot that is not sampled ends"
    )
    assert changes(b"\x00\x00") == [(0, True, 1)], "a level stays while it is sampled without a gap"
    assert changes(b"\x00\x03") == [(0, True, 1), (0, False, 2), (0, True, 5)], (
        "a gap ends every level"
    )
    assert changes(b"\xc0\x30") == [(0, True, 1), (1, True, 1)], "one sample may have several slots"


def test_repeats_hold_a_level_or_replay_a_sample():
    assert changes(b"\x00\xe5\x10") == [(0, True, 1), (0, False, 7), (1, True, 7)]
    replayed = [(0, True, 3), (0, False, 4), (0, True, 6), (0, False, 7), (0, True, 9)]
    assert changes(b"\x02\xe2") == replayed
    assert read_levels(START + b"\xe3").unknown == 1, "there is nothing to repeat"


def test_repeats_behind_the_last_sample_are_time():
    """A core that waits for a lock for ever writes repeats up to the end of the buffer."""
    held = read_levels(START + b"\x09\x20" + b"\xdb\xff" * 3 + b"\xe5")
    assert held.last == 11 + 3 * 1023 + 5
    assert list(zip(held.slot.tolist(), held.begin.tolist(), held.ts.tolist(), strict=True)) == [
        (0, True, 10),
        (0, False, 11),
        (2, True, 11),
    ]
    assert read_levels(START + b"\x09\xe2").last == 30, "a sample with a gap is said again"
    assert read_levels(START + b"\x20\xe5\xff\xe7").last == 1 + 5 + 2**18 + 7, (
        "nothing is held behind a sync"
    )
    assert read_levels(START + b"\xfe\xfe").last == 0


def test_repeats_behind_a_sync_hold_nothing():
    assert changes(b"\x00\xff\xe3\x10") == [(0, True, 1), (0, False, 2), (1, True, 5 + 2**18)]


def test_a_sample_with_a_gap_is_said_again_behind_the_sync():
    """The pause is where the sync is, not behind the repeats."""
    late = 2**18
    expected = [
        (0, True, 4),
        (0, False, 5),
        (0, True, 8 + late),
        (0, False, 9 + late),
        (0, True, 12 + late),
    ]
    assert changes(b"\x03\xff\xe2") == expected
    assert changes(b"\x03\xe1\xff\xe1") == [
        (0, True, 4),
        (0, False, 5),
        (0, True, 8),
        (0, False, 9),
        (0, True, 12 + late),
    ]
    assert changes(b"\x03\xff\xe1\x10")[-2:] == [(0, False, 9 + late), (1, True, 9 + late)]


def test_a_level_held_to_the_end_lasts_as_long_as_its_unit(tmp_path):
    text = design(write(213216, 0x1A2221), write(213216, 0x2221, row=3))
    streams = {
        TILE: START + b"\x09\x20" + b"\xdb\xff" * 40,
        ("core", 3, 1): START + b"\x09\x19" * 4,
    }
    run = load(tmp_path, streams, text)
    stall = run.frames["events"].query("name == 'LOCK_STALL'").iloc[0]
    # As in JSON, an event without an end ends with the last change of its unit.
    assert (stall["start"], stall["end"], stall["closed"]) == (11, 11, False)
    held = hold_open_levels(run.frames["events"], run.frames["tracks"])
    stall = held.query("name == 'LOCK_STALL'").iloc[0]
    assert (stall["start"], stall["end"], stall["closed"]) == (11, 11 + 40 * 1023, False)
    assert run.frames["tracks"].set_index("track")["last"].to_dict() == {
        "core 2,1": 11 + 40 * 1023,
        "core 3,1": 80,
    }


def test_a_sync_is_time_that_no_level_lasts():
    found = changes(b"\x09\xff\xa4\xae\x39")
    assert found == [(0, True, 10), (0, False, 11), (1, True, 306_756)]
    assert changes(b"\x00\xff\xe3\x10") == [(0, True, 1), (0, False, 2), (1, True, 5 + 2**18)]


def test_repeats_that_stand_for_too_much_are_refused():
    with pytest.raises(TooManySamplesError):
        read_levels(START + b"\xa3\xff\xff" + b"\xdb\xff" * 100, most=10_000)


def test_records_have_addresses_in_order():
    found = read_records(bytes.fromhex("f100000000000000c4200150e2fefefec423c150c6240150"))
    rows = list(zip(found.slot.tolist(), found.order.tolist(), found.pc.tolist(), strict=True))
    assert rows == [(3, order, 336) for order in range(4)] + [(slot, 4, 336) for slot in (0, 3, 7)]


def test_words_have_the_intervals_of_their_json(tmp_path):
    gemm = Gemm("npu1", 64, 64, 64, 2, 1, warmup=1, iterations=2, first_col=1)
    units = simulate(gemm, Behaviour(seed=3, kinds=("core", "memtile")))
    streams = {(unit.kind, unit.row, unit.col): levels_stream(unit) for unit in units}
    words = load(tmp_path / "words", streams, design_text(units, {}, gemm.first_col))
    text = tmp_path / "trace.json"
    text.write_text(trace_text(trace_lines(units, trace_entries(units, 3))))
    there = AieTraceLoader().load(text, {}).frames["events"]
    ours, theirs = (
        {(row.track, row.name, row.start): (row.end, row.closed) for row in events.itertuples()}
        for events in (words.frames["events"], there)
    )
    assert ours.keys() == theirs.keys()
    differ = [key for key in ours if ours[key] != theirs[key]]
    assert not any(ours[key][1] for key in differ), "the buffer ends inside of the last intervals"


@pytest.mark.parametrize("start", [0xF1, 0xF2])
def test_a_start_without_timer_is_compared_with_no_timer(tmp_path, start):
    streams = {
        TILE: bytes([start, 9, 9, 9, 9, 9, 9, 9]) + b"\x09\x1f",
        ("memtile", 1, 1): START + b"\x09",
    }
    assert "timer_offsets" not in code_set(load(tmp_path, streams, design()))
    later = {
        ("core", row, 1): bytes([0xF0, *(7 * row).to_bytes(7, "big")]) + b"\x09" for row in (2, 3)
    }
    found = load(tmp_path, later, design()).diagnostics
    assert [f.message for f in found if f.code == "timer_offsets" and " 7 cycles" in f.message]


def test_both_spellings_of_a_write_are_read(tmp_path):
    path = tmp_path / "aie.mlir"
    path.write_text(design(write(213216, 0x00002221)))
    attributes = read_design(path).units()
    path.write_text(
        "aie.device\n%a = arith.constant 213216 : i32\n%v = arith.constant 8737 : i32\n"
        "aiex.npu.write32(%a, %v) {column = 0 : i32, row = 2 : i32}\n"
    )
    assert read_design(path).units() == attributes
    assert [code_name("core", code) for code in attributes["core", 2, 0].codes[:2]] == [
        "INSTR_EVENT_0",
        "INSTR_EVENT_1",
    ]


def test_a_unit_without_configuration_has_numbered_slots(tmp_path):
    run = load(tmp_path, {TILE: START + b"\x09\x1f"}, design())
    assert run.frames["events"]["name"].tolist() == ["slot 0", "slot 1"]
    assert "config_missing" in code_set(run)


@pytest.mark.parametrize(
    ("start", "mode"),
    [(0xF1, None), (0xF2, None), (0xF0, 2), (0xF2, 2), (0xF1, 0), (0xF0, 1), (0xF0, 3)],
)
def test_a_mode_that_is_not_known_is_not_guessed(tmp_path, start, mode):
    writes = [write(213216, 33)] + ([write(213200, mode)] if mode is not None else [])
    streams = {TILE: bytes([start, *START[1:]]) + b"\x09\x1f", ("memtile", 1, 1): START + b"\x09"}
    run = load(tmp_path, streams, design(*writes))
    assert [finding.location for finding in run.diagnostics if finding.code == "trace_mode"] == [
        "core 2,1"
    ]
    assert set(run.frames["events"]["track"]) == {"memtile 1,1"}


def test_addresses_of_a_core_have_no_times(tmp_path):
    streams = {
        TILE: addresses_stream([(1, 336), (1, 336), (2, 528)]),
        ("core", 3, 1): START + b"\x09",
    }
    text = design(write(213200, 1), write(213216, 0x2221), write(213216, 0x2221, row=3))
    run = load(tmp_path, streams, text)
    records = run.frames["program_counters"]
    assert records[["name", "order", "pc"]].to_numpy().tolist() == [
        ["INSTR_EVENT_0", 0, 336],
        ["INSTR_EVENT_0", 1, 336],
        ["INSTR_EVENT_1", 2, 528],
    ]
    assert set(run.frames["events"]["track"]) == {"core 3,1"}
    assert "event_pc" in code_set(run)


def test_a_full_buffer_is_said(tmp_path):
    words = trace_words({TILE: START + b"\x09" * 888})
    assert "trace_overrun" not in code_set(load(tmp_path, {}, words=words))
    assert "trace_overrun" in code_set(load(tmp_path, {}, words=words[:256]))


def test_words_as_bytes_are_the_same(tmp_path):
    words = trace_words({TILE: START + b"\x09\x1f\x2f"})
    text = load(tmp_path / "text", {}, words=words)
    path = tmp_path / "trace.bin"
    path.write_bytes(np.array(words, "<u4").tobytes())
    loader = AieWordsLoader()
    assert loader.sniff(path, path.read_bytes()) is None
    assert loader.load(path, {}).frames["events"].equals(text.frames["events"])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("00000000\n" * 9, "zero"),
        ("00220001\nf0000000\nhello\n", "line 3"),
        ("7fffffff\n", "packet"),
    ],
)
def test_what_is_no_trace_is_refused_in_a_line(tmp_path, content, said):
    path = tmp_path / "trace.txt"
    path.write_text(content)
    with pytest.raises(LoadError, match=said):
        AieWordsLoader().load(path, {})


def test_a_cut_word_is_left_out(tmp_path):
    path = write_words(tmp_path, trace_words({TILE: START + b"\x09\x1f"}), design())
    cut = tmp_path / "cut.txt"
    cut.write_bytes(gzip.decompress(Path(path).read_bytes())[: 9 * 8 + 4])
    run = AieWordsLoader().load(cut, {})
    assert "file_cut" in code_set(run)
    assert len(run.frames["events"]) == 2
