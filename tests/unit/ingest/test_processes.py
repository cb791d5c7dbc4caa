"""Several processes at one store, some of them killed."""

import json
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from tests.support.aie_trace import trace_text

ROOT = Path(__file__).resolve().parents[3]


def app(*args):
    return [sys.executable, "-m", "app", *map(str, args)]


def answer(*args):
    done = subprocess.run(
        app(*args, "--json"), cwd=ROOT, capture_output=True, check=False, text=True, timeout=120
    )
    assert "Traceback" not in done.stderr
    return json.loads(done.stdout)


def start(*args):
    return subprocess.Popen(app(*args), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "trace.json"
    path.write_text(trace_text(iterations=40, kernels=100))
    return path


def database_exists(data):
    return (data / "catalogue.db").exists()


def attempt_is_reserved(data):
    try:
        with sqlite3.connect(f"file:{data}/catalogue.db?mode=ro", uri=True) as connection:
            return connection.execute("select count(*) from pending").fetchone()[0] > 0
    except sqlite3.Error:
        return False


def file_is_there(data):
    return any((data / "frames").rglob("*.pack"))


@pytest.mark.slow
@pytest.mark.parametrize("moment", [database_exists, attempt_is_reserved, file_is_there])
def test_a_killed_ingest_leaves_nothing_half_done_and_the_next_one_finishes(
    tmp_path, trace, moment
):
    data = tmp_path / "data"
    child = start("ingest", trace, "--data", data)
    while child.poll() is None and not moment(data):
        time.sleep(0.0005)
    child.send_signal(signal.SIGKILL)
    child.communicate()

    listed = answer("runs", "--data", data)
    if listed:
        frames = subprocess.run(
            app("frames", listed[0]["run_id"], "events", "--data", data),
            cwd=ROOT,
            capture_output=True,
            check=False,
        )
        assert len(json.loads(frames.stdout)) > 0
    taken = answer("ingest", trace, "--data", data)
    assert [run["status"] for run in taken["runs"]] == (["unchanged"] if listed else ["new"])
    assert len(answer("runs", "--data", data)) == 1
    assert len(list((data / "frames").glob("*/*"))) == 1
    assert not attempt_is_reserved(data)


@pytest.mark.slow
def test_processes_that_take_the_same_and_other_files_at_once_agree(tmp_path, trace):
    data = tmp_path / "data"
    others = [tmp_path / f"other{i}.json" for i in range(2)]
    for i, path in enumerate(others):
        path.write_text(trace_text(iterations=2 + i))
    children = [
        start("ingest", *paths, "--data", data, "--json")
        for paths in ([trace], [trace, others[0]], [*others, trace])
    ]
    answers = [json.loads(child.communicate(timeout=120)[0]) for child in children]
    runs = [run for given in answers for run in given["runs"]]
    assert all(given["skipped"] == [] for given in answers)
    assert len(runs) == 6
    for run_id in {run["run_id"] for run in runs}:
        assert [run["status"] for run in runs if run["run_id"] == run_id].count("new") == 1
    assert len(answer("runs", "--data", data)) == 3
    assert len(list((data / "frames").glob("*/*"))) == 3


@pytest.mark.slow
def test_processes_that_open_an_old_store_at_once_migrate_it_once(tmp_path):
    data = tmp_path / "data"
    with zipfile.ZipFile(ROOT / "tests/data/stores/0.1.0.zip") as archive:
        archive.extract("catalogue.db", data)
    children = [start("runs", "--json", "--data", data) for _ in range(3)]
    listed = [child.communicate(timeout=120) for child in children]
    assert [child.returncode for child in children] == [0, 0, 0], listed
    assert len({out for out, _ in listed}) == 1
    with sqlite3.connect(data / "catalogue.db") as connection:
        assert len(connection.execute("select * from tilescope_version").fetchall()) == 1
    connection.close()
