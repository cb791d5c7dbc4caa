"""What Prometheus reads: of one process here, of several from a live server."""

import os
import re
import signal
from pathlib import Path

import pytest

from app.server.factory import create_app
from services.store.backups import begin_backup, fail
from services.store.scheduled_backup import make_backup
from tests.support.dash_client import DashClient
from tests.support.live_server import running
from tests.support.waiting import wait_until


def number(text, name, **labels):
    """Return the sum of a metric over its labels but those that are named."""
    found = 0.0
    for line in text.splitlines():
        match = re.match(rf"{name}(?:\{{(.*)\}})? (\S+)$", line)
        if match and all(f'{key}="{value}"' in (match[1] or "") for key, value in labels.items()):
            found += float(match[2])
    return found


@pytest.mark.slow
def test_requests_are_counted_by_route_and_never_by_path(dashboard, upload):
    before = dashboard.get("/metrics").text
    run = upload().json["runs"][0]["run_id"]
    dashboard.get(f"/api/v1/runs/{run}")
    after = dashboard.get("/metrics").text
    route = "/api/v1/runs/<run_id>"
    counted = [
        number(text, "tilescope_http_requests_total", route=route, status=200)
        for text in (before, after)
    ]
    assert counted[1] - counted[0] == 1
    assert run not in after
    assert number(after, "tilescope_ingests_total", status="new") > number(
        before, "tilescope_ingests_total", status="new"
    )
    assert number(after, "tilescope_runs") == number(after, "tilescope_storage_up") == 1
    assert "tilescope_http_request_seconds_bucket" in after


def test_a_storage_that_is_gone_is_a_number_too(dashboard, upload):
    upload()
    context = dashboard.context
    context.repository.catalogue.close()
    (context.settings.data / "catalogue.db").unlink()
    answer = dashboard.get("/metrics")
    assert answer.status_code == 200
    assert number(answer.text, "tilescope_storage_up") == 0
    assert dashboard.get("/readyz").status_code == 503
    assert dashboard.get("/healthz").status_code == 200


@pytest.mark.slow
def test_backups_are_numbers_where_there_are_to_be_some(settings, tmp_path, dashboard):
    assert "tilescope_backup" not in dashboard.get("/metrics").text
    (tmp_path / "backups").mkdir()
    known = settings.model_copy(
        update={"backup_to": str(tmp_path / "backups"), "backup_every": "1d"}
    )
    client, repository = DashClient(create_app(known)), known.repository()
    names = (
        "last_success_timestamp_seconds",
        "last_size_bytes",
        "failures_total",
        "interval_seconds",
    )
    before, plan = client.get("/metrics").text, known.backup_plan()
    assert [number(before, f"tilescope_backup_{name}") for name in names] == [0, 0, 0, 86_400]
    made = make_backup(repository, plan, begin_backup(repository.catalogue, "me"), "me")
    fail(repository.catalogue, begin_backup(repository.catalogue, "me"), "full", "me")
    after = client.get("/metrics").text
    assert number(after, "tilescope_backup_last_success_timestamp_seconds") > 1.7e9
    assert [number(after, f"tilescope_backup_{name}") for name in names[1:3]] == [made.size, 1]
    assert str(tmp_path) not in after
    repository.catalogue.close()


def counted(server):
    """Return how often the process was asked for its health, as every process tells it."""
    texts = [server.request("/metrics")[2].decode() for _ in range(6)]
    return {number(text, "tilescope_http_requests_total", route="/healthz") for text in texts}


def processes_of(server):
    """Return the ids of the server's processes."""
    parent = server.process.pid
    return {
        int(pid)
        for pid in Path(f"/proc/{parent}/task/{parent}/children")
        .read_text(encoding="utf-8")
        .split()
    }


@pytest.mark.slow
def test_all_processes_are_counted_and_one_that_is_replaced_goes_on(tmp_path):
    with running(tmp_path, "--workers", "2") as server:
        (first,) = counted(server)
        for _ in range(40):
            server.request("/healthz")
        assert counted(server) == {first + 40}
        before = processes_of(server)
        os.kill(min(before), signal.SIGTERM)
        wait_until(lambda: len(processes_of(server) - {min(before)}) == 2)
        for _ in range(10):
            server.request("/healthz")
        assert counted(server) == {first + 50}
