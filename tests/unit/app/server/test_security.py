import io

import pytest

from app.config.settings import Settings
from app.server.factory import create_app
from app.server.limits import CALLBACK_LIMIT
from app.server.security import accepted_hosts
from tests.support.dash_client import DashClient


def policy(answer):
    pairs = (
        part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";")
    )
    return dict(pairs)


@pytest.mark.parametrize(
    "path", ["/", "/health", "/_dash-layout", "/assets/shell.js", "/export/x/run.json", "/run/x"]
)
def test_every_answer_carries_the_headers(dashboard, path: str):
    answer = dashboard.get(path)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert policy(answer)["frame-ancestors"] == "'none'"


def test_scripts_run_from_here_only(dashboard):
    scripts = policy(dashboard.get("/"))["script-src"].split()
    assert scripts[0] == "'self'"
    assert all(source.startswith("'sha256-") for source in scripts[1:])
    assert "unsafe-eval" not in dashboard.get("/").headers["Content-Security-Policy"]


def test_the_first_page_already_knows_every_inline_script(dashboard):
    first = policy(dashboard.get("/"))["script-src"]
    assert first == policy(dashboard.get("/"))["script-src"]


@pytest.mark.parametrize("path", ["/_dash-update-component", "/health", "/nonsense"])
def test_no_route_takes_a_large_body(dashboard, path: str):
    answer = dashboard.http.post(path, data=b"x" * (CALLBACK_LIMIT + 1))
    assert answer.status_code == 413


class Endless(io.RawIOBase):
    def readable(self):
        return True

    def readinto(self, buffer):
        buffer[:] = b" " * len(buffer)
        return len(buffer)


@pytest.mark.parametrize(
    ("path", "status"), [("/api/upload?name=a.json", 413), ("/_dash-update-component", 400)]
)
def test_a_body_of_unknown_length_is_not_read_to_its_end(dashboard, path: str, status: int):
    chunked = {"wsgi.input": Endless(), "wsgi.input_terminated": True, "CONTENT_LENGTH": ""}
    answer = dashboard.http.post(path, content_type="application/json", environ_overrides=chunked)
    assert answer.status_code == status
    assert set(answer.json) == {"type", "title", "status", "detail"}


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
        {"Sec-Fetch-Site": "none", "Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "none", "Origin": "null"},
        {"Origin": "https://[::1"},
    ],
)
@pytest.mark.parametrize("path", ["/api/upload?name=a.json", "/_dash-update-component"])
def test_other_sites_cannot_make_a_browser_send(dashboard, path: str, headers: dict[str, str]):
    answer = dashboard.http.post(path, headers=headers, data=b"{}")
    assert answer.status_code == 403
    assert set(answer.json) == {"type", "title", "status", "detail"}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "https://behind.proxy"},
        {"Origin": "http://localhost"},
    ],
)
def test_the_page_itself_and_programs_may_send(upload, dashboard, headers: dict[str, str]):
    assert dashboard.http.post("/api/upload", headers=headers, data=b"x").status_code == 400


def test_reading_needs_no_origin(dashboard):
    assert dashboard.get("/health", headers={"Origin": "https://other.example"}).status_code == 200


class TestHosts:
    @pytest.mark.parametrize("host", ["localhost:8050", "127.0.0.1", "[::1]:8050"])
    def test_a_loopback_server_answers_to_its_own_names(self, dashboard, host):
        assert dashboard.get("/", headers={"Host": host}).status_code == 200

    def test_a_foreign_name_that_resolves_here_opens_nothing(self, dashboard):
        answer = dashboard.get("/", headers={"Host": "evil.example", "Accept": "application/json"})
        assert answer.status_code == 421
        assert "evil.example" in answer.json["detail"]

    @pytest.mark.parametrize(
        "path", ["/health", "/_dash-layout", "/api/upload", "/assets/shell.js"]
    )
    @pytest.mark.parametrize(
        "host", ["evil.example", "10.0.0.7", "localhost.evil.example", "[::1", "", "a b"]
    )
    def test_no_path_answers_to_a_foreign_name(self, dashboard, path, host):
        assert dashboard.get(path, headers={"Host": host}).status_code in (400, 421)

    def test_a_probe_asks_by_a_name_that_is_answered(self, tmp_path):
        probed = DashClient(
            create_app(Settings(data=tmp_path, host="10.0.0.7", allowed_hosts="tiles.example"))
        )
        probed.repository.catalogue.create()
        assert probed.get("/health", headers={"Host": "localhost"}).status_code == 200

    def test_names_can_be_allowed(self, tmp_path):
        settings = Settings(data=tmp_path, allowed_hosts="Tiles.Example, other")
        assert accepted_hosts(settings) >= {"tiles.example", "other", "localhost"}

    def test_a_server_for_others_answers_to_any_name_unless_told(self, tmp_path):
        assert accepted_hosts(Settings(data=tmp_path, host="0.0.0.0")) == frozenset()  # noqa: S104
