"""Addresses in other spellings, and headers that name another method or user."""

import pytest

from tests.support.access import SAME

SPELLINGS = [
    "/api/v1/tokens/",
    "/api//v1/tokens",
    "/api/v1/./tokens",
    "/api/v1/runs/../tokens",
    "/api/v1/runs/..%2ftokens",
    "/api/v1%2ftokens",
    "/%61pi/v1/tokens",
    "/api/v1/tokens%00",
    "/api/v1/tokens;x=1",
    "/api/v1/tokens?x=/healthz",
    "/healthz/../api/v1/tokens",
    "/healthz/",
    "/healthz//",
    "/metrics/x",
    "/api/v1/openapi.json/..%2ftokens",
    "/API/V1/TOKENS",
    "/HEALTHZ",
    "/auth/login/../../api/v1/tokens",
    "/auth/loginx",
    "/_dash-update-component/",
    "/_dash-component-suites/dash/../../../../etc/passwd",
    "/assets/..%2f..%2fapp/config/settings.py",
    "/static/..%2f..%2fapp/config/settings.py",
]


@pytest.mark.parametrize("mode", ["proxy", "oidc"])
@pytest.mark.parametrize("path", SPELLINGS)
def test_no_spelling_of_an_address_opens_it(servers, mode, path):
    served, sent = servers[mode]
    for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "PROPFIND"):
        nobodys = served.ask(method, path, SAME)
        assert nobodys.status_code in (401, 308), (method, nobodys.status_code)
        viewers = served.ask(method, path, SAME | sent["read"][0])
        assert "created_by" not in viewers.text
        assert "AccessSettings" not in viewers.text
        assert "root:" not in viewers.text


@pytest.mark.parametrize("path", ["//api/v1/tokens", "///api/v1/tokens", "/api//v1//tokens"])
def test_doubled_slashes_open_nothing(servers, path):
    served, sent = servers["proxy"]
    assert served.ask("GET", "/", environ_overrides={"PATH_INFO": path}).status_code == 401
    answer = served.ask("GET", "/", sent["read"][0], environ_overrides={"PATH_INFO": path})
    assert "created_by" not in answer.text
    assert answer.headers.get("Location", "http://localhost/").startswith("http://localhost/")


@pytest.mark.parametrize(
    "name", ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "_method"]
)
def test_no_header_stands_for_another_method_or_address(servers, name):
    served, sent = servers["proxy"]
    reader = sent["read"][0] | {
        name: "DELETE",
        "X-Original-URL": "/api/v1/tokens",
        "X-Rewrite-URL": "/api/v1/tokens",
    }
    assert served.ask("GET", "/api/v1/views?_method=DELETE", reader).json == {"views": []}
    assert served.ask("POST", "/api/v1/views", reader | {name: "GET"}).status_code == 403


def test_a_token_is_taken_from_its_header_only(servers):
    served, sent = servers["proxy"]
    text = sent["admin"][0]["Authorization"].split()[1]
    places = [
        {"Cookie": f"{name}={text}"} for name in ("token", "tilescope-session", "Authorization")
    ]
    places += [
        {"X-Api-Key": text},
        {"X-Authorization": f"Bearer {text}"},
        {"Authorization": f"Token {text}"},
    ]
    places += [
        {"Authorization": f"Basic {text}"},
        {"Authorization": text},
        {"Proxy-Authorization": f"Bearer {text}"},
    ]
    assert [served.ask("GET", "/api/v1/me", place).status_code for place in places] == [401] * len(
        places
    )
    assert served.ask("GET", f"/api/v1/me?token={text}&access_token={text}").status_code == 401
