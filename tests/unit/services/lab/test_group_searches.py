"""The search asked about failed attempts: apart, once for each content, kept for pages and the command line."""

import json

import pytest
from click.testing import CliRunner

from analysis.memory.index import MemoryIndex
from analysis.memory.layer_groups import with_groups
from app.cli.main import main
from app.config.settings import Settings
from ingest.files import ingest
from schema.frames import empty
from services.lab import group_child
from services.lab.group_searches import NO_ANSWER, GroupSearches
from services.lab.groups import known_failures, list_groups
from services.run.group_failures import FailureCache
from services.run.memory import MemoryData
from services.run.placement_files import ANSWER, read_json
from tests.support.memory import block, failed, numbered
from tests.support.tpu_log import attempt, buffer, log
from tests.support.waiting import wait_until


@pytest.fixture
def memory():
    rows = [block("a", 0, 2, 0, 40), failed("b", 0, 2, 40), block("c", 0, 2, 0, 40, attempt=1)]
    made, blocks = numbered(rows, 2, capacity=64)
    made = with_groups(made, blocks)
    frames = [empty(name) for name in ("steps", "buffer_uses", "events")]
    return MemoryData(MemoryIndex.of(made, blocks, *frames[:2]), blocks, *frames)


@pytest.mark.slow
def test_the_process_writes_reasons_and_verdicts_of_failed_attempts_alone(
    tmp_path, memory, monkeypatch
):
    monkeypatch.setattr(group_child, "end_with_starter", lambda: None)
    monkeypatch.setattr(group_child, "limit_memory", lambda _limits: None)
    monkeypatch.setattr(group_child, "limit_processor", lambda _limits, _spent: None)
    searches = GroupSearches(tmp_path, 1500)
    assert searches._claim()
    searches._describe(memory)
    group_child.main(searches._running)
    found = read_json(searches._running / ANSWER)["attempts"]
    assert found["0"]["reason"] == "too_big"
    assert found["0"]["excess"] == 16
    assert found["0"]["lab"] is None or found["0"]["lab"]["status"] == "infeasible"
    assert set(found) == {"0"}


def test_one_search_runs_at_a_time_and_known_answers_begin_none(tmp_path, memory):
    searches = GroupSearches(tmp_path, 1500)
    searches.kept.write("known", {})
    assert not searches.start("known", lambda: pytest.fail("nothing is to be read"))
    assert searches._claim()
    assert searches.start("other", lambda: pytest.fail("another run is searched"))
    assert searches.kept.read("other") is None


def test_a_search_that_cannot_go_on_says_so_and_is_not_begun_again(tmp_path, memory, monkeypatch):
    searches = GroupSearches(tmp_path, 1500)
    monkeypatch.setattr(searches, "_wait", lambda: 1)
    assert searches.start("version", lambda: memory)
    wait_until(lambda: searches.kept.is_known("version"))
    assert searches.kept.of("version").ending == NO_ANSWER
    assert not searches.start("version", lambda: memory)


def test_kept_failures_are_used_and_others_asked_for(tmp_path, memory):
    kept = FailureCache(tmp_path / "groups")
    record = {"reason": "too_big", "excess": 1, "step": 0, "lab": None}
    kept.write("version", {0: record})
    assert known_failures(memory, kept, "version") == {0: record}
    kept.write("part", {})
    found = known_failures(memory, kept, "part", 100)
    assert kept.read("part", 100) == json.loads(json.dumps(found), object_pairs_hook=_numbers)
    rows = list_groups(memory, "run", found)["groups"]
    assert [row["curve"][0]["reason"] for row in rows] == ["too_big", None]


def _numbers(pairs):
    return {int(key) if key.isdecimal() else key: value for key, value in pairs}


@pytest.mark.slow
def test_the_command_keeps_what_it_found(tmp_path):
    settings = Settings(data=tmp_path / "data")
    path = tmp_path / "lmem.log"
    path.write_text(log(attempt([buffer("a", 0, 200_000), buffer("b", None, 100_000)])))
    run_id = ingest(settings.repository(), [path], {}).runs[0].run_id
    args = ["groups", run_id, "--json", "--effort", "50", "--data", str(settings.data)]
    first = CliRunner().invoke(main, args)
    assert first.exit_code == 0, first.output
    assert len(list((settings.data / "lab" / "groups").glob("*.json"))) == 1
    assert CliRunner().invoke(main, args).stdout == first.stdout
