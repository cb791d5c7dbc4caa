"""Traces of torch.profiler against each other, from files to the result."""

import json

import pytest

from app.gate_formats import comparison_text
from ingest.files import ingest
from services.comparison.compare import compare
from tests.support.kineto_trace import call, kernel
from tests.support.torch_steps import step_entries


@pytest.fixture
def run_of(repository, tmp_path):
    """Ingest a trace of these entries; return its run id."""

    def run(name, entries):
        path = tmp_path / f"{name}.pt.trace.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": entries}))
        return ingest(repository, [path], {}).runs[0].run_id

    return run


BASE = [[("gemm", 30), ("gemm", 30), ("gemm", 900)]] * 4
NEW = [[("gemm", 30), ("gemm", 30), ("gemm", 1_700), ("Memcpy HtoD", 50)]] * 4


def test_every_name_has_its_sum_in_a_step(repository, run_of):
    entries = step_entries(NEW, categories={"Memcpy HtoD": "gpu_memcpy"})
    found = compare(repository, [run_of("a", step_entries(BASE))], [run_of("b", entries)])
    assert found.record()["kernels"]["steps"] == [
        {"name": "gemm", "base": 960_000, "new": 1_760_000, "change": 800_000},
        {"name": "Memcpy HtoD", "base": None, "new": 50_000, "change": 50_000},
    ]


def test_no_number_is_about_memory_if_no_file_has_it(repository, run_of):
    found = compare(repository, [run_of("a", step_entries(BASE))], [run_of("b", step_entries(NEW))])
    assert {row.metric.name for row in found.rows if row.level != "kernel"} == {
        "kernel_time",
        "step_time",
    }
    assert "memory" not in " ".join(found.reasons)


def test_streams_of_one_side_are_listed(repository, run_of):
    more = [*step_entries(BASE), call(10_001, 900), kernel("k", 10_100, 5, 900, stream=20)]
    found = compare(repository, [run_of("a", step_entries(BASE))], [run_of("b", more)])
    assert found.record()["lanes"] == {"only_base": [], "only_new": ["cuda 0 stream 20"]}
    assert "only in new: cuda 0 stream 20" in comparison_text(found)
