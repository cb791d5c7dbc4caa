"""A poorer reading of the same content never replaces a better one."""

import pytest

from app.cli.ingest import single_warnings
from data_loaders.aie.raw import AieWordsLoader
from ingest.files import ingest
from ingest.reading_quality import UNEXPLAINED, new_quality
from ingest.summary import Summary
from samples.trace_words import trace_words
from schema.diagnostics import Diagnostic

START = bytes([0xF0, 0, 0, 0, 0, 0, 0, 9])
KERNELS = START + b"\x09\x85\x20" * 30
CORES = [("core", 2, 0), ("core", 3, 0)]


def write(row, value=0x2221):
    return f"aiex.npu.write32 {{address = 213216 : ui32, column = 0 : i32, row = {row} : i32, value = {value} : ui32}}\n"


def words(folder, design=None):
    folder.mkdir(exist_ok=True)
    path = folder / "trace.txt"
    path.write_text("".join(f"{word:08x}\n" for word in trace_words(dict.fromkeys(CORES, KERNELS))))
    if design is not None:
        (folder / "aie.mlir").write_text(f"aie.device(npu2) {{\n{design}}}\n")
    return path


GOOD = write(2) + write(3)


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(
    "poorer",
    [
        None,
        "",
        write(2, 0) + write(3, 0),
        write(4) + write(5),
        write(2),
        write(2) + write(3, 0x1A1A),
    ],
    ids=["no design", "no writes", "no events", "other units", "fewer units", "other events"],
)
@pytest.mark.parametrize("newer", [False, True])
def test_a_poorer_design_keeps_the_run(repository, tmp_path, monkeypatch, poorer, newer):
    good = ingest(repository, [words(tmp_path / "good", GOOD)], {}).runs[0]
    if newer:
        monkeypatch.setattr(AieWordsLoader, "version", "999")
    again = ingest(repository, [words(tmp_path / "poor", poorer)], {}).runs[0]
    assert (again.run_id, again.status) == (good.run_id, "unchanged")
    assert set(repository.frame(good.run_id, "events")["name"]) == {
        "INSTR_EVENT_0",
        "INSTR_EVENT_1",
    }
    assert len(repository.runs()) == 1
    is_said = [finding.code for finding in again.diagnostics].count("poorer_reading")
    assert is_said == (0 if poorer is None and not newer else 1)
    assert len(single_warnings([again])) == is_said


def test_a_better_design_replaces_the_run(repository, tmp_path):
    ingest(repository, [words(tmp_path / "poor", write(2))], {})
    better = ingest(repository, [words(tmp_path / "good", GOOD)], {}).runs[0]
    assert better.status == "updated"
    assert set(repository.frame(better.run_id, "events")["name"]) == {
        "INSTR_EVENT_0",
        "INSTR_EVENT_1",
    }


@pytest.mark.slow
def test_a_setting_of_the_user_is_carried_out(repository, tmp_path):
    ingest(repository, [words(tmp_path / "good", GOOD)], {})
    assert (
        ingest(repository, [words(tmp_path / "poor", write(2))], {"M": "64"}).runs[0].status
        == "updated"
    )


def test_what_is_explained_counts_before_what_is_there():
    summary = Summary({}, {}, [])
    whole = new_quality({"events": 3}, [], summary)
    findings = [Diagnostic("warning", code, "", "", 2) for code in sorted(UNEXPLAINED)]
    assert all(
        new_quality({"events": 3, "more": 9}, [finding], summary) < whole for finding in findings
    )
    assert new_quality({"events": 3, "more": 0, "diagnostics": 5}, [], summary) == whole


@pytest.mark.slow
def test_parts_of_a_file_are_runs(repository, tmp_path):
    path = words(tmp_path / "twice", GOOD)
    again = bytes([0xF0, 0, 0, 0, 9, 0, 0, 9]) + b"\x09\x1f"
    stream = KERNELS + b"\xfe" * (-len(KERNELS) % 28) + again
    path.write_text("".join(f"{word:08x}\n" for word in trace_words({CORES[0]: stream})))
    answer = ingest(repository, [path], {})
    assert [run.name for run in answer.runs] == ["twice · start 1", "twice · start 2"]
    assert len({run.run_id for run in answer.runs}) == 2
    assert [run.status for run in ingest(repository, [path], {}).runs] == ["unchanged", "unchanged"]
    counts = [len(repository.frame(run.run_id, "events")) for run in answer.runs]
    assert counts == [60, 2]
