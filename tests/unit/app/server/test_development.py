"""The server of a developer answers in the process that a debugger holds."""

from pathlib import Path

import pytest

from app.config.settings import ConfigurationError, Settings
from app.server.development import serve_developer
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
