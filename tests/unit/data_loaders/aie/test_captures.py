"""Buffers that hold several captures: second starts, and slices of several devices."""

import numpy as np
import pytest

from data_loaders.aie.captures import divide
from data_loaders.aie.raw import AieWordsLoader
from data_loaders.aie.slices import MAX_SLICES, Slice, choose_layout, count_unread, find_layouts
from data_loaders.aie.starts import find_starts, parse_start
from samples.trace_words import trace_words
from tests.support.finding_codes import code_set

CORE, OTHER, MEMTILE = ("core", 2, 0), ("core", 3, 0), ("memtile", 1, 0)
PACKET = 28
"""Bytes of a packet without its header."""


def start(timer, first=0xF0):
    return bytes([first, *timer.to_bytes(7, "big")])


def captures_of(timers, samples=b"\x09\x1f\x2f"):
    """Return the stream of a unit with a capture per timer, each padded to whole packets."""
    parts = [start(timer) + samples for timer in timers]
    return b"".join(part + b"\xfe" * (-len(part) % PACKET) for part in parts)


def buffer(streams, size=None):
    """Return the words of a buffer, of `size` bytes if it is given."""
    words = np.array(trace_words(streams)[:-65], np.uint32)
    return words if size is None else np.pad(words, (0, size // 4 - len(words)))


def slice_text(*records):
    spelled = ", ".join(
        f'#aie.trace_slice<device = "{device}", sequence = "{sequence}", offset = {offset}, size = {size}>'
        for device, sequence, offset, size in records
    )
    return f"trace_slices = [{spelled}]"


def device_text(name, value):
    return (
        f"aie.device(npu2_1col) @{name} {{\n  aie.runtime_sequence @seq_{name}() {{\n"
        f"    %a = arith.constant 213216 : i32\n    %v = arith.constant {value} : i32\n"
        "    aiex.npu.write32(%a, %v) {column = 0 : i32, row = 2 : i32} : i32, i32\n  }\n}\n"
    )


def bundle(folder, words, design=""):
    folder.mkdir(exist_ok=True)
    path = folder / "trace.txt"
    path.write_text("".join(f"{word:08x}\n" for word in words))
    (folder / "aie.mlir").write_text(f"aie.device\n{design}")
    return AieWordsLoader().bundle(path)


def load(found, part):
    return AieWordsLoader().load_part(found.primary, {}, None, found.companions, part)


def test_another_timer_is_another_start():
    stream = captures_of([250, 3_000_000, 9_000_000])
    assert find_starts(stream) == [(0, 250), (PACKET, 3_000_000), (2 * PACKET, 9_000_000)]
    assert find_starts(captures_of([250, 250])) == [(0, 250)], "the same start once more is none"
    years = [timer for _, timer in find_starts(captures_of([250, 2**55, 9_000_000]))]
    assert years == [250, 9_000_000], "no timer runs for a year"
    gaps = start(250) + b"\xa3\xf0\x00" * 9 + b"\x09\x1f"
    assert find_starts(gaps) == [(0, 250)], "a byte inside a command is no start"


def test_starts_without_timer_are_starts():
    assert [parse_start(start(77, first)) for first in (0xF0, 0xF1, 0xF2, 0xF4)] == [
        (0, 77),
        (1, None),
        (2, None),
        (0, 77),
    ]
    records = bytes.fromhex("c4200150") * 4
    stream = (start(0, 0xF1) + records).ljust(PACKET, b"\xfe") + start(0, 0xF1) + records
    assert [offset for offset, _ in find_starts(stream)] == [0, PACKET]


def test_each_start_is_a_capture_of_all_units():
    words = buffer({CORE: captures_of([100, 900_000]), OTHER: captures_of([103, 900_003])})
    found = divide(words, [])
    assert found.names == ("start 1", "start 2")
    assert [[stream.row for stream in capture.packets.streams] for capture in found.captures] == [
        [2, 3],
        [2, 3],
    ]
    assert [capture.timer for capture in found.captures] == [100, 900_000]


def test_a_unit_of_one_capture_is_assigned_by_its_timer():
    words = buffer({CORE: captures_of([100, 900_000]), MEMTILE: captures_of([900_002])})
    kinds = [
        [stream.kind for stream in capture.packets.streams]
        for capture in divide(words, []).captures
    ]
    assert kinds == [["core"], ["core", "memtile"]]


def test_units_that_start_some_cycles_apart_are_one_capture():
    assert divide(buffer({CORE: captures_of([100]), OTHER: captures_of([124])}), []).names == ()


def test_captures_are_runs_with_their_own_time(tmp_path):
    found = bundle(tmp_path, buffer({CORE: captures_of([100, 900_000])}))
    assert found.parts == ("start 1", "start 2")
    for part in found.parts:
        run = load(found, part)
        assert run.frames["events"]["start"].tolist() == [10, 26, 42]
        assert str(run.metadata["name"]).endswith(part)
        assert "started_again" in code_set(run)
        assert "captures_left" not in code_set(run)
    assert "captures_left" in code_set(load(found, ""))


def test_slices_are_found_in_both_spellings():
    new = slice_text(("a", "s", 0, 4096), ("b", "t", 4096, 1024))
    old = (
        'aie.trace_slices = [{device = "a", offset = 0 : i64, sequence = "s", size = 4096 : i64}, '
        '{device = "b", offset = 4096 : i64, sequence = "t", size = 1024 : i64}]'
    )
    assert (
        find_layouts(new)
        == find_layouts(old)
        == [[Slice("a", "s", 0, 4096), Slice("b", "t", 4096, 1024)]]
    )
    assert find_layouts(slice_text(("a", "s", 2, 4096), ("b", "t", 0, 0))) == [], (
        "slices are whole words"
    )


def test_a_sequence_that_another_one_runs_has_a_layout_of_its_own():
    """mlir-aie keeps the layout of each sequence, and devices may be in any order."""
    lists = [
        [("b", "t", 0, 4096)],
        [("a", "s", 0, 8192), ("b", "t", 8192, 4096)],
        [("a", "s", 0, 8192)],
    ]
    layouts = find_layouts("\n".join(slice_text(*records) for records in lists))
    assert [len(layout) for layout in layouts] == [1, 2, 1]
    assert choose_layout(layouts, 12288) == choose_layout(layouts, 1 << 20) == layouts[1]
    assert choose_layout(layouts, 4096) == layouts[0]
    assert choose_layout([], 4096) == []


def test_slices_that_overlap_are_read_once():
    text = slice_text(
        ("a", "s", 0, 4096), ("b", "t", 4092, 1024), ("a", "s", 0, 4096), ("c", "u", 4096, 1024)
    )
    assert [[part.device for part in layout] for layout in find_layouts(text)] == [["a", "c"]]


@pytest.mark.parametrize("order", [("dev_a", "dev_b"), ("dev_b", "dev_a")])
def test_each_slice_has_the_events_of_its_device(tmp_path, order):
    words = np.concatenate(
        [buffer({CORE: captures_of([100])}, 1024), buffer({CORE: captures_of([500])}, 1024)]
    )
    slices = slice_text(("dev_a", "seq_dev_a", 0, 1024), ("dev_b", "seq_dev_b", 1024, 1024))
    values = {"dev_a": 0x2221, "dev_b": 0x251A}
    found = bundle(
        tmp_path, words, slices + "".join(device_text(name, values[name]) for name in order)
    )
    assert found.parts == ()
    run = load(found, "")
    assert run.frames["tracks"]["slice"].tolist() == ["dev_a/seq_dev_a", "dev_b/seq_dev_b"]
    assert run.frames["tracks"]["track"].tolist() == ["core 2,0", "core 2,0 #2"]
    events = run.frames["events"]
    names = {
        track: set(events.loc[events["track"] == track, "name"]) - {"NONE"}
        for track in ("core 2,0", "core 2,0 #2")
    }
    assert names == {
        "core 2,0": {"INSTR_EVENT_0", "INSTR_EVENT_1"},
        "core 2,0 #2": {"LOCK_STALL", "INSTR_VECTOR"},
    }
    assert "unit_twice" not in code_set(run)


def test_all_units_of_a_later_slice_have_its_mark(tmp_path):
    memory = ("mem", 2, 0)
    words = np.concatenate(
        [
            buffer({CORE: captures_of([100])}, 1024),
            buffer({CORE: captures_of([500]), memory: captures_of([500])}, 1024),
        ]
    )
    slices = slice_text(("dev_a", "s", 0, 1024), ("dev_b", "t", 1024, 1024))
    tracks = load(bundle(tmp_path, words, slices), "").frames["tracks"]
    assert tracks["track"].tolist() == ["core 2,0", "core 2,0 #2", "mem 2,0 #2"]


def test_slices_that_were_started_again_are_runs_of_their_own(tmp_path):
    words = np.concatenate(
        [
            buffer({CORE: captures_of([100, 900_000])}, 1024),
            buffer({CORE: captures_of([500])}, 1024),
        ]
    )
    slices = slice_text(("dev_a", "s", 0, 1024), ("dev_b", "t", 1024, 1024))
    found = bundle(tmp_path, words, slices)
    assert found.parts == ("dev_a start 1", "dev_a start 2", "dev_b")
    run = load(found, "dev_b")
    assert run.frames["tracks"]["slice"].tolist() == ["dev_b/t"]


def test_a_unit_that_its_sequence_does_not_start_is_named_by_its_operation(tmp_path):
    words = np.concatenate(
        [buffer({CORE: captures_of([100])}, 1024), buffer({CORE: captures_of([500])}, 1024)]
    )
    slices = slice_text(("dev_a", "seq", 0, 1024), ("dev_b", "seq_dev_b", 1024, 1024))
    operation = (
        "aie.device(npu2_1col) @dev_a {\n %t = aie.tile(0, 2)\n %u = aie.tile(0, 3)\n"
        '  aie.trace @one(%t) {\n    aie.trace.event<"INSTR_VECTOR">\n'
        '    aie.trace.event<"LOCK_STALL">\n  }\n'
        '  aie.trace @two(%u) {\n    aie.trace.event<"TRUE">\n  }\n'
        "  aie.runtime_sequence @seq() {\n    aie.trace.start_config @two\n  }\n}\n"
    )
    found = bundle(tmp_path, words, slices + operation + device_text("dev_b", 0x2221))
    events = load(found, "").frames["events"]
    # The third slot has no event in the operation.
    assert set(events.loc[events["track"] == "core 2,0", "name"]) == {
        "INSTR_VECTOR",
        "LOCK_STALL",
        "slot 2",
    }


def test_overrun_and_unwritten_slices_are_said(tmp_path):
    full = buffer({CORE: captures_of([100], b"\x09" * 888)})
    assert len(full) == 256
    slices = slice_text(
        ("a", "", 0, 1024), ("b", "", 1024, 1024), ("c", "", 2048, 1024), ("d", "", 9216, 1024)
    )
    words = np.concatenate(
        [full, buffer({CORE: captures_of([100])}, 1024), np.zeros(256, np.uint32)]
    )
    found = bundle(tmp_path, words, slices)
    assert found.parts == ()
    run = load(found, "")
    overrun = [finding for finding in run.diagnostics if finding.code == "trace_overrun"]
    assert ["device a" in finding.message for finding in overrun] == [True]
    unwritten = [finding for finding in run.diagnostics if finding.code == "slice_unwritten"]
    assert [finding.severity for finding in unwritten] == ["warning", "warning"]


def test_only_the_last_start_may_fill_the_buffer(tmp_path):
    second = start(900_000) + b"\x09" * (888 - PACKET)
    words = buffer({CORE: captures_of([100]) + second})
    assert len(words) == 256
    found = bundle(tmp_path, words)
    assert ["trace_overrun" in code_set(load(found, part)) for part in found.parts] == [False, True]


def test_words_in_no_slice_are_counted(tmp_path):
    words = np.concatenate(
        [buffer({CORE: captures_of([100])}, 1024), buffer({CORE: captures_of([100])}, 1024)]
    )
    run = load(bundle(tmp_path, words, slice_text(("a", "", 0, 1024))), "a")
    assert "words_outside" in code_set(run)


@pytest.mark.parametrize("unused", [0, 0xA5A5A5A5, 0xFEFEFEFE])
@pytest.mark.parametrize(
    "end", [[], [0xFEFEFEFE], [0xFEFEFEFE, 0, 0]], ids=["no end", "filler", "end mark"]
)
@pytest.mark.parametrize("count", [0, 1, 5, 7, 8, 13])
def test_unused_words_between_captures_change_nothing(unused, end, count):
    first, second = (
        buffer(
            {
                CORE: captures_of([timer], b"\x09\x1f" * 40),
                OTHER: captures_of([timer + 3], b"\x09\x1f" * 40),
            }
        )
        for timer in (100, 900_000)
    )
    words = np.concatenate([first, np.array([*end, *[unused] * count], np.uint32), second])
    found = divide(words, []).captures
    assert [(capture.packets.bad, capture.packets.lost) for capture in found] == [(0, 0)] * 2
    contents = [
        [stream.content.rstrip(b"\xfe")[8:] for stream in capture.packets.streams]
        for capture in found
    ]
    assert contents == [[b"\x09\x1f" * 40] * 2] * 2


@pytest.mark.parametrize(
    ("fields", "unread"),
    [
        ("offset = 0, size = 64", 0),
        ("offset = 3, size = 64", 1),
        ("offset = -8, size = 64", 1),
        ("offset = 0, size = 0", 1),
        ("offset = 0, size = 99999999999999999996", 1),
        ("offset = 400000000000000, size = 64", 1),
    ],
)
def test_slices_that_are_no_part_of_a_buffer_are_counted(fields, unread):
    text = f'trace_slices = [#aie.trace_slice<device = "a", sequence = "s", {fields}>]'
    assert (count_unread(text), len(find_layouts(text))) == (unread, 1 - unread)


def test_overlapping_many_and_unreadable_slices_are_counted():
    many = [("d", "s", 64 * rank, 64) for rank in range(MAX_SLICES + 3)]
    assert count_unread(slice_text(*many)) == 3
    assert count_unread(slice_text(("a", "s", 0, 64), ("b", "s", 32, 64))) == 1
    assert count_unread("trace_slices = [#aie.trace_slice<device = ") == 1
    assert count_unread("trace_slices = []") == 0


def test_a_design_with_unread_slices_has_a_finding(tmp_path):
    words = trace_words({("core", 2, 0): bytes([0xF0, *bytes(7)]) + b"\x09\x1f"})
    (finding,) = [
        found
        for found in load(bundle(tmp_path, words, slice_text(("a", "s", 2, 64))), "").diagnostics
        if found.code == "slices_unread"
    ]
    assert (finding.severity, finding.count) == ("warning", 1)
