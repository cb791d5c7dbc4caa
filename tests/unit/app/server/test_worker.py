"""When a server process is replaced."""

from types import SimpleNamespace

import pytest

from app.config.settings import load_settings
from app.server import worker as workers
from app.server.worker import BufferingWorker

MIB = 2**20


@pytest.fixture
def worker(tmp_path, monkeypatch):
    """A worker that has handled no request and looks at its memory at every tenth."""
    made = BufferingWorker.__new__(BufferingWorker)
    settings = load_settings(data=tmp_path, answers_mb=64, cache_mb=512, render_processes=2)
    made.app = SimpleNamespace(settings=settings)
    made.cfg = SimpleNamespace(max_requests=10)
    made.nr, made.max_requests, made.alive = 0, 10, True
    made.wsgi = lambda _environ, _start_response: []
    made._begin_bytes = 200 * MIB
    monkeypatch.setattr(workers, "_MAX_LEAK_BYTES", 100 * MIB)
    return made


@pytest.mark.parametrize(("grown_mib", "is_alive"), [(164, True), (165, False)])
def test_only_a_process_that_has_grown_too_much_is_replaced(
    worker, monkeypatch, grown_mib, is_alive
):
    looked = []
    bytes_now = (200 + grown_mib) * MIB
    monkeypatch.setattr(workers, "resident_bytes", lambda: looked.append(worker.nr) or bytes_now)
    for _ in range(25):
        worker._count_request({}, None)
    assert worker.alive is is_alive
    assert looked == ([10, 20] if is_alive else [10])


def test_a_process_without_render_processes_may_keep_frames(worker, tmp_path):
    limit = worker._max_growth_bytes
    worker.app.settings = load_settings(
        data=tmp_path, answers_mb=64, cache_mb=512, render_processes=0
    )
    assert worker._max_growth_bytes - limit == 512 * MIB
