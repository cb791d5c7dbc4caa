"""The command `design`: a design alone, beside a capture, and from another file."""

import json

import pytest

from components.numbers import grouped_digits
from ingest.files import ingest
from samples.aie_design import design_lines
from tests.support.command_line import run

DESIGN = "\n".join(design_lines())
LOCK_STALL = {"name": "LOCK_STALL", "pid": 0, "tid": 0, "args": {}}
TRACE = [
    {"name": "process_name", "ph": "M", "pid": 0, "args": {"name": "core_trace for tile2,3"}},
    {"name": "thread_name", "ph": "M", "pid": 0, "tid": 0, "args": {"name": "LOCK_STALL"}},
    {"name": "thread_name", "ph": "M", "pid": 0, "tid": 1, "args": {"name": "MEMORY_STALL"}},
    {"ph": "B", "ts": 10, **LOCK_STALL},
    {"ph": "E", "ts": 60, **LOCK_STALL},
]


@pytest.fixture
def stored(settings, tmp_path):
    """Ingest files (name -> text) of one folder; return the arguments of the command."""

    def args(**files):
        folder = tmp_path / "run"
        folder.mkdir()
        for name, text in files.items():
            (folder / name.replace("_", ".")).write_text(text)
        (made,) = ingest(settings.repository(), [folder], {}).runs
        return "design", made.run_id, "--data", settings.data

    return args


def answer(*args):
    result = run(*args, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


@pytest.mark.slow
def test_a_design_alone_has_memory_locks_and_channels_and_no_stalls(stored):
    found = answer(*stored(aie_mlir=DESIGN))
    tiles = {tile["tile"]: tile for tile in found["tiles"]}
    assert tiles["core 2,0"]["bank_bytes"] == [1024 + 2 * 4096, 4096, 4096, 0]
    assert tiles["core 2,0"]["bytes"] == 1024 + 4 * 4096
    assert tiles["shim 0,0"]["bank_bytes"] is None
    assert len(found["locks"]) == 8
    assert [len(channel["bds"]) for channel in found["dma"]] == [2, 2, 2, 2]
    assert [host["symbol"] for host in found["host"]] == ["in", "out"]
    assert (found["device"], found["lowered"], found["column_shift"]) == ("npu1_1col", True, 0)
    assert (found["memory_stalls"], found["lock_stalls"]) == ([], [])


@pytest.mark.slow
def test_beside_a_capture_each_traced_core_has_its_stalls(stored):
    found = answer(*stored(trace_json=json.dumps(TRACE), aie_mlir=DESIGN))
    assert found["column_shift"] == 3
    (memory,) = found["memory_stalls"]
    assert (memory["tile"], memory["cycles"], memory["evidence"]) == ("core 2,3", 0, "design")
    assert {tuple(pair["buffers"]) for pair in memory["pairs"]} == {
        ("(stack)", "in_cons_buff_0"),
        ("(stack)", "in_cons_buff_1"),
        ("in_cons_buff_0", "in_cons_buff_1"),
    }
    (locks,) = found["lock_stalls"]
    assert (locks["cycles"], locks["unknown_cycles"], locks["culprit"]) == (50, 50, None)
    assert sorted(locks["candidates"]) == ["in_cons_cons_lock", "mid_prod_lock"]


def test_text_begins_with_the_sentences(stored):
    args = stored(trace_json=json.dumps(TRACE), aie_mlir=DESIGN)
    found = answer(*args)
    lines = run(*args).stdout.splitlines()
    assert lines[1:3] == [found[part][0]["sentence"] for part in ("memory_stalls", "lock_stalls")]


@pytest.mark.slow
def test_numbers_of_the_text_have_spaces_between_thousands(stored):
    long = [entry | ({"ts": 20_010} if entry.get("ph") == "E" else {}) for entry in TRACE]
    args = stored(trace_json=json.dumps(long), aie_mlir=DESIGN)
    found = answer(*args)
    assert found["lock_stalls"][0]["cycles"] == 20_000
    text = run(*args).stdout
    assert "20 000 cycles" in text
    used = next(tile["bytes"] for tile in found["tiles"] if tile["bytes"])
    assert f"{used:,}".replace(",", " ") in text
    assert str(used) not in text


def test_addresses_stay_as_a_design_has_them():
    text = grouped_digits("to bank 1 (address 20480) after 20480 cycles")
    assert text == "to bank 1 (address 20480) after 20\u202f480 cycles"


def test_a_run_without_a_design_is_an_error_in_one_line(stored):
    result = run(*stored(trace_json=json.dumps(TRACE)))
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "--design" in result.stderr


@pytest.mark.slow
def test_another_file_is_read_and_nothing_is_stored(stored, tmp_path):
    args = stored(trace_json=json.dumps(TRACE))
    other = tmp_path / "other.mlir"
    other.write_text(DESIGN)
    assert answer(*args, "--design", other)["column_shift"] == 3
    assert run(*args).exit_code == 1


TWO = (
    "aie.device(npu1) @one { %t = aie.tile(0, 2) aie.core(%t) { aie.end } } "
    "aie.device(npu1) @two { %t = aie.tile(0, 2) }"
)


@pytest.mark.slow
@pytest.mark.parametrize(("given", "tiles"), [((), True), (("--device", "two"), False)])
def test_a_device_of_the_file_is_chosen_by_name(stored, tmp_path, given, tiles):
    other = tmp_path / "other.mlir"
    other.write_text(TWO)
    args = stored(trace_json=json.dumps(TRACE))
    (tile,) = answer(*args, "--design", other, *given)["tiles"]
    assert tile["core"] is tiles


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no design", "no device"),
        (DESIGN.replace("(0, 2)", "(0, 4)"), "another program"),
        ('"aie.device"() ({})', "design_generic"),
    ],
)
def test_a_file_that_cannot_be_joined_is_an_error_in_one_line(stored, tmp_path, text, message):
    other = tmp_path / "other.mlir"
    other.write_text(text)
    result = run(*stored(trace_json=json.dumps(TRACE)), "--design", other)
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr
