"""What a design configures: forms of register writes, trace operations, and shifted columns."""

import pytest

from data_loaders.aie.columns import find_shift, shift_columns, shift_findings
from data_loaders.aie.configuration import read_design
from data_loaders.aie.raw import AieWordsLoader
from data_loaders.aie.units import UnitConfiguration
from samples.trace_words import trace_words

START = bytes([0xF0, 0, 0, 0, 0, 0, 0, 9])
EVENTS = UnitConfiguration([0x21, 0x22, 0x1A, 0, None, None, None, None], 0)


def read(folder, body):
    path = folder / "aie.mlir"
    path.write_text(f"module {{\n  aie.device(npu2) {{\n{body}\n  }}\n}}\n")
    return read_design(path)


def load(folder, places, body, **settings):
    path = folder / "trace.txt"
    words = trace_words(dict.fromkeys(places, START + b"\x09\x1f"))
    path.write_text("".join(f"{word:08x}\n" for word in words))
    read(folder, body)
    loader = AieWordsLoader()
    return loader.load(path, settings, None, loader.bundle(path).companions)


def write(col, row, value=0x2221):
    return f"aiex.npu.write32 {{address = 213216 : ui32, column = {col} : i32, row = {row} : i32, value = {value} : ui32}}"


def findings(run, code):
    return [finding for finding in run.diagnostics if finding.code == code]


@pytest.mark.parametrize(
    "body",
    [
        "aiex.npu.write32 {address = 213216 : ui32, column = 1 : i32, row = 2 : i32, value = 1712673 : ui32}",
        "aiex.npu.write32 {address = 0x340e0 : ui32, column = 0x1 : i32, row = 2 : i32, value = 0x001A2221 : ui32}",
        "aiex.npu.write32 {address = 213216 : ui32, buffer = @b, column = 1 : i32, row = 2 : i32, "
        "value = 1712673 : ui32}",
        "%a = arith.constant 213216 : i32\n%v = arith.constant 0x1A2221 : i32\n"
        "aiex.npu.write32(%a, %v) {column = 1 : i32, row = 2 : i32} : i32, i32",
        f"%a = arith.constant {(1 << 25) | (2 << 20) | 0x340E0} : i32\n%v = arith.constant 1712673 : i32\n"
        "aiex.npu.write32(%a, %v) : i32, i32",
        f"aiex.npu.write32 {{address = {(1 << 25) | (2 << 20) | 0x340E0} : ui32, value = 1712673 : ui32}}",
        '"aiex.npu.write32"() <{address = 213216 : ui32, column = 1 : i32, row = 2 : i32, value = 1712673 : ui32}>'
        " : () -> ()",
    ],
)
def test_forms_of_a_write(tmp_path, body):
    units = read(tmp_path, f"aie.runtime_sequence @s() {{\n{body}\n}}").units()
    assert {place: unit.codes[:4] for place, unit in units.items()} == {
        ("core", 2, 1): [0x21, 0x22, 0x1A, 0]
    }


def test_a_negative_constant_is_its_32_bits(tmp_path):
    body = "%a = arith.constant 213216 : i32\n%v = arith.constant -1 : i32\naiex.npu.write32(%a, %v) : i32, i32"
    assert read(tmp_path, body).units()["shim", 0, 0].codes[:4] == [255] * 4


def test_trace_operations_configure_units(tmp_path):
    units = read(
        tmp_path,
        """
        %shim = aie.tile(3, 0)
        %mem = aie.tile( 3 , 1 )
        %core = aie.tile(3, 2) {controller_id = #aie.packet_info<pkt_type = 0, pkt_id = 27>}
        // aie.trace @comment(%core) { aie.trace.event<"ACTIVE"> }
        aie.trace @a(%core) {
          aie.trace.mode "Event-PC"
          aie.trace.event<CoreEventAIE2P::INSTR_EVENT_0>
          aie.trace.event <"LOCK_STALL"> label = "waits"
          aie.trace.port<0> port = NORTH channel = 1 direction = S2MM
          aie.trace.start broadcast=15
        }
        aie.trace @b(%core) {
          aie.trace.packet id=2 type="mem"
          aie.trace.event<"DMA_S2MM_0_START_TASK">
        }
        aie.trace @c (%mem) {
          aie.trace.packet type = memtile
          aie.trace.event < "PORT_RUNNING_4" >
        }
        aie.trace @d(%shim) {
          aie.trace.packet id = 4 type = shimtile
          aie.trace.event<"DMA_MM2S_0_START_TASK">
        }
        aie.trace.config @e(%mem2) packet_type = core {
          aie.trace.reg register = "Trace_Event0" field = "Trace_Event2" value = "LOCK_STALL"
        }
        %mem2 = aie.logical_tile<CoreTile>(4, 5)
        """,
    ).units()
    assert {place: (unit.slot_names(place[0])[:2], unit.mode) for place, unit in units.items()} == {
        ("core", 2, 3): (["INSTR_EVENT_0", "LOCK_STALL"], 1),
        ("mem", 2, 3): (["DMA_S2MM_0_START_TASK", "slot 1"], 0),
        ("memtile", 1, 3): (["PORT_RUNNING_4", "slot 1"], 0),
        ("shim", 0, 3): (["DMA_MM2S_0_START_TASK", "slot 1"], 0),
        ("core", 5, 4): (["slot 0", "slot 1"], 0),
    }
    assert units["core", 5, 4].slot_names("core")[2] == "LOCK_STALL"


def test_packed_registers_are_read(tmp_path):
    body = """
        %t = aie.tile(0, 2)
        aie.trace.config @c(%t) packet_type = core {
          aie.trace.reg register = "Trace_Control0" value = 2038038529 : i32
          aie.trace.reg register = "Trace_Event0" value = 8737 : i32
        }"""
    unit = read(tmp_path, body).units()["core", 2, 0]
    assert (unit.codes[:2], unit.mode) == ([0x21, 0x22], 1)


def test_traces_that_a_sequence_starts_count(tmp_path):
    traces = "".join(
        f'%t{row} = aie.tile(0, {row})\naie.trace @t{row}(%t{row}) {{\n aie.trace.event<"ACTIVE">\n}}\n'
        for row in (2, 3, 4)
    )
    body = f"{traces}aie.runtime_sequence @s() {{\naie.trace.start_config @t2\n}}\n"
    assert list(read(tmp_path, body).units()) == [("core", 2, 0)]
    both = f"{body}aie.runtime_sequence @t() {{\naie.trace.start_config @t3\n}}\n"
    device = read(tmp_path, both).devices[0]
    assert [list(device.units(name)) for name in ("s", "t")] == [[("core", 2, 0)], [("core", 3, 0)]]


def test_a_lowered_trace_has_a_suffix_and_may_have_counters_beside_it(tmp_path):
    body = """
        %t = aie.tile(0, 2)
        aie.trace.config @a_config(%t) packet_type = core {
          aie.trace.reg register = "Trace_Event0" value = 8737 mask = 2139062143 comment = "INSTR_EVENT_0"
        }
        aie.trace.config @perf_core_0_2(%t) {
          aie.trace.reg register = "Performance_Control1" value = 28 : i32
        }
        aie.runtime_sequence @s() {
          aie.trace.start_config @a
          aie.trace.start_config @perf_core_0_2
        }"""
    assert read(tmp_path, body).units()["core", 2, 0].codes[:2] == [0x21, 0x22]


def test_a_trace_without_a_place_is_named(tmp_path):
    body = f'{write(0, 2)}\n%t = aie.logical_tile<CoreTile>(?, ?)\naie.trace @far(%t) {{\n aie.trace.event<"ACTIVE">\n}}'
    run = load(tmp_path, [("core", 2, 0)], body)
    assert "far" in findings(run, "trace_unplaced")[0].message


def test_devices_that_disagree_are_said(tmp_path):
    body = f"{write(0, 2)}\n}}\naie.device(npu2) @b {{\n{write(0, 2, 0x1A1A)}"
    assert findings(load(tmp_path, [("core", 2, 0)], body), "devices_contest")
    assert not findings(load(tmp_path, [("core", 2, 0)], write(0, 2)), "devices_contest")


def units_at(*places):
    return dict.fromkeys(places, EVENTS)


@pytest.mark.parametrize(
    ("model", "design", "traced", "shift", "is_doubtful"),
    [
        ("npu2", [("core", 2, 0)], [("core", 2, 5)], 5, False),
        ("npu2", [("core", 2, 0), ("core", 2, 1)], [("core", 2, 1), ("core", 2, 2)], 1, False),
        ("npu2", [("core", 2, 0), ("core", 2, 1)], [("core", 2, 1)], 0, True),
        ("npu1", [("core", 2, 0), ("core", 2, 1)], [("core", 2, 2)], 1, True),
        ("npu2", [("memtile", 1, 0), ("core", 2, 1)], [("core", 2, 3)], 2, True),
        ("npu2", [("core", 2, 1), ("core", 3, 2)], [("core", 3, 1)], -1, True),
    ],
)
def test_most_units_decide_the_shift(model, design, traced, shift, is_doubtful):
    found = find_shift(units_at(*design), set(traced), model, None)
    assert found.columns == shift
    shifted = shift_columns(units_at(*design), shift)
    assert [finding.code for finding in shift_findings(found, shifted, set(traced))] == [
        "columns_uncertain"
    ] * is_doubtful


def test_no_shift_moves_a_design_out_of_the_array():
    design = units_at(("core", 2, 0), ("core", 3, 1))
    assert find_shift(design, {("core", 3, 0)}, "npu2", None).explained == 0


def test_the_user_may_set_the_shift(tmp_path):
    body = f"{write(0, 2)}\n{write(1, 2, 0x1A1A)}"
    assert load(tmp_path, [("core", 2, 1)], body).frames["events"]["name"].tolist() == [
        "LOCK_STALL",
        "LOCK_STALL",
    ]
    run = load(tmp_path, [("core", 2, 1)], body, colshift="1")
    assert run.frames["events"]["name"].tolist() == ["INSTR_EVENT_0", "INSTR_EVENT_1"]
    assert not findings(run, "columns_uncertain")


def test_units_that_wrote_nothing_are_named(tmp_path):
    memtile = "aiex.npu.write32 {address = 606432 : ui32, column = 0 : i32, row = 1 : i32, value = 80 : ui32}"
    body = f"{write(0, 2)}\n{write(0, 3)}\n{memtile}\n{write(0, 4, 0)}"
    silent = findings(load(tmp_path, [("core", 2, 0)], body), "units_silent")
    assert [(finding.severity, finding.location) for finding in silent] == [
        ("warning", "core 3,0"),
        ("info", "memtile 1,0"),
    ]
    assert not findings(load(tmp_path, [("core", 5, 0)], body), "units_silent"), (
        "another design's units are not silent"
    )


def test_of_several_designs_the_one_that_explains_most_is_read(tmp_path):
    (tmp_path / "a.mlir").write_text(f"aie.device(npu2) {{\n{write(0, 5)}\n}}")
    run = load(tmp_path, [("core", 2, 0), ("core", 3, 0)], f"{write(0, 2)}\n{write(0, 3)}")
    assert not findings(run, "config_missing")
