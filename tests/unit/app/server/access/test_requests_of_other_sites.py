"""Another site's page has a browser's cookie, or the proxy's header, and may change nothing with it."""

import pytest

from tests.support.access import MODES, PROXY, SAME, Served

FOREIGN = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "unknown"},
    {"Sec-Fetch-Site": ""},
    {"Sec-Fetch-Site": "same-origin, cross-site"},
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "http://localhost.evil.example"},
    {"Origin": "http://localhost:81"},
    {"Origin": "http://evil.example/localhost"},
    {"Origin": "http://localhost@evil.example"},
    {"Origin": "http://[::1"},
    {"Sec-Fetch-Site": "none", "Origin": "http://evil.example"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
    {},
]
OWN = [
    SAME,
    {"Sec-Fetch-Site": "none"},
    {"Origin": "http://localhost"},
    SAME | {"Origin": "http://other.name"},
]
WRITES = [
    ("POST", "/api/v1/runs?name=a.csv"),
    ("POST", "/api/upload?name=a.csv"),
    ("PATCH", f"/api/v1/runs/{'f' * 64}"),
    ("DELETE", f"/api/v1/runs/{'f' * 64}"),
    ("POST", "/api/v1/uploads"),
    ("PATCH", "/api/v1/uploads/x"),
    ("POST", "/api/v1/views"),
    ("POST", "/api/v1/jobs"),
    ("POST", "/api/v1/retention"),
    ("POST", "/api/v1/tokens"),
    ("POST", "/_dash-update-component"),
]


@pytest.fixture(scope="module")
def by_proxy(tmp_path_factory):
    return Served(tmp_path_factory.mktemp("proxy"), **MODES["proxy"])


@pytest.fixture(scope="module")
def by_session(tmp_path_factory):
    return Served(tmp_path_factory.mktemp("oidc"), **MODES["oidc"])


@pytest.fixture(scope="module", params=["proxy", "session"])
def send(request, by_proxy, by_session):
    """Send what rests on the browser."""
    if request.param == "proxy":
        return lambda method, path, more: by_proxy.ask(
            method, path, {"X-Forwarded-User": "carol"} | more, peer=PROXY
        )
    cookie = by_session.session("carol")
    return lambda method, path, more: by_session.ask(method, path, cookie | more)


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
@pytest.mark.parametrize(("method", "path"), WRITES)
def test_other_sites_change_nothing(send, method, path, headers):
    assert send(method, path, headers).status_code == 403


@pytest.mark.parametrize("headers", OWN, ids=str)
@pytest.mark.parametrize(("method", "path"), WRITES)
def test_the_pages_themselves_do(send, method, path, headers):
    assert send(method, path, headers).status_code not in (401, 403)


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_program_with_a_token_needs_neither_header(by_session, headers):
    answer = by_session.ask(
        "POST", "/api/v1/views", by_session.token() | headers, json={"name": "a", "query": ""}
    )
    assert answer.status_code == 201


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_other_sites_sign_nobody_out(by_session, headers):
    cookie = by_session.session("bob")
    assert by_session.ask("POST", "/auth/logout", cookie | headers).status_code == 403
    assert by_session.ask("GET", "/auth/logout", cookie | SAME).status_code == 405
    assert by_session.ask("GET", "/api/v1/me", cookie).json == {"user": "bob", "role": "editor"}


def test_no_answer_may_be_read_by_another_site(by_session):
    sent = by_session.session("carol") | {"Origin": "http://evil.example"}
    for method in ("GET", "OPTIONS"):
        asked = sent | {
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "Authorization",
        }
        answer = by_session.ask(method, "/api/v1/tokens", asked)
        assert not [name for name in answer.headers.keys() if name.startswith("Access-Control")]  # noqa: SIM118


def test_the_public_address_is_an_origin_too(tmp_path):
    served = Served(
        tmp_path, **MODES["oidc"], public_url="https://tiles.example", allowed_hosts="inner"
    )
    cookie, view = served.session("bob") | {"Host": "inner"}, {"name": "a", "query": ""}
    answers = {
        origin: served.ask(
            "POST", "/api/v1/views", cookie | {"Origin": origin}, json=view
        ).status_code
        for origin in (
            "https://tiles.example",
            "http://inner",
            "https://evil.example",
            "https://tiles.example.evil",
        )
    }
    assert list(answers.values()) == [201, 201, 403, 403]


@pytest.mark.parametrize(
    "path", ["/", "/api/v1/runs", "/api/v1/nothing", "/healthz", "/auth/login", "/run/x"]
)
def test_no_page_frames_an_answer(by_session, path):
    answer = by_session.ask("GET", path, by_session.session("carol"))
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
