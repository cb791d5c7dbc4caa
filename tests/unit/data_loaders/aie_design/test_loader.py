"""A design as a run of its own: its frames, its findings, and damage of every line."""

import random

import pytest

from data_loaders.aie_design.loader import AieDesignLoader
from data_loaders.aie_design.reader import read_design_text
from data_loaders.protocol import LoadError
from samples.aie_design import STAGES, design_lines
from tests.support.finding_codes import code_counts
from tilescope.run_contract import check_run

MUTANTS = 2000
RUN_EVERY = 40
GARBAGE = (
    "",
    "}",
    "{",
    '"',
    "aie.core(%core2) {",
    "%x = aie.tile(",
    "aie.buffer(%core2)",
    "\x01,,",
)


def load(folder, text, **settings):
    path = folder / "aie.mlir"
    path.write_text(text)
    return AieDesignLoader().load(path, settings)


def core(*buffers):
    listed = " ".join(buffers)
    return f"aie.device(npu1) {{ %t = aie.tile(0, 2) {listed} aie.core(%t) {{ aie.end }} }}"


def test_the_sample_is_a_memory_map_per_core(tmp_path):
    run = load(tmp_path, "\n".join(design_lines()))
    assert run.diagnostics == []
    assert run.frames["attempts"]["level"].tolist() == [f"core {stage.row},0" for stage in STAGES]
    assert run.frames["attempts"]["bank_bytes"].tolist() == [16384, 16384]
    blocks = run.frames["allocations"]
    assert len(blocks) == len(run.frames["design_buffers"]) == 10
    assert len(run.frames["design_locks"]) == 8
    assert len(run.frames["design_descriptors"]) == 8
    programs = run.frames["design_programs"]
    assert (programs["op"] == "acquire").sum() == 8


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            core(
                "%a = aie.buffer(%t) {address = 1024 : i32} : memref<512xi32>",
                "%b = aie.buffer(%t) {address = 2048 : i32} : memref<4xi32>",
            ),
            {"design_overlap": 1},
        ),
        (
            core(
                "%a = aie.buffer(%t) {address = 1024 : i32} : memref<4096xi8>",
                "%b = aie.buffer(%t) {address = 1040 : i32} : memref<4xi8>",
                "%c = aie.buffer(%t) {address = 2048 : i32} : memref<4xi8>",
            ),
            {"design_overlap": 2},
        ),
        (core("%a = aie.buffer(%t) {address = 512 : i32} : memref<4xi32>"), {"design_overlap": 1}),
        (
            core("%a = aie.buffer(%t) {address = 65535 : i32} : memref<2xi8>"),
            {"design_too_large": 1},
        ),
        (
            core("%a = aie.buffer(%t) {address = 1024 : i32, mem_bank = 2 : i32} : memref<2xi8>"),
            {"design_bank": 1},
        ),
        (core() + "}", {"design_cut": 1}),
        (core()[:-1], {"design_cut": 1}),
        (core("%l = aie.lock(%gone, 1)"), {"design_skipped": 1}),
        (core(), {}),
    ],
)
def test_findings(tmp_path, text, expected):
    assert code_counts(load(tmp_path, text)) == expected


def test_the_generic_form_is_refused_with_its_name(tmp_path):
    text = '"aie.device"() ({ %0 = "aie.tile"() <{col = 0 : i32, row = 2 : i32}> : () -> index })'
    path = tmp_path / "aie.mlir"
    path.write_text(text)
    assert AieDesignLoader().sniff(path, text.encode()) is None
    with pytest.raises(LoadError, match="design_generic"):
        AieDesignLoader().load(path, {})


def test_a_device_that_is_not_there_is_named(tmp_path):
    with pytest.raises(LoadError, match="device=other"):
        load(tmp_path, core(), device="other")


def test_a_design_without_tiles_is_left_to_the_trace_that_it_configures(tmp_path):
    head = b"module { aie.device(npu1) { aiex.npu.write32 {address = 213200 : ui32} } }"
    assert "aie.tile" in AieDesignLoader().sniff(tmp_path, head)


@pytest.mark.parametrize(
    ("head", "is_claimed"),
    [
        (b"// a comment\n\nmodule { aie.device(npu1) { %t = aie.tile(0, 2) } }", True),
        (b"!t = memref<4xi8>\nmodule { aie.device(npu1) { %t = aie.tile(0, 2) } }", True),
        (b"module @m { %0 = AIE.tile(7, 2) }", True),
        (b'print("%t = aie.tile(0, 2)")', False),
        (b"module { %0 = AIE.tile(7, 2) }\0", False),
    ],
)
def test_a_text_that_begins_as_mlir_and_has_a_tile_is_claimed(tmp_path, head, is_claimed):
    assert (AieDesignLoader().sniff(tmp_path, head) is None) is is_claimed


def damaged(lines, draw):
    """Return the lines with one to three of them cut, replaced or followed by garbage."""
    lines = list(lines)
    for _ in range(draw.randint(1, 3)):
        place = draw.randrange(len(lines))
        line = lines[place]
        begin = draw.randrange(len(line) + 1)
        cut = line[:begin] + line[begin + draw.randint(1, 9) :]
        lines[place] = draw.choice((cut, draw.choice(GARBAGE), line + draw.choice(GARBAGE)))
    return lines


@pytest.mark.slow
def test_damage_of_any_line_gives_a_run_of_the_schema_or_a_sentence(tmp_path):
    lines = list(design_lines())
    draw = random.Random(42)  # noqa: S311 - which lines are damaged
    read = 0
    for rank in range(MUTANTS):
        text = "\n".join(damaged(lines, draw))
        # Frames take ten times as long as the text, so that only some mutants become runs.
        if rank % RUN_EVERY:
            design = read_design_text(text)
            read += any(device.tiles for device in design.devices)
            continue
        try:
            check_run(load(tmp_path, text))
        except LoadError as error:
            assert "\n" not in str(error)
    assert read > MUTANTS // 2
