"""Files of a performance model beside a trace: where they are, their terms, and damage."""

import json

import pytest

from data_loaders.aie.trace import AieTraceLoader
from data_loaders.aie_model import companion
from data_loaders.aie_model.companion import find_model_files, read_model

SLOTS = """totals:
  latency_per_iteration: 880
  overlap: 280
  iter_step: 600
  total_latency: 36280
resource_slack: []
slots:
- slot: 0
  compute_contributors:
  - name: gemm_0
    active_latency: 592
  - name: gemm_1
    active_latency: 540
  transfer_contributors:
  - name: Transfer(A)
    active_latency: 9999
"""
TOTALS = SLOTS[: SLOTS.index("slots:")]


def estimate(groups=1, cycles=71200):
    latency = {"per_iteration": 1580, "overlap_between_iterations": 400}
    return json.dumps(
        {"cycles": cycles, "groups": {f"g{rank}": {"latency": latency} for rank in range(groups)}}
    )


SCHEDULE = {
    "traceEvents": [
        {"name": "thread_name", "ph": "M", "pid": "s", "tid": 0, "args": {"name": "Core 2"}},
        {
            "name": "gemm",
            "cat": "computation",
            "ph": "X",
            "ts": 5,
            "dur": 820,
            "pid": "s",
            "tid": 0,
        },
        {"name": "move", "cat": "transfer", "ph": "X", "ts": 9, "dur": 10, "pid": "s", "tid": 1},
        {"name": "no time", "ph": "X", "ts": "x", "dur": 10, "pid": "s", "tid": 1},
        {"name": "begin", "ph": "B", "ts": 1, "pid": "s", "tid": 1},
    ]
}


def read(folder, **files):
    for name, text in files.items():
        (folder / getattr(companion, name)).write_text(text)
    return read_model(find_model_files(folder))


def terms(frames):
    frame = frames["predictions"]
    return {
        term: (cycles, source)
        for term, cycles, source in zip(
            frame["term"], frame["predicted"], frame["predicted_from"], strict=True
        )
    }


def test_slots_have_all_terms_and_compute_of_the_slowest_contributor(tmp_path):
    frames, findings = read(tmp_path, SLOTS=SLOTS)
    assert findings == []
    assert terms(frames) == {
        "compute": (592, "compute_contributors"),
        "wait": (280, "overlap"),
        "period": (600, "iter_step"),
        "total": (36280, "total_latency"),
    }


def test_without_contributors_the_step_is_the_computation(tmp_path):
    frames, _ = read(tmp_path, SLOTS=TOTALS)
    assert terms(frames)["compute"] == (600, "iter_step")


def test_an_estimate_of_one_group_has_all_terms(tmp_path):
    frames, _ = read(tmp_path, ESTIMATE=estimate())
    assert terms(frames) == {
        "compute": (1180, "iter_step"),
        "wait": (400, "overlap"),
        "period": (1180, "iter_step"),
        "total": (71200, "total_latency"),
    }


def test_an_estimate_of_several_groups_has_a_total_alone(tmp_path):
    frames, _ = read(tmp_path, ESTIMATE=estimate(groups=2))
    assert terms(frames) == {"total": (71200, "total_latency")}


def test_the_slots_come_before_an_estimate(tmp_path):
    frames, _ = read(tmp_path, SLOTS=SLOTS, ESTIMATE=estimate())
    assert set(frames["predictions"]["file"]) == {companion.SLOTS}


def test_complete_events_of_a_schedule_are_read_by_resource(tmp_path):
    frames, findings = read(tmp_path, SCHEDULE=json.dumps(SCHEDULE))
    planned = frames["planned_events"]
    assert planned["resource"].tolist() == ["Core 2", "s 1"]
    assert planned["end"].tolist() == [825, 19]
    assert findings == []


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("SLOTS", "totals:\n  other: 3\n", "prediction_unread"),
        ("SLOTS", "totals: {iter_step: 3}\n", "prediction_unread"),
        ("SLOTS", "totals:\n  iter_step: 1e99\n", "prediction_unread"),
        ("ESTIMATE", "[]", "prediction_unread"),
        ("ESTIMATE", '{"cycles": -4}', "prediction_unread"),
        ("ESTIMATE", "{", "companion_unreadable"),
        ("SCHEDULE", '{"traceEvents": {}}', "prediction_unread"),
        ("SCHEDULE", "[" * 100_000, "companion_unreadable"),
    ],
)
def test_a_damaged_file_costs_itself(tmp_path, name, text, code):
    frames, findings = read(tmp_path, **{name: text})
    assert frames == {}
    assert [finding.code for finding in findings] == [code]


def test_a_file_that_is_too_large_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(companion, "MAX_BYTES", 10)
    frames, findings = read(tmp_path, SLOTS=SLOTS)
    assert frames == {}
    assert [finding.code for finding in findings] == ["companion_unreadable"]


@pytest.mark.parametrize(("folder", "is_found"), [("traces", True), ("other", False)])
def test_the_folder_above_counts_for_a_folder_of_traces(tmp_path, folder, is_found):
    (tmp_path / companion.SLOTS).write_text(SLOTS)
    inner = tmp_path / folder
    inner.mkdir()
    assert bool(find_model_files(inner)) is is_found


def test_a_trace_is_read_with_the_model_beside_it(tmp_path):
    (tmp_path / companion.SLOTS).write_text(SLOTS)
    (tmp_path / companion.SCHEDULE).write_text(json.dumps(SCHEDULE))
    path = tmp_path / "trace.json"
    process = {"name": "core_trace for tile2,0"}
    path.write_text(json.dumps([{"name": "process_name", "ph": "M", "pid": 0, "args": process}]))
    loader = AieTraceLoader()
    bundle = loader.bundle(path)
    assert {file.name for file in bundle.companions} == {companion.SLOTS, companion.SCHEDULE}
    run = loader.load(path, {}, None, bundle.companions)
    assert len(run.frames["predictions"]) == 4
    assert len(run.frames["planned_events"]) == 2
