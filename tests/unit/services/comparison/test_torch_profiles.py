"""Traces of torch.profiler against each other, from files to the result."""

import json

import pytest

from analysis.comparison.step_parts import PARTS
from app.gate_formats import comparison_json, comparison_text
from components.comparison.step_part_words import parts_sentence
from ingest.files import ingest
from services.comparison.compare import compare
from services.run.breakdown import breakdown_mapping, find_breakdown, idle_mapping
from services.run.operators import find_operators
from tests.support.kineto_trace import call, kernel
from tests.support.numbers_in_text import numbers_in
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


@pytest.mark.slow
def test_every_name_has_its_sum_in_a_step(repository, run_of):
    entries = step_entries(NEW, categories={"Memcpy HtoD": "gpu_memcpy"})
    found = compare(repository, [run_of("a", step_entries(BASE))], [run_of("b", entries)])
    assert found.record()["kernels"]["steps"] == [
        {"name": "gemm", "base": 960_000, "new": 1_760_000, "change": 800_000},
        {"name": "Memcpy HtoD", "base": None, "new": 50_000, "change": 50_000},
    ]


@pytest.mark.slow
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


@pytest.mark.slow
def test_parts_and_operators_are_those_of_breakdown_idle_and_ops(repository, run_of):
    ids = [run_of("a", step_entries(BASE)), run_of("b", step_entries(NEW))]
    found = compare(repository, ids[:1], ids[1:]).record()
    for side, run_id in zip(("base", "new"), ids, strict=True):
        result = find_breakdown(repository, run_id)
        (device,) = breakdown_mapping(result)["devices"]
        (idle,) = idle_mapping(result)["devices"]
        counted = device["counted"]
        steps = counted["steps"]
        assert found["breakdown"][side] == {"device": 0, "steps": 4, "step_ns": result.step_ns}
        assert {row["name"]: row[side] for row in found["breakdown"]["parts"]} == {
            "step": counted["total"] / steps,
            **{name: counted[name] / steps for name in PARTS},
        }
        reasons = {row["name"]: row[side] for row in found["idle"]}
        assert reasons == {name: idle["counted"][name] / steps for name in reasons}
        assert sum(reasons.values()) == counted["idle"] / steps
        ops = find_operators(repository, run_id).rows.set_index("name")["self_device"]
        own = {row["name"]: row[side] for row in found["ops"] if row[side] is not None}
        assert own == {name: time / steps for name, time in ops.items() if time}
    assert found["ops"][0]["name"] == "aten::gemm"
    assert found["ops"][0]["change"] == 800_000


def test_the_first_sentence_names_the_part_that_changed_most(repository, run_of):
    found = compare(repository, [run_of("a", step_entries(BASE))], [run_of("b", step_entries(NEW))])
    sentence = parts_sentence(found.parts)
    assert numbers_in(sentence)[:3] == ["10.0", "10.0 ms", "0 %"]
    assert json.loads(comparison_json(found))["sentence"].startswith(sentence)
    assert comparison_text(found).splitlines()[1].strip() == sentence
