"""Every route of the real server against every credential; a route that is not in the table fails."""

import pytest

from tests.support.access import MODES, PROXY, SAME, STRANGER, Served, is_problem

NOBODY, VIEWER, EDITOR, ADMIN = range(4)
BY_ROUTE = {
    "GET /": VIEWER,
    "GET /<path:path>": VIEWER,
    "GET /_dash-component-suites/<string:package_name>/<path:fingerprinted_path>": VIEWER,
    "GET /_dash-dependencies": VIEWER,
    "GET /_dash-layout": VIEWER,
    "POST /_dash-update-component": VIEWER,
    "GET /_favicon.ico": VIEWER,
    "GET /_reload-hash": VIEWER,
    "GET /api/<path:_rest>": VIEWER,
    "POST /api/upload": EDITOR,
    "GET /audit": ADMIN,
    "GET /admin": ADMIN,
    "GET /api/v1/admin": ADMIN,
    "GET /api/v1/audit": ADMIN,
    "GET /api/v1/jobs": VIEWER,
    "POST /api/v1/jobs": EDITOR,
    "GET /api/v1/jobs/<job_id>": VIEWER,
    "DELETE /api/v1/jobs/<job_id>": EDITOR,
    "POST /api/v1/jobs/<job_id>/resume": EDITOR,
    "GET /api/v1/me": VIEWER,
    "GET /api/v1/openapi.json": NOBODY,
    "POST /api/v1/retention": ADMIN,
    "GET /api/v1/runs": VIEWER,
    "POST /api/v1/runs": EDITOR,
    "GET /api/v1/runs/<run_id>": VIEWER,
    "PATCH /api/v1/runs/<run_id>": EDITOR,
    "DELETE /api/v1/runs/<run_id>": EDITOR,
    "GET /api/v1/runs/<run_id>/frames": VIEWER,
    "GET /api/v1/runs/<run_id>/frames/<frame>": VIEWER,
    "GET /api/v1/alerts": ADMIN,
    "PUT /api/v1/alerts/<text:name>": ADMIN,
    "DELETE /api/v1/alerts/<text:name>": ADMIN,
    "POST /api/v1/alerts/<text:name>/test": ADMIN,
    "GET /api/v1/deliveries": ADMIN,
    "POST /api/v1/deliveries/<delivery_id>/retry": ADMIN,
    "GET /api/v1/rules": VIEWER,
    "PUT /api/v1/rules/<text:name>": EDITOR,
    "DELETE /api/v1/rules/<text:name>": EDITOR,
    "GET /api/v1/status": VIEWER,
    "PUT /api/v1/status/<run_id>/acknowledgement": EDITOR,
    "DELETE /api/v1/status/<run_id>/acknowledgement": EDITOR,
    "GET /status.csv": VIEWER,
    "GET /badge/<text:name>.svg": VIEWER,
    "POST /api/v1/embeds": EDITOR,
    "GET /embed/badge/<key>/<text:rule>/<int:_until>/<_signature>": NOBODY,
    "GET /embed/run/<run_id>/<view>/<state>/<int:_until>/<_signature>": NOBODY,
    "GET /alerts": ADMIN,
    "GET /api/v1/runs/<run_id>/advice": VIEWER,
    "GET /api/v1/runs/<run_id>/pace": VIEWER,
    "GET /api/v1/runs/<run_id>/memory": VIEWER,
    "GET /api/v1/runs/<run_id>/breakdown": VIEWER,
    "GET /api/v1/runs/<run_id>/idle": VIEWER,
    "GET /api/v1/runs/<run_id>/ops": VIEWER,
    "GET /api/v1/runs/<run_id>/ranks": VIEWER,
    "GET /api/v1/runs/<run_id>/design": VIEWER,
    "GET /api/v1/runs/<run_id>/predict": VIEWER,
    "GET /api/v1/runs/<run_id>/kept": VIEWER,
    "DELETE /api/v1/runs/<run_id>/kept/<number>": EDITOR,
    "GET /api/v1/tokens": ADMIN,
    "POST /api/v1/tokens": ADMIN,
    "DELETE /api/v1/tokens/<token_id>": ADMIN,
    "POST /api/v1/uploads": EDITOR,
    "POST /api/v1/uploads/finish": EDITOR,
    "HEAD /api/v1/uploads/<upload_id>": VIEWER,
    "PATCH /api/v1/uploads/<upload_id>": EDITOR,
    "DELETE /api/v1/uploads/<upload_id>": EDITOR,
    "POST /api/v1/uploads/<upload_id>/finish": EDITOR,
    "GET /api/v1/views": VIEWER,
    "POST /api/v1/views": EDITOR,
    "DELETE /api/v1/views/<view_id>": EDITOR,
    "GET /assets/<path:filename>": VIEWER,
    "GET /assets/favicon.<string(length=12):digest>.svg": VIEWER,
    "GET /assets/plotly-cartesian.min.<string(length=12):digest>.js": VIEWER,
    "GET /assets/tilescope.<string(length=12):digest>.css": VIEWER,
    "GET /assets/tilescope.<string(length=12):digest>.js": VIEWER,
    "GET /auth/<path:_rest>": VIEWER,
    "GET /comparison/<table>.<fmt>": VIEWER,
    "GET /comparison/all.json": VIEWER,
    "GET /comparison/graph/columns": VIEWER,
    "GET /docs": VIEWER,
    "GET /docs/": VIEWER,
    "GET /docs/<path:path>": VIEWER,
    "GET /export/<run_id>/<frame>.<fmt>": VIEWER,
    "GET /health": VIEWER,
    "GET /healthz": NOBODY,
    "GET /metrics": NOBODY,
    "GET /minimalloc/<run_id>/<int:attempt>-<kind>.csv": VIEWER,
    "GET /readyz": NOBODY,
    "GET /snapshot": VIEWER,
    "GET /snapshot/compare": VIEWER,
    "GET /snapshot/program/<run_id>": VIEWER,
    "GET /snapshot/lab/<run_id>": VIEWER,
    "GET /graph/<run_id>.<fmt>": VIEWER,
    "GET /graph/<run_id>/columns": VIEWER,
    "GET /graph/<run_id>/design": VIEWER,
    "GET /graph/<run_id>/flow": VIEWER,
    "GET /lab/<run_id>/<name>": VIEWER,
    "GET /static/<path:filename>": VIEWER,
    "GET /table/<run_id>.<fmt>": VIEWER,
    "GET /trends.csv": VIEWER,
    "GET /matrix.csv": VIEWER,
    "GET /sql.csv": VIEWER,
    "GET /sql.parquet": VIEWER,
    "GET /api/v1/check": VIEWER,
    "GET /api/v1/plugins": VIEWER,
    "GET /api/v1/backups": ADMIN,
    "POST /api/v1/query": VIEWER,
    "GET /api/v1/query/tables": VIEWER,
    "GET /api/v1/queries": VIEWER,
    "POST /api/v1/queries": EDITOR,
    "DELETE /api/v1/queries/<query_id>": EDITOR,
    "POST /mcp": VIEWER,
    "GET /mcp": VIEWER,
    "DELETE /mcp": VIEWER,
    "GET /timeline/<run_id>/<version>/<method>/<lanes>/<theme>/<int:level>/<int:number>": VIEWER,
    "GET /perfetto/<run_id>": VIEWER,
    "GET /export/<run_id>/perfetto.json.gz": VIEWER,
    "GET /export/<run_id>/perfetto.pftrace": VIEWER,
    "GET /assets/perfetto.<string(length=12):digest>.js": VIEWER,
}
OF_SIGN_IN = {"GET /auth/callback": NOBODY, "GET /auth/login": NOBODY, "POST /auth/logout": NOBODY}
PARTS = {
    "<path:path>": "some/page",
    "<string:package_name>": "dash",
    "<path:fingerprinted_path>": "dcc/dash_core_components.js",
    "<path:_rest>": "v1/nothing",
    "<path:filename>": "shell.js",
    "<string(length=12):digest>": "0123456789ab",
    "<int:attempt>": "1",
    "<int:_until>": "9",
    "<int:level>": "1",
    "<int:number>": "1",
    "<kind>": "problem",
    "<table>": "metrics",
    "<fmt>": "csv",
    "<frame>": "events",
}


ADMINS = (
    *(
        "/alerts",
        "/audit",
        "/api/v1/alerts",
        "/api/v1/audit",
        "/api/v1/deliveries",
        "/api/v1/retention",
    ),
    *("/api/v1/tokens", "/api/v1/backups", "/admin", "/api/v1/admin"),
)


def table_of(mode):
    return BY_ROUTE | (OF_SIGN_IN if mode == "oidc" else {})


def routes_of(server):
    """Return method and rule of every route; GET stands for HEAD, which goes with it, and OPTIONS is tested apart."""
    found = set()
    for rule in server.url_map.iter_rules():
        methods = rule.methods - {"OPTIONS"} - ({"HEAD"} if "GET" in rule.methods else set())
        found |= {f"{method} {rule.rule}" for method in methods}
    return found


def least(mode, rule):
    """Return the least role that a method of a rule needs."""
    return min(role for route, role in table_of(mode).items() if route.split(" ")[1] == rule)


def path_of(rule):
    for part, text in PARTS.items():
        rule = rule.replace(part, text)
    while "<" in rule:
        rule = rule[: rule.index("<")] + "f" * 64 + rule[rule.index(">") + 1 :]
    return rule


def credentials(served, mode):
    """Return what is sent -> its headers, and whose role that is."""
    admin = served.token("admin")
    text = admin["Authorization"]
    head, _, tail = text.rpartition("_")
    other = served.token("admin")["Authorization"].rpartition("_")[2]
    bad = {
        "wrong token": {"Authorization": "Bearer tsc_aaaaaaaa_" + "a" * 48},
        "token with another one's secret": {"Authorization": f"{head}_{other}"},
        "cut token": {"Authorization": text[:-1]},
        "longer token": {"Authorization": text + "a"},
        "capital token": {"Authorization": f"{head}_{tail.upper()}"},
        "expired token": served.token("admin", expired=True),
        "revoked token": served.token("admin", revoked=True),
        "empty token": {"Authorization": "Bearer"},
        "two tokens": {"Authorization": f"{text}, {text}"},
    }
    nobody = NOBODY if mode != "none" else ADMIN
    people = {
        "nobody": ({}, nobody),
        "basic": ({"Authorization": "Basic YTpi"}, nobody),
        "another header": ({"Remote-User": "carol", "X-Forwarded-Email": "carol"}, nobody),
        "an unknown session": ({"Cookie": "tilescope-session=abc"}, nobody),
        "a session that is over": (served.session("carol", hours=-1), nobody),
        "read": (served.token("read"), VIEWER),
        "write": (served.token("write"), EDITOR),
        "admin": ({"Authorization": text.replace("Bearer", "bearer")}, ADMIN),
    }
    if mode == "proxy":
        named = {name: {"X-Forwarded-User": name} for name in ("alice", "bob", "carol")}
        people |= {
            "alice": (named["alice"], VIEWER),
            "bob": (named["bob"], EDITOR),
            "carol": (named["carol"], ADMIN),
        }
        people |= {"carol's session": (served.session("carol"), NOBODY)}
    if mode == "oidc":
        signed = {"alice": VIEWER, "bob": EDITOR, "carol": ADMIN}
        people |= {name: (served.session(name), role) for name, role in signed.items()}
        people |= {"the header of a proxy": ({"X-Forwarded-User": "carol"}, NOBODY)}
    return {name: (headers, NOBODY) for name, headers in bad.items()} | people


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    """A server of each mode, and what is sent to it."""
    made = {
        mode: Served(tmp_path_factory.mktemp(mode), **settings) for mode, settings in MODES.items()
    }
    return {mode: (served, credentials(served, mode)) for mode, served in made.items()}


@pytest.mark.parametrize("mode", MODES)
def test_the_table_names_every_route_and_no_other(servers, mode):
    assert routes_of(servers[mode][0].server) == set(table_of(mode))


def outcome(answer):
    """Return whether an answer lets its sender pass, or why not."""
    to_login = answer.status_code == 302 and answer.headers["Location"].startswith("/auth/login")
    return {401: "sign in", 403: "role"}.get(
        answer.status_code, "sign in" if to_login else "passed"
    )


def expected(role, needed):
    if role >= needed:
        return "passed"
    return "sign in" if role == NOBODY else "role"


def routes_in_order(mode):
    """Return the routes; the one that ends sessions comes last."""
    return sorted(table_of(mode), key=lambda route: (route == "POST /auth/logout", route))


@pytest.mark.parametrize(
    ("mode", "route"), [(mode, route) for mode in MODES for route in routes_in_order(mode)]
)
def test_who_passes(servers, mode, route):
    (served, sent), needed, (method, rule) = servers[mode], table_of(mode)[route], route.split(" ")
    found = {}
    for name, (headers, _) in sent.items():
        answer = served.ask(method, path_of(rule), SAME | headers, peer=PROXY)
        found[name] = outcome(answer)
        if found[name] != "passed" and method != "HEAD":
            assert is_problem(answer)
            assert answer.status_code != 401 or answer.headers["WWW-Authenticate"].startswith(
                "Bearer"
            )
    assert found == {name: expected(role, needed) for name, (_, role) in sent.items()}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", ["HEAD", "OPTIONS"])
def test_what_is_asked_about_a_route_needs_what_the_route_needs_to_be_read(servers, mode, method):
    served, sent = servers[mode]
    for rule in {route.split(" ")[1] for route in table_of(mode)} - {"/auth/logout"}:
        needed = ADMIN if rule.startswith(ADMINS) else min(VIEWER, least(mode, rule))
        for name in ("nobody", "wrong token", "read", "admin"):
            headers, role = sent[name]
            answer = served.ask(method, path_of(rule), SAME | headers, peer=PROXY)
            assert (rule, name, outcome(answer)) == (rule, name, expected(role, needed))


@pytest.mark.parametrize("route", sorted(BY_ROUTE))
def test_the_header_of_a_peer_that_is_no_proxy_is_nobodys(servers, route):
    method, rule = route.split(" ")
    claims = {
        "X-Forwarded-User": "carol",
        "X-Forwarded-For": PROXY,
        "X-Real-IP": PROXY,
        "Forwarded": f"for={PROXY}",
    }
    answer = servers["proxy"][0].ask(method, path_of(rule), SAME | claims, peer=STRANGER)
    assert outcome(answer) == expected(NOBODY, BY_ROUTE[route])


@pytest.mark.parametrize("mode", ["proxy", "oidc"])
@pytest.mark.parametrize("route", sorted(BY_ROUTE))
def test_who_is_not_signed_in_reads_at_most(anonymous, mode, route):
    method, rule = route.split(" ")
    answer = anonymous[mode].ask(method, path_of(rule), SAME, peer=PROXY)
    assert outcome(answer) == ("passed" if BY_ROUTE[route] <= VIEWER else "sign in")
    broken = anonymous[mode].ask(
        method, path_of(rule), SAME | {"Authorization": "Bearer tsc_a_b"}, peer=PROXY
    )
    assert outcome(broken) == expected(NOBODY, BY_ROUTE[route])


@pytest.fixture(scope="module")
def anonymous(tmp_path_factory):
    folder = tmp_path_factory.mktemp
    return {
        mode: Served(folder(mode), anonymous="viewer", **MODES[mode]) for mode in ("proxy", "oidc")
    }


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
