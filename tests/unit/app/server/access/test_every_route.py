"""Every route of the real server against every credential; a route that is not in the table fails."""

import pytest

from tests.support.access import (
    ADMIN,
    EDITOR,
    MODES,
    NOBODY,
    PROXY,
    SAME,
    STRANGER,
    VIEWER,
    Served,
    is_problem,
)

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
    "GET /api/v1/bisections": VIEWER,
    "POST /api/v1/bisections": EDITOR,
    "GET /api/v1/bisections/<bisection_id>": VIEWER,
    "POST /api/v1/bisections/<bisection_id>/skip": EDITOR,
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
    "GET /timeline/<run_id>/<version>/<method>/<settings>/<lanes>/<theme>/<level>/<number>": VIEWER,
    "GET /timeline/<path:_rest>": VIEWER,
    "GET /badge/<path:_rest>": VIEWER,
    "GET /export/<path:_rest>": VIEWER,
    "GET /minimalloc/<path:_rest>": VIEWER,
    "GET /table/<path:_rest>": VIEWER,
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
    "<level>": "1",
    "<number>": "1",
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
