from data_loaders.tinygrad.run import read_export
from ingest.summary import summarise
from schema.diagnostics import diagnostics_frame
from schema.frames import FRAMES, complete
from tests.support.tinygrad_export import export_lines


def test_kernels_that_the_loader_names_have_numbers_though_nothing_is_derived():
    reading = read_export(export_lines().encode(), strip=False)
    columns = {column.name: [reading.metadata.get(column.name)] for column in FRAMES["run"].columns}
    run = complete("run", columns)
    frames = {**reading.frames, "run": run, "diagnostics": diagnostics_frame(reading.findings)}
    made = summarise(frames, "tinygrad")
    assert (made.derived, made.findings) == ({}, [])
    assert made.headline["kernels"] == 1
    assert made.headline["kernel_time"] == 500_000
    assert made.headline["flops_total"] == 1e9


def test_a_run_without_kernels_and_derived_frames_has_no_numbers():
    made = summarise({"diagnostics": diagnostics_frame([])}, "fake")
    assert set(made.headline.values()) == {None}
