"""Pace and advice over the API are those of the command line."""

import json

import pytest

from components.memory.allocation_words import allocations_sentence
from components.memory.device_memory_words import memory_sentence
from ingest.files import ingest
from samples.torch_memory import write_snapshot
from services.run.advice import advice_mapping, find_advice
from services.run.allocation_totals import allocation_totals_mapping, find_allocation_totals
from services.run.design_record import find_design_record
from services.run.device_memory import device_memory_mapping, find_device_memory
from services.run.pace import find_pace, pace_mapping
from services.run.predict import predict_mapping
from tests.support.comparisons import SAMPLES
from tests.support.gemm_trace import entries
from tests.support.paced_trace import array_cores, array_settings


@pytest.fixture
def run_id(team, tmp_path):
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(entries(*array_cores())))
    return ingest(team.served.context.repository, [path], array_settings()).runs[0].run_id


def test_viewers_get_pace_and_advice_as_the_command_line_prints_them(team, run_id):
    repository = team.served.context.repository
    pace = team("GET", f"/runs/{run_id}/pace", scope="read")
    advice = team("GET", f"/runs/{run_id}/advice", scope="read")
    assert json.loads(pace.data) == json.loads(
        json.dumps(pace_mapping(find_pace(repository, run_id, "robust", {})))
    )
    assert json.loads(advice.data) == json.loads(
        json.dumps(advice_mapping(find_advice(repository, run_id)))
    )


def test_viewers_get_the_memory_of_devices_as_the_command_line_prints_it(team, tmp_path):
    repository = team.served.context.repository
    (run,) = ingest(repository, [write_snapshot(tmp_path)], {}).runs
    found = json.loads(team("GET", f"/runs/{run.run_id}/memory", scope="read").data)
    result = find_device_memory(repository, run.run_id)
    assert found == device_memory_mapping(result) | {"sentence": memory_sentence(result)}


def test_the_memory_of_a_module_of_xla_is_that_of_its_allocations(team):
    repository = team.served.context.repository
    (run,) = ingest(repository, [SAMPLES / "xla" / "two_layers"], {}).runs
    found = json.loads(team("GET", f"/runs/{run.run_id}/memory", scope="read").data)
    totals = find_allocation_totals(repository, run.run_id)
    expected = allocation_totals_mapping(totals) | {"sentence": allocations_sentence(totals)}
    assert found == expected
    assert found["total_bytes"] > 0


def test_viewers_get_design_and_prediction_as_the_command_line_prints_them(team):
    context = team.served.context
    runs = ingest(context.repository, [SAMPLES / "aie_design" / "stalls"], {}).runs
    (run_id,) = [run.run_id for run in runs]
    design = json.loads(team("GET", f"/runs/{run_id}/design", scope="read").data)
    assert design == json.loads(json.dumps(find_design_record(context.repository, run_id)))
    assert design["memory_stalls"]
    prediction = json.loads(team("GET", f"/runs/{run_id}/predict", scope="read").data)
    data = context.data.get(run_id, "robust", {})
    assert prediction == json.loads(json.dumps(predict_mapping([data])))


@pytest.mark.parametrize("name", ["pace", "advice", "memory", "design", "predict"])
def test_a_run_without_them_and_one_that_is_not_there_are_not_found(team, name):
    (run_id,) = team.runs(1)
    for one in (run_id, "f" * 64):
        answer = team("GET", f"/runs/{one}/{name}", scope="read")
        assert answer.status_code == 404
        assert answer.json["detail"]
