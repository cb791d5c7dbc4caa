"""`watch` as a process: it looks, tells, and ends when it is told to."""

import contextlib
import json
import signal
import subprocess
import sys
import threading
from pathlib import Path
from queue import Queue

import pytest

from app.cli.common import operator
from storage.audit import Audit
from storage.catalogue import Catalogue
from storage.watchers import Watchers
from tests.support.command_line import run
from tests.support.waiting import PATIENCE_S, wait_until

ROOT = Path(__file__).resolve().parents[4]
PROBLEM = "id,lower,upper,size\n0,0,5,16\n1,2,9,32\n"


@contextlib.contextmanager
def watching(folder, data):
    """Start a watch; give its process and what returns the next line that it prints."""
    command = [
        sys.executable,
        "-u",
        "-m",
        "app",
        "watch",
        folder,
        "--interval",
        "0.1",
        "--data",
        data,
    ]
    process = subprocess.Popen(
        [*map(str, command)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    lines = Queue()
    reader = threading.Thread(target=lambda: [lines.put(line) for line in process.stdout])
    reader.start()
    try:
        yield process, lambda: lines.get(timeout=PATIENCE_S)
    finally:
        process.kill()
        process.wait()
        reader.join()
        process.stdout.close()


def brought(data):
    """Return the names of the files whose runs the audit log says that this command brought."""
    catalogue = Catalogue(f"sqlite:///{data}/catalogue.db")
    entries = Audit(catalogue).entries(action="ingest", user=operator())
    catalogue.close()
    return [Path(entry.detail).name for entry in entries]


@pytest.fixture
def inbox(tmp_path):
    (tmp_path / "inbox").mkdir()
    return tmp_path / "inbox"


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_tells_each_file_once_and_ends_well(how, inbox, tmp_path):
    (inbox / "a.81920.csv").write_text(PROBLEM)
    with watching(inbox, tmp_path / "data") as (process, line):
        assert " new " in (first := line())
        assert "a.81920" in first
        (inbox / "bad.81920.csv").write_bytes(b"\0\1nothing")
        assert "bad.81920.csv: " in line()
        process.send_signal(how)
        assert process.wait(PATIENCE_S) == 0
    assert brought(tmp_path / "data") == ["a.81920.csv"]
    with watching(inbox, tmp_path / "data") as (process, line):
        (inbox / "b.81920.csv").write_text(PROBLEM.replace("32", "64"))
        assert "b.81920" in line()
        process.send_signal(how)
        assert process.wait(PATIENCE_S) == 0
    assert len(json.loads(run("runs", "--json", "--data", tmp_path / "data").stdout)) == 2
    assert sorted(path.name for path in inbox.iterdir()) == [
        "a.81920.csv",
        "b.81920.csv",
        "bad.81920.csv",
    ]


def watched_folders(data, count):
    """Return the folders that the catalogue knows as watched, once they are so many."""
    catalogue = Catalogue(f"sqlite:///{data}/catalogue.db")
    wait_until(lambda: len(Watchers(catalogue).all()) == count)
    found = Watchers(catalogue).all()
    catalogue.close()
    return [one.folder for one in found]


@pytest.mark.slow
def test_the_catalogue_knows_a_watch_until_it_ends(inbox, tmp_path):
    with watching(inbox, tmp_path / "data") as (process, _):
        assert watched_folders(tmp_path / "data", 1) == [str(inbox)]
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    assert watched_folders(tmp_path / "data", 0) == []


@pytest.mark.parametrize(
    "arguments", [("none",), ("inbox", "--interval", "0"), ("inbox", "--interval", "nan")]
)
def test_what_cannot_be_watched_is_said(arguments, inbox, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("watch", *arguments)
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
