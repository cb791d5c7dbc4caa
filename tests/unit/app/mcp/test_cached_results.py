"""Answers that go on: another process finds them for a while, by a name that nobody guesses."""

import os
import time

import pytest

from app.mcp import cached_results
from app.mcp.cached_results import CachedResults
from app.mcp.tool import ToolError

ANSWER = {"columns": ["a"], "rows": [[1], [None], ["王"]]}


def files(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def age(folder, token, seconds):
    """Let an answer be as old as this."""
    (path,) = folder.rglob(f"{token}.json")
    at = time.time() - seconds
    os.utime(path, (at, at))


def test_an_answer_is_found_by_its_name_in_another_process(tmp_path):
    token = CachedResults(tmp_path).save(ANSWER)
    assert CachedResults(tmp_path).find(token) == ANSWER
    assert files(tmp_path) == [f"{token}.json"]


def test_equal_answers_have_names_of_their_own(tmp_path):
    kept = CachedResults(tmp_path)
    assert kept.save(ANSWER) != kept.save(ANSWER)


@pytest.mark.parametrize(
    "token", ["", "0" * 32, "../secret", "0" * 31 + "G", "0" * 32 + "\n", "\0"]
)
def test_what_is_no_name_of_an_answer_finds_nothing(tmp_path, token):
    (tmp_path / "secret.json").write_text("{}")
    kept = CachedResults(tmp_path)
    kept.save(ANSWER)
    with pytest.raises(ToolError):
        kept.find(token)


def test_an_old_answer_is_gone_and_removed_with_the_next_one(tmp_path):
    kept = CachedResults(tmp_path)
    old = kept.save(ANSWER)
    age(tmp_path, old, 10**4)
    with pytest.raises(ToolError):
        kept.find(old)
    new = kept.save(ANSWER)
    assert files(tmp_path) == [f"{new}.json"]


def test_the_oldest_make_way_for_more_than_there_is_room_for(tmp_path, monkeypatch):
    monkeypatch.setattr(cached_results, "_MAX_FILES", 3)
    kept = CachedResults(tmp_path)
    tokens = []
    for rank in range(5):
        tokens.append(kept.save({"rank": rank}))
        age(tmp_path, tokens[-1], 100 - rank)
    assert files(tmp_path) == sorted(f"{token}.json" for token in tokens[-3:])


def test_one_that_another_process_removes_meanwhile_does_not_matter(tmp_path):
    kept = CachedResults(tmp_path)
    first = kept.save(ANSWER)
    (folder,) = {path.parent for path in tmp_path.rglob("*.json")}
    (folder / "gone.json").symlink_to(tmp_path / "nowhere")
    assert kept.find(kept.save(ANSWER)) == kept.find(first)


def test_an_answer_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(cached_results, "_MAX_BYTES", 10)
    with pytest.raises(ToolError):
        CachedResults(tmp_path).save(ANSWER)
    assert files(tmp_path) == []


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    file = tmp_path / "data"
    file.touch()
    with pytest.raises(ToolError):
        CachedResults(file).save(ANSWER)
