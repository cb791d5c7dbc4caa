"""The server of a developer answers in the process that a debugger holds."""

from pathlib import Path

import pytest

from app.config.settings import ConfigurationError, Settings
from app.server.development import developer_settings, serve_developer
from app.server.factory import create_app
from app.views.aie import panels
from ingest.files import ingest
from tests.support.aie_trace import trace_text
from tests.support.dash_client import DashClient
from tests.support.live_server import running


def children_of(process):
    return Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()


def test_pages_are_answered_by_one_process(tmp_path):
    with running(tmp_path, "--debug") as server:
        assert server.request("/")[0] == 200
        assert server.request("/_dash-layout")[0] == 200
        assert children_of(server.process) == []


def test_the_server_without_limits_listens_on_this_machine_alone(tmp_path):
    with pytest.raises(ConfigurationError, match="loopback"):
        serve_developer(Settings(data=tmp_path, host="0.0.0.0"), reloads=False, profiles=None)  # noqa: S104 - refused


def test_each_request_leaves_a_profile(tmp_path):
    with running(tmp_path, "--profile", str(tmp_path / "profiles")) as server:
        server.request("/healthz")
    names = [path.name for path in (tmp_path / "profiles").iterdir()]
    assert any(name.startswith("GET.healthz.") for name in names)


@pytest.mark.slow
def test_a_page_is_drawn_again_at_every_load(tmp_path, monkeypatch):
    draw = panels.iterations.iterations
    calls = []
    monkeypatch.setattr(
        panels.iterations, "iterations", lambda *a, **k: calls.append(0) or draw(*a, **k)
    )
    trace = tmp_path / "trace.json"
    trace.write_text(trace_text())
    dashboard = DashClient(create_app(developer_settings(Settings(data=tmp_path / "data"))))
    run = ingest(dashboard.repository, [trace], {}).runs[0].run_id
    for _ in range(2):
        dashboard.drawn(run)
    assert len(calls) == 2
