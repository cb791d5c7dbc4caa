"""A design beside a trace: which file, which columns, and what does not fit."""

import gzip
import json

import pytest

from data_loaders.aie.trace import AieTraceLoader
from data_loaders.aie_design.files import find_designs
from samples.aie_design import design_lines
from tests.support.finding_codes import code_set

DESIGN = "\n".join(design_lines())
CORES = ((2, 0), (3, 0))


def trace(places=CORES):
    entries = []
    for pid, (row, col) in enumerate(places):
        process = {"name": f"core_trace for tile{row},{col}"}
        lane = {"name": "LOCK_STALL"}
        times = {"name": "LOCK_STALL", "pid": pid, "tid": 0, "args": {}}
        entries += [
            {"name": "process_name", "ph": "M", "pid": pid, "args": process},
            {"name": "thread_name", "ph": "M", "pid": pid, "tid": 0, "args": lane},
            {"ph": "B", "ts": 10, **times},
            {"ph": "E", "ts": 20, **times},
        ]
    return json.dumps(entries)


def load(folder, places=CORES, **designs):
    """Load a trace with designs beside it; `index` is the text of `index.json`."""
    index = designs.pop("index", None)
    path = folder / "trace.json.gz"
    path.write_bytes(gzip.compress(trace(places).encode()))
    for name, text in designs.items():
        (folder / f"{name}.mlir").write_text(text)
    if index is not None:
        (folder / "index.json").write_text(index)
    loader = AieTraceLoader()
    return loader.load(path, {}, None, loader.bundle(path).companions)


def file_of(run):
    return run.frames["design_devices"]["file"].iloc[0]


@pytest.mark.parametrize(("first_column", "shift"), [(0, 0), (1, 1), (5, 5)])
def test_the_design_lies_below_the_traced_cores(tmp_path, first_column, shift):
    run = load(tmp_path, [(row, first_column) for row, _ in CORES], aie=DESIGN)
    assert run.frames["design_devices"]["column_shift"].tolist() == [shift]
    assert set(run.frames["design_buffers"]["tile"]) == {f"core {row},{shift}" for row, _ in CORES}
    assert f"core 2,{shift} S2MM 0" in set(run.frames["design_uses"]["by"])
    assert f"shim 0,{shift}" in set(run.frames["design_flows"]["source"])
    assert run.frames["design_tiles"]["col"].unique().tolist() == [shift]
    assert not code_set(run) & {"design_shift", "design_other"}


def test_a_design_that_fits_nowhere_is_named_and_not_stored(tmp_path):
    run = load(tmp_path, [(2, 0), (5, 0)], aie=DESIGN)
    assert "design_other" in code_set(run)
    assert not [name for name in run.frames if name.startswith("design_")]


TWO_COLUMNS = (
    "aie.device(npu2) { %a = aie.tile(0, 2) %b = aie.tile(1, 2) aie.core(%a) { aie.end } "
    "aie.core(%b) { aie.end } MORE }"
)


def test_the_least_of_several_shifts_is_taken_with_a_finding(tmp_path):
    run = load(tmp_path, [(2, 3)], aie=TWO_COLUMNS.replace("MORE", ""))
    assert run.frames["design_devices"]["column_shift"].tolist() == [2]
    assert "design_shift" in code_set(run)


def test_a_shift_below_the_first_column_is_impossible(tmp_path):
    run = load(tmp_path, [(2, 0)], aie=TWO_COLUMNS.replace("MORE", ""))
    assert run.frames["design_devices"]["column_shift"].tolist() == [0]
    assert "design_shift" not in code_set(run)


def test_the_configuration_of_the_trace_decides_between_shifts(tmp_path):
    write = (
        "aiex.runtime_sequence() {\naiex.npu.write32 {address = 213216 : ui32, column = 0 : i32, "
        "row = 2 : i32, value = 33 : ui32}\n}"
    )
    run = load(tmp_path, [(2, 3)], aie=TWO_COLUMNS.replace("MORE", write))
    assert run.frames["design_devices"]["column_shift"].tolist() == [3]
    assert "design_shift" not in code_set(run)


PLAIN = DESIGN.replace("address", "other")


def test_a_design_with_addresses_comes_before_others(tmp_path):
    assert file_of(load(tmp_path, a=PLAIN, b=DESIGN)) == "b.mlir"


def test_the_design_that_index_json_names_is_read(tmp_path):
    run = load(tmp_path, a=PLAIN, b=DESIGN, index='{"design": "a.mlir"}')
    assert file_of(run) == "a.mlir"
    assert "index_member" not in code_set(run)


@pytest.mark.parametrize("name", ["c.mlir", "../b.mlir"])
def test_a_named_design_that_is_not_beside_the_trace_is_reported(tmp_path, name):
    run = load(tmp_path, b=DESIGN, index=json.dumps({"design": name}))
    assert "index_value" in code_set(run)
    assert "design_devices" not in run.frames


def test_of_several_devices_the_one_with_most_cores_is_read(tmp_path):
    run = load(tmp_path, aie="aie.device(npu1) @main { aie.end }\n" + DESIGN)
    assert run.frames["design_devices"]["chosen"].tolist() == [False, True]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("// aie.device\n\0", "companion_unreadable"),
        ('"aie.device"() ({ %0 = "aie.tile"() : () -> index })', "design_generic"),
        (DESIGN[:3000], "design_cut"),
    ],
)
def test_a_damaged_design_costs_itself(tmp_path, text, code):
    run = load(tmp_path, aie=text)
    assert code in code_set(run)
    assert len(run.frames["events"]) == len(CORES)


def test_a_text_that_only_configures_the_trace_is_no_design(tmp_path):
    run = load(tmp_path, aie="aie.device(npu1) { aiex.runtime_sequence() {} }")
    assert not [name for name in run.frames if name.startswith("design_")]
    assert not {code for code in code_set(run) if code.startswith("design")}


def test_designs_of_a_folder_are_listed_with_the_programs_first(tmp_path):
    for name in ("b", "a", "main_physical_with_elfs", "old"):
        (tmp_path / f"{name}.mlir").write_text(
            "module { %0 = AIE.tile(1, 2) }" if name == "old" else DESIGN
        )
    (tmp_path / "other.mlir").write_text("module { func.func @f() }")
    names = [file.stem for file in find_designs(tmp_path)]
    assert names == ["main_physical_with_elfs", "a", "b", "old"]
