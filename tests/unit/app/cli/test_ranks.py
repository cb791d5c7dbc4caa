"""`ranks`: the ranks of a job as the service has them, in words, and traces without ranks."""

import json

import pytest

from ingest.files import ingest
from services.run.ranks import find_ranks, ranks_mapping
from tests.support.command_line import good, refused, run
from tests.support.kineto_trace import kernel


@pytest.fixture
def job(settings, tmp_path):
    """Ingest two ranks of four; return a run id and the repository."""
    for rank in (0, 1):
        info = {"distributedInfo": {"rank": rank, "world_size": 4}}
        entries = [kernel("ncclAllReduce", 0, 30 + 10 * rank), kernel("gemm", 60, 40)]
        path = tmp_path / f"{rank}.json"
        path.write_text(json.dumps({"schemaVersion": 1} | info | {"traceEvents": entries}))
    found = ingest(settings.repository(), [tmp_path / "0.json", tmp_path / "1.json"], {})
    return found.runs[0].run_id, settings.repository()


@pytest.mark.slow
def test_json_is_what_the_service_has(settings, job):
    run_id, repository = job
    found = json.loads(good(run("ranks", run_id, "--json", "--data", settings.data)))
    sentence = found.pop("sentence")
    assert found == ranks_mapping(find_ranks(repository, run_id))
    assert ("10.0 µs" in sentence, "2-3" in sentence) == (True, True)


def test_text_has_a_row_per_rank_and_collective(settings, job):
    run_id, _ = job
    _, heading, *rows = good(run("ranks", run_id, "--data", settings.data)).splitlines()
    assert heading.split()[0] == "rank"
    assert [row.split()[0] for row in rows[:2]] == ["0", "1"]
    assert "last rank 0" in rows[3]


def test_a_trace_without_a_rank_is_refused(settings, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [kernel("k", 0, 1)]}))
    run_id = ingest(settings.repository(), [path], {}).runs[0].run_id
    assert "distributedInfo" in refused(run("ranks", run_id, "--data", settings.data))
