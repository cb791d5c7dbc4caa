"""Where compiled code is kept, what is said where it cannot be, and what works without a compiler."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.allocators import compiler
from analysis.allocators.compiler import CACHE_VARIABLE, NO_COMPILER, alone, cache_note, is_prepared, kept_in

ROOT = Path(__file__).resolve().parents[4]
WITHOUT = """
import sys
sys.modules["numba"] = None
from app.cli.main import main
main(sys.argv[1:], prog_name="app")
"""


@pytest.fixture(autouse=True)
def forgotten():
    kept_in.cache_clear()
    yield
    kept_in.cache_clear()


@pytest.fixture
def nowhere(monkeypatch):
    monkeypatch.setattr(compiler, "_can_be_written", lambda _: False)


class TestFolder:
    def test_it_is_the_one_that_was_asked_for(self, tmp_path, monkeypatch):
        monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "kept"))
        assert kept_in().parent == tmp_path / "kept"
        assert kept_in().is_dir()
        assert cache_note() == ""

    def test_another_is_found_where_that_cannot_be_written_and_it_is_said(self, tmp_path, monkeypatch):
        (tmp_path / "file").touch()
        monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
        assert kept_in().parent != tmp_path / "file"
        assert cache_note().startswith(
            f"{CACHE_VARIABLE}={tmp_path / 'file'} cannot be written: what is compiled is kept in /"
        )

    def test_nothing_is_kept_where_no_folder_can_be_written_and_it_is_said(self, nowhere):
        assert kept_in() is None
        assert (
            cache_note()
            == f"no folder can be written, so that every process compiles the search again: set {CACHE_VARIABLE}"
        )
        with alone():
            pass

    def test_nothing_is_said_without_a_wish(self, monkeypatch):
        monkeypatch.delenv(CACHE_VARIABLE, raising=False)
        assert cache_note() == ""

    def test_what_was_compiled_ahead_is_taken_over_once(self, tmp_path, monkeypatch):
        ahead, asked = tmp_path / "sources", tmp_path / "asked"
        monkeypatch.setattr(compiler, "_BESIDE", ahead)
        monkeypatch.delenv(CACHE_VARIABLE, raising=False)
        code = kept_in() / "package" / "module.go_on-1.py311.nbi"
        code.parent.mkdir()
        code.write_text("compiled")
        kept_in.cache_clear()
        monkeypatch.setenv(CACHE_VARIABLE, str(asked))
        assert not is_prepared()
        (taken,) = asked.rglob("*.nbi")
        assert taken.read_text() == "compiled"
        code.with_name("module.place-1.py311.nbi").write_text("compiled")
        kept_in.cache_clear()
        assert not is_prepared()
        taken.with_name("module.place-1.py311.nbi").write_text("compiled here")
        assert is_prepared()

    def test_another_compiler_has_another_folder(self, tmp_path, monkeypatch):
        monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
        before = kept_in()
        kept_in.cache_clear()
        monkeypatch.setattr(compiler, "_compiler_version", lambda: "another")
        assert kept_in() != before

    def test_other_sources_have_another_folder(self, tmp_path, monkeypatch):
        monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
        before = kept_in()
        kept_in.cache_clear()
        monkeypatch.setattr(compiler, "_hash_of_sources", lambda: "another")
        assert kept_in() != before


def without_numba(*arguments):
    """Run a command in a Python that has no numba."""
    environment = os.environ | {"PYTHONWARNINGS": "error"}
    command = [sys.executable, "-c", WITHOUT, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, env=environment, check=False)


def test_without_numba_the_search_says_so_and_the_others_work(tmp_path):
    done = without_numba("ingest", "samples/minimalloc", "--data", tmp_path, "--jobs", 1)
    assert done.returncode == 0
    listed = without_numba("runs", "--json", "--data", tmp_path).stdout
    run = listed.split('"run_id": "', 1)[1][:12]
    searched = without_numba("allocate", run, "--data", tmp_path)
    assert searched.returncode == 1
    assert searched.stderr == f"Error: {NO_COMPILER}\n"
    simple = without_numba("allocate", run, "--strategy", "best_fit", "--data", tmp_path)
    assert (simple.returncode, simple.stderr) == (0, "")
    assert simple.stdout.startswith("attempt 0: ")
