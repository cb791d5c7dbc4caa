"""Comparison of two runs with designs: in the result, its JSON and on the page."""

import gzip
import json
import shutil

import pytest

from app.views.comparison.designs import DESIGNS, designs_part, designs_tables
from app.views.comparison.state import CompareState
from ingest.files import ingest
from samples.aie_design import design_lines
from services.comparison.compare import compare
from services.comparison.data import CompareDataCache, Question
from services.run.data_cache import RunDataCache
from tests.support.command_line import good, run
from tests.support.comparisons import SAMPLES

MOVED = ("address = 5120 : i32, mem_bank = 0", "address = 53248 : i32, mem_bank = 3")


@pytest.fixture
def runs(repository, tmp_path):
    """Ingest the sample capture, and a copy of it with a moved buffer."""
    folder = tmp_path / "copy"
    shutil.copytree(SAMPLES / "aie_design" / "stalls", folder)
    design = folder / "input_with_addresses.mlir"
    design.write_text(design.read_text().replace(*MOVED))
    # A trace of the same bytes would be the same run.
    trace = folder / "pipeline_stalls.json.gz"
    trace.with_suffix("").write_bytes(gzip.decompress(trace.read_bytes()) + b" ")
    trace.unlink()
    paths = [SAMPLES / "aie_design" / "stalls", folder]
    found = [ingest(repository, [path], {}).runs[0].run_id for path in paths]
    assert len(set(found)) == 2
    return found


def designs_of(repository, base, new):
    return compare(repository, [base], [new]).record()["designs"]


@pytest.mark.slow
def test_the_moved_buffer_is_in_the_result(repository, runs):
    found = designs_of(repository, *runs)
    assert found["runs"] == {"base": runs[0], "new": runs[1]}
    assert found["counts"] == {"buffers": 1, "depths": 0, "locks": 0, "flows": 0}
    (row,) = found["buffers"]
    assert (row["name"], row["base"]["first_bank"], row["new"]["first_bank"]) == (
        "in_cons_buff_1",
        0,
        3,
    )


@pytest.mark.slow
def test_the_command_prints_it(repository, runs, tmp_path):
    printed = json.loads(good(run("compare", *runs, "--json", "--data", str(tmp_path / "data"))))
    assert printed["designs"] == designs_of(repository, *runs)


def test_the_page_lists_it(repository, runs):
    data = CompareDataCache(repository, RunDataCache(repository)).get(
        Question((runs[0],), (runs[1],))
    )
    assert DESIGNS.shown_for(data)
    (table,) = designs_tables(data, CompareState())
    (row,) = table.rows
    assert row[:3] == ["buffer", "core 2,0 in_cons_buff_1", "moved"]
    assert "0x1400" in row[3]
    assert "0xd000" in row[4]
    assert designs_part(data, CompareState()).body is not None


@pytest.mark.slow
def test_another_column_of_the_array_is_the_same_design(repository, tmp_path):
    ids = []
    for column in (0, 1):
        folder = tmp_path / f"at{column}"
        folder.mkdir()
        text = (SAMPLES / "aie_design" / "stalls").joinpath("input_with_addresses.mlir").read_text()
        (folder / "aie.mlir").write_text(text)
        # The same design, loaded one column to the right.
        entries = [
            {"name": "process_name", "ph": "M", "pid": 0, "args": {"name": f"core_trace for tile2,{column}"}},
            {"name": "thread_name", "ph": "M", "pid": 0, "tid": 0, "args": {"name": "INSTR_EVENT_0"}},
            *(
                {"name": "INSTR_EVENT_0", "ph": phase, "ts": time, "pid": 0, "tid": 0, "args": {}}
                for phase, time in (("B", 10 + column), ("E", 11 + column))
            ),
        ]  # fmt: skip
        (folder / "trace.json").write_text(json.dumps(entries))
        ids.append(ingest(repository, [folder / "trace.json"], {}).runs[0].run_id)
    shifts = [repository.frame(run_id, "design_devices")["column_shift"].tolist() for run_id in ids]
    assert shifts == [[0], [1]]
    assert set(designs_of(repository, *ids)["counts"].values()) == {0}


def test_a_run_without_a_design_has_no_changes(repository, runs, tmp_path):
    trace = tmp_path / "trace.json.gz"
    shutil.copy(SAMPLES / "aie_design" / "stalls" / "pipeline_stalls.json.gz", trace)
    alone = ingest(repository, [trace], {"name": "alone"}).runs[0].run_id
    assert "designs" not in compare(repository, [runs[0]], [alone]).record()


@pytest.mark.slow
def test_designs_alone_are_compared(repository, tmp_path):
    ids = []
    for name in ("a", "b"):
        text = "\n".join(design_lines())
        path = tmp_path / f"{name}.mlir"
        path.write_text(text if name == "a" else text.replace(*MOVED))
        ids.append(ingest(repository, [path], {}).runs[0].run_id)
    assert designs_of(repository, *ids)["counts"]["buffers"] == 1
