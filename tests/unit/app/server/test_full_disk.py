"""A full disk of the data, of TMPDIR, or both: a real server answers reads, takes removals, and refuses writes."""

import json
import os
import signal
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.server.spool import MAX_IN_MEMORY
from storage.failures import DATA_FOLDER, TEMPORARY_FILES
from storage.reserve import RESERVE_BYTES
from tests.support.aie_trace import trace_text
from tests.support.live_server import running
from tests.support.small_disk import empty, fill, small_disk
from tests.support.waiting import wait_until

RUNS = 4
SCRIPT = "/_dash-component-suites/plotly/package_data/plotly.min.js"
"""A response that is larger than what waitress keeps in memory."""
LARGE = 2**20
"""Bytes of a body that waitress puts into a file."""
JSON = {"Content-Type": "application/json"}


def send(server, name, padding=0):
    return server.request(
        f"/api/v1/runs?name={name}.json", "POST", trace_text().encode() + b" " * padding
    )


def children(pid):
    """Return the ids of the processes that a process started."""
    return {int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


@pytest.fixture(params=[("data",), ("temporary",), ("data", "temporary")], ids="+".join)
def full(request, tmp_path):
    """A server with some runs of which these disks are full."""
    with ExitStack() as stack:
        data = stack.enter_context(small_disk(tmp_path / "store", 4 * RESERVE_BYTES))
        temporary = stack.enter_context(small_disk(tmp_path / "temporary", 2 * MAX_IN_MEMORY))
        environment = {"TMPDIR": str(temporary)}
        server = stack.enter_context(
            running(data, "--workers", "1", environment=environment, max_upload_mb=32)
        )
        sent = [send(server, f"trace_mm_64_64_{n}", n) for n in range(RUNS)]
        runs = [json.loads(body)["runs"][0]["run_id"] for _, _, body in sent]
        disks = [{"data": data, "temporary": temporary}[name] for name in request.param]
        workers = children(server.process.pid)
        for disk in disks:
            fill(disk)
        yield SimpleNamespace(
            server=server, runs=runs, disks=disks, names=request.param, workers=workers
        )
        assert children(server.process.pid) == workers, "no worker was killed"
        assert "Traceback" not in server.log.read_text()


@pytest.mark.quick_every(3)
def test_reads_answer(full):
    run = full.runs[0]
    reads = [
        "/healthz",
        "/readyz",
        "/health",
        "/metrics",
        "/",
        "/api/v1/runs",
        f"/api/v1/runs/{run}",
        "/trends.csv",
    ]
    reads += [
        f"/snapshot?run={run}",
        f"/export/{run}/events.parquet",
        f"/api/v1/runs/{run}/frames/events",
        SCRIPT,
    ]
    assert {path: full.server.request(path)[0] for path in reads} == dict.fromkeys(reads, 200)
    assert len(full.server.request(SCRIPT)[2]) > LARGE


@pytest.mark.quick_every(3)
def test_every_label_is_counted(full):
    methods = ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]
    for number in range(100):
        full.server.request(f"/api/v1/nothing/{number}", methods[number % len(methods)])
    counted = full.server.request("/metrics")[2].decode()
    assert all(f'method="{method}"' in counted for method in methods)


@pytest.mark.quick_every(3)
def test_removals_free_space_and_all_goes_on_without_a_restart(full):
    for run in full.runs:
        assert full.server.request(f"/api/v1/runs/{run}", "DELETE")[0] == 204
    assert json.loads(full.server.request("/api/v1/runs")[2])["runs"] == []
    for disk in full.disks:
        empty(disk)
    status, _, body = send(full.server, "trace_mm_64_64_99", LARGE)
    assert status == 201, body
    assert (full.server.data / "catalogue.db-reserve").stat().st_size == RESERVE_BYTES, (
        "the space is held again"
    )


@pytest.mark.quick_every(3)
def test_a_write_is_refused_with_the_place_that_is_full(full):
    place = TEMPORARY_FILES if "temporary" in full.names else DATA_FOLDER
    status, _, body = send(full.server, "trace_mm_64_64_99", LARGE)
    assert status == 503
    assert place in json.loads(body)["detail"]
    if "data" in full.names:
        status, _, body = send(full.server, "trace_mm_64_64_98", RUNS)
        assert (status, DATA_FOLDER in json.loads(body)["detail"]) == (503, True)
        begun = json.dumps({"name": "a.json", "size": 10})
        status, _, body = full.server.request("/api/v1/uploads", "POST", begun, JSON)
        assert (status, "catalogue" in json.loads(body)["detail"]) == (503, True)


@pytest.mark.quick_every(3)
def test_a_worker_is_replaced(full):
    (before,) = full.workers
    os.kill(before, signal.SIGTERM)
    replacements = wait_until(lambda: set(children(full.server.process.pid)) - {before})
    wait_until(lambda: before not in children(full.server.process.pid))
    full.workers.clear()
    full.workers.update(replacements)
    assert full.server.request("/readyz")[0] == 200
    assert full.server.request(f"/api/v1/runs/{full.runs[0]}", "DELETE")[0] == 204


@pytest.mark.quick_every(3)
def test_a_server_starts_again(full):
    full.server.process.terminate()
    full.server.process.wait()
    full.server.start()
    full.workers.clear()
    full.workers.update(children(full.server.process.pid))
    assert len(json.loads(full.server.request("/api/v1/runs")[2])["runs"]) == RUNS
    assert full.server.request(f"/api/v1/runs/{full.runs[0]}", "DELETE")[0] == 204
