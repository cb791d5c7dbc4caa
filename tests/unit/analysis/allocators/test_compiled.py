"""Where compiled code is kept, what is said where it cannot be, and what works without a compiler."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.allocators import compiler
from analysis.allocators.compiler import (
    CACHE_VARIABLE,
    NO_COMPILER,
    alone,
    cache_note,
    find_cache_folder,
    is_prepared,
)

ROOT = Path(__file__).resolve().parents[4]
WITHOUT = """
import json, sys
sys.modules["numba"] = None
from tests.support.command_line import run
place = ("--data", sys.argv[1])
ingested = run("ingest", "samples/minimalloc", "--jobs", 1, *place)
first = json.loads(run("runs", "--json", *place).stdout)[0]["run_id"]
strategies = ((), ("--strategy", "search"), ("--strategy", "best_fit"))
named = [run("allocate", first, *one, *place) for one in strategies]
results = [ingested, *named]
print(json.dumps([[result.exit_code, result.stdout, result.stderr] for result in results]))
"""
"""Commands in a Python that has no numba; a single process, as most of each is its start."""


@pytest.fixture(autouse=True)
def forgotten():
    find_cache_folder.cache_clear()
    yield
    find_cache_folder.cache_clear()


@pytest.fixture
def nowhere(monkeypatch):
    monkeypatch.setattr(compiler, "_can_be_written", lambda _: False)


class TestFolder:
    def test_it_is_the_one_that_was_asked_for(self, tmp_path, monkeypatch):
        monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "kept"))
        assert find_cache_folder().parent == tmp_path / "kept"
        assert find_cache_folder().is_dir()
        assert cache_note() == ""

    def test_another_is_found_where_that_cannot_be_written_and_it_is_said(
        self, tmp_path, monkeypatch
    ):
        (tmp_path / "file").touch()
        monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
        assert find_cache_folder().parent != tmp_path / "file"
        assert cache_note().startswith(
            f"{CACHE_VARIABLE}={tmp_path / 'file'} is not writable: compiled code is cached in /"
        )

    def test_nothing_is_kept_where_no_folder_can_be_written_and_it_is_said(self, nowhere):
        assert find_cache_folder() is None
        assert CACHE_VARIABLE in cache_note()
        with alone():
            pass

    def test_nothing_is_said_without_a_wish(self, monkeypatch):
        monkeypatch.delenv(CACHE_VARIABLE, raising=False)
        assert cache_note() == ""

    def test_what_was_compiled_ahead_is_taken_over_once(self, tmp_path, monkeypatch):
        ahead, asked = tmp_path / "sources", tmp_path / "asked"
        monkeypatch.setattr(compiler, "_BESIDE", ahead)
        monkeypatch.delenv(CACHE_VARIABLE, raising=False)
        code = find_cache_folder() / "package" / "module.go_on-1.py311.nbi"
        code.parent.mkdir()
        code.write_text("compiled")
        find_cache_folder.cache_clear()
        monkeypatch.setenv(CACHE_VARIABLE, str(asked))
        assert not is_prepared()
        (taken,) = asked.rglob("*.nbi")
        assert taken.read_text() == "compiled"
        code.with_name("module.place-1.py311.nbi").write_text("compiled")
        find_cache_folder.cache_clear()
        assert not is_prepared()
        taken.with_name("module.place-1.py311.nbi").write_text("compiled here")
        assert is_prepared()

    def test_another_compiler_has_another_folder(self, tmp_path, monkeypatch):
        monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
        before = find_cache_folder()
        find_cache_folder.cache_clear()
        monkeypatch.setattr(compiler, "_compiler_version", lambda: "another")
        assert find_cache_folder() != before

    def test_other_sources_have_another_folder(self, tmp_path, monkeypatch):
        monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
        before = find_cache_folder()
        find_cache_folder.cache_clear()
        monkeypatch.setattr(compiler, "_hash_of_sources", lambda: "another")
        assert find_cache_folder() != before


@pytest.mark.slow
def test_without_numba_the_search_says_so_and_the_others_work(tmp_path):
    command = [sys.executable, "-W", "error", "-c", WITHOUT, str(tmp_path)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    ingested, unnamed, searched, simple = json.loads(done.stdout)
    assert ingested[0] == 0
    assert searched[0] == 1
    assert searched[2] == f"Error: {NO_COMPILER}\n"
    assert (simple[0], simple[2]) == (0, "")
    assert (unnamed[0], unnamed[1].startswith("attempt 0: ")) == (0, True)
    assert NO_COMPILER in unnamed[2]
    assert simple[1].startswith("attempt 0: ")
