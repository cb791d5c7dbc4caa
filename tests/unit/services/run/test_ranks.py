"""Ranks of a job: which runs belong to it, their times, and the rank that others wait for."""

import json

import pytest

from app.views.kernels.ranks import ranks_part, ranks_tables
from app.views.state import RunState
from components.kernels.rank_words import ranks_sentence
from ingest.files import ingest
from services.run import rank_cache
from services.run.data_cache import RunDataCache
from services.run.ranks import find_ranks, ranks_mapping
from tests.support.kineto_trace import kernel, step

US = 1000
"""Nanoseconds of a microsecond."""


def rank_entries(durations, begin=0):
    """Return three steps of 100 us with a GEMM and a collective of each of these durations."""
    entries = []
    for number, duration in enumerate(durations):
        start = begin + 100 * number
        entries += [step(number, start, 99), kernel("gemm", start, 10)]
        group = {"Process Group Name": "tp"}
        entries.append(kernel("ncclAllReduce", start + 10, duration, stream=20, **group))
    return entries


@pytest.fixture
def put(repository, tmp_path):
    """Return a function that ingests the trace of a rank and returns its run id."""

    def put_rank(rank, durations, *, name="", folder="job", world_size=3, seconds=1_700_000_000):
        path = tmp_path / folder / f"rank{rank}{name}.pt.trace.json"
        path.parent.mkdir(exist_ok=True)
        header = {
            "schemaVersion": 1,
            "baseTimeNanoseconds": seconds * 10**9,
            "distributedInfo": {"rank": rank, "world_size": world_size},
        }
        path.write_text(json.dumps(header | {"traceEvents": rank_entries(durations)}))
        (run,) = ingest(repository, [path], {}).runs
        return run.run_id

    return put_rank


@pytest.mark.slow
def test_ranks_of_a_folder_are_one_job_with_a_straggler(repository, put):
    runs = [put(0, [30, 40, 50]), put(1, [20, 45, 20])]
    for run_id in runs:
        found = ranks_mapping(find_ranks(repository, run_id))
        assert (found["world_size"], found["missing"]) == (3, [2])
        assert [(one["rank"], one["run_id"]) for one in found["ranks"]] == [*enumerate(runs)]
        assert [one["wait"] for one in found["ranks"]] == [40 * US, 5 * US]
        assert [one["step_ns"] for one in found["ranks"]] == [100 * US] * 2
        assert found["ranks"][0]["busy"] == (30 + 120) * US
        assert found["ranks"][0]["total"] == (200 + 60) * US
        assert [(one["skew"], one["last"]) for one in found["collectives"]] == [
            (10 * US, 1),
            (5 * US, 0),
            (30 * US, 1),
        ]
        assert found["collectives"][0]["durations"] == {"0": 30 * US, "1": 20 * US}
        assert found["straggler"] == {"rank": 1, "skew": 40 * US}
        assert json.loads(json.dumps(found)) == found


@pytest.mark.slow
def test_other_folders_and_sizes_are_other_jobs(repository, put):
    own = put(0, [30])
    put(1, [20], folder="other")
    put(2, [20], world_size=4)
    found = find_ranks(repository, own)
    assert [one.rank for one in found.ranks] == [0]
    assert (found.missing, found.collectives, found.straggler) == ([1, 2], [], None)
    assert "no_collectives" in found.unknown
    assert found.ranks[0].wait is None


@pytest.mark.slow
def test_the_capture_of_a_rank_nearest_in_time_counts(repository, put):
    early = put(0, [30], name="_a", seconds=1_700_000_000)
    late = put(0, [30, 1], name="_b", seconds=1_700_000_900)
    near_early = put(1, [20], name="_a", seconds=1_700_000_001)
    near_late = put(1, [20, 1], name="_b", seconds=1_700_000_899)
    for own, other in ((early, near_early), (late, near_late)):
        assert [one.run_id for one in find_ranks(repository, own).ranks] == [own, other]


def test_ranks_with_other_collectives_are_doubtful(repository, put):
    own = put(0, [30, 40])
    put(1, [30])
    assert "collectives_differ" in find_ranks(repository, own).unknown


@pytest.mark.slow
def test_a_merged_trace_has_the_ranks_of_its_labels(repository, tmp_path):
    entries = []
    for label, duration in (("TP00", 30), ("TP01", 10)):
        entries += [
            {**one, "pid": f"[{label}] {one['pid']}", "tid": str(one["tid"])}
            for one in rank_entries([duration])
        ]
    path = tmp_path / "merged.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": entries}))
    (run,) = ingest(repository, [path], {}).runs
    found = find_ranks(repository, run.run_id)
    assert [(one.rank, one.busy, one.wait) for one in found.ranks] == [
        ("TP00", 40 * US, 20 * US),
        ("TP01", 20 * US, 0),
    ]
    assert (found.world_size, found.missing) == (None, None)
    assert RunDataCache(repository).with_saved(run.run_id, "robust", {}).find_ranks


def test_a_trace_without_a_rank_is_refused(repository, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [kernel("k", 0, 1)]}))
    (run,) = ingest(repository, [path], {}).runs
    with pytest.raises(ValueError, match="distributedInfo"):
        find_ranks(repository, run.run_id)
    assert RunDataCache(repository).with_saved(run.run_id, "robust", {}).find_ranks is None


@pytest.mark.slow
def test_the_page_links_the_other_ranks_and_changes_with_them(repository, put):
    own = put(0, [30, 40, 50])
    cache = RunDataCache(repository)
    alone = cache.shown_version(own)
    other = put(1, [20, 45, 20])
    assert cache.shown_version(own) != alone
    data = cache.with_saved(own, "robust", {})
    part = ranks_part(data, RunState())
    assert part.caption == ranks_sentence(find_ranks(repository, own))
    assert f"/run/{other}" in str(part.body)
    assert f"/run/{own}" not in str(part.body)
    (table,) = ranks_tables(data, RunState())
    assert [row[0] for row in table.rows] == ["0", "1"]


@pytest.mark.slow
def test_a_page_of_too_many_executions_has_the_links_alone(repository, put, monkeypatch):
    own = put(0, [30])
    other = put(1, [20])
    monkeypatch.setattr(rank_cache, "MAX_EXECUTIONS", 3)
    data = RunDataCache(repository).with_saved(own, "robust", {})
    found = data.find_ranks()
    assert found.unknown == ("too_large",)
    assert [(one.run_id, one.busy) for one in found.ranks] == [(own, None), (other, None)]
    assert f"/run/{other}" in str(ranks_part(data, RunState()).body)
