"""A tile that takes long keeps nobody waiting: health, lists and other runs are answered meanwhile."""

import contextlib
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from app.config.settings import load_settings
from app.views.tile_address import join_version
from ingest.files import ingest
from services.run.tile_version import tile_version
from tests.support.aie_trace import trace_text
from tests.support.live_server import running
from tests.support.waiting import PATIENCE_S, wait_until

READERS = 64
"""Readers of one run's tiles: as many as the pool lets wait for the same data."""
NAMES = ("trace_mm_64_64_64.json", "trace_mm_32_64_64.json")


@pytest.fixture
def server(tmp_path):
    """A server that keeps no tiles, with two runs whose tiles have the addresses `server.tiles`."""
    repository = load_settings(data=tmp_path / "data").repository()
    for spaces, name in enumerate(NAMES):
        # Files of equal bytes would be one run.
        (tmp_path / name).write_text(trace_text() + " " * spaces)
    result = ingest(repository, [tmp_path / name for name in NAMES], {})
    runs = [run.run_id for run in result.runs]
    versions = [join_version(tile_version(repository.find_run(run))) for run in runs]
    repository.catalogue.close()
    # No limit ends a render process that this test has stopped.
    with running(tmp_path, tiles_mb=0, render_processor_s=PATIENCE_S, wait_seconds=20) as live:
        live.tiles = [
            f"/timeline/{run}/{version}/robust/-/auto/light"
            for run, version in zip(runs, versions, strict=True)
        ]
        yield live


def descendants(pid):
    """Return the ids of all processes below a process."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it may end meanwhile
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        return {*map(int, children)}.union(*map(descendants, map(int, children)))
    return set()


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_tile_that_takes_long_keeps_nobody_waiting(server):
    large, other = server.tiles
    before = descendants(server.process.pid)
    assert server.request(f"{large}/0/0")[0] == 200
    (renderer,) = descendants(server.process.pid) - before
    os.kill(renderer, signal.SIGSTOP)
    request = f"GET {large}/1/0 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    with contextlib.ExitStack() as stack:
        stack.callback(os.kill, renderer, signal.SIGCONT)
        readers = [stack.enter_context(server.connect(request)) for _ in range(READERS)]
        # A further reader is refused once all of them are counted, so that one holds the process.
        wait_until(lambda: server.request(f"{large}/1/0")[0] == 429)
        for path in ("/healthz", "/health", "/", "/api/v1/runs", f"{large}/NaN/0"):
            status, _, body = server.request(path)
            assert status == (404 if "NaN" in path else 200), path
            assert body
        status, _, body = server.request(f"{other}/1/0")
        assert (status, json.loads(body)["span"][1] > 0) == (200, True)
        os.kill(renderer, signal.SIGCONT)
        # The readers that did not wait too long get their tile.
        assert b"HTTP/1.1" in readers[0].recv(2**12)
        assert server.request(f"{large}/1/0")[0] == 200
