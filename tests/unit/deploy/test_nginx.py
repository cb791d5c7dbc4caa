"""nginx as `deploy/nginx.conf` has it, before real servers: who is signed in, uploads, a restart."""

import contextlib
import http.client
import json
import threading
from types import SimpleNamespace
from urllib.parse import unquote

import pytest

from tests.support.aie_trace import trace_text
from tests.support.live_server import running
from tests.support.nginx import nginx, sign_in
from tests.support.waiting import PATIENCE_S

SAME = {"Sec-Fetch-Site": "same-origin"}
ALICE = {"Cookie": "who=alice@example.org"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Give nginx before two servers of one store, of which alice@example.org is an editor."""
    folder = tmp_path_factory.mktemp("site")
    store = folder / "data"
    settings = {"auth": "proxy", "trusted_proxies": "127.0.0.1/32", "editors": "alice@example.org"}

    def start(name):
        place = folder / name
        place.mkdir(exist_ok=True)
        urls = {
            "database_url": f"sqlite:///{store / 'catalogue.db'}",
            "frames_url": store / "frames",
        }
        return running(place, **settings, **urls)

    store.mkdir()
    with (
        start("one") as one,
        start("two") as two,
        sign_in() as door,
        nginx(folder / "nginx", (one.port, two.port), door) as port,
    ):
        yield SimpleNamespace(port=port, one=one, two=two)


def ask(site, path, method="GET", body=None, **headers):
    """Return status, headers by their names in lower case, and body."""
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=PATIENCE_S)
    with contextlib.closing(connection):
        connection.request(
            method, path, body, {name.replace("_", "-"): text for name, text in headers.items()}
        )
        answer = connection.getresponse()
        return (
            answer.status,
            {name.lower(): text for name, text in answer.getheaders()},
            answer.read(),
        )


def who(site, **headers):
    status, _, body = ask(site, "/api/v1/me", **headers)
    return json.loads(body)["user"] if status == 200 else status


def test_who_is_signed_in_is_known_by_name(site):
    assert who(site, **ALICE) == "alice@example.org"
    assert who(site, Cookie="who=bob@example.org") == "bob@example.org"


def test_a_name_that_a_client_sends_is_not_believed(site):
    assert who(site, X_Forwarded_User="root") == 401
    assert who(site, **{"X_Forwarded_User": "root"} | ALICE) == "alice@example.org"
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=PATIENCE_S)
    with contextlib.closing(connection):
        connection.request("GET", "/api/v1/me", headers={"X_Forwarded_User": "root"})
        assert connection.getresponse().status == 401


def test_nobody_is_led_to_the_sign_in_and_back(site):
    status, headers, _ = ask(site, "/run/0123?method=reference&window=1-2", Accept="text/html,*/*")
    assert (status, headers["location"]) == (
        302,
        "/provider?back=/run/0123?method=reference&window=1-2",
    )


def test_a_program_gets_an_error_that_it_can_read(site):
    status, headers, body = ask(site, "/api/v1/runs")
    assert (status, headers["content-type"]) == (401, "application/problem+json")
    assert headers["www-authenticate"] == "Bearer"
    assert json.loads(body)["status"] == 401


def test_health_is_open_and_metrics_are_not(site):
    assert [ask(site, path)[0] for path in ("/healthz", "/readyz", "/metrics")] == [200, 200, 404]


def test_a_token_passes_without_a_sign_in(site):
    assert who(site, Authorization="Bearer tsc_none_such") == 401


@pytest.mark.parametrize(
    "name", ["a%2Fb", "a%2F%2Fb", "%2Fa", "a%252Fb", "a%2Ftest", "a%20b", "%E7%8E%8B"]
)
def test_a_name_of_any_characters_passes(site, name):
    head = ALICE | SAME | {"Content-Type": "application/json"}
    assert ask(site, f"/api/v1/rules/{name}", "PUT", b'{"last": 3}', **head)[0] == 204
    (rule,) = json.loads(ask(site, "/api/v1/rules", **ALICE)[2])["rules"]
    assert rule["name"] == unquote(name)
    assert ask(site, f"/api/v1/rules/{name}", "DELETE", **head)[0] == 204


def test_a_file_passes(site):
    head = ALICE | SAME | {"Content-Type": "application/octet-stream"}
    body = trace_text().encode()
    assert (
        ask(site, "/api/v1/runs?name=trace_mm_64_64_64.json&hwid=npu2", "POST", body, **head)[0]
        == 201
    )


def test_a_file_in_parts_passes(site):
    head = ALICE | SAME
    data = trace_text(iterations=4).encode()
    new = json.dumps({"name": "parts.json", "size": len(data), "settings": {"hwid": "npu2"}})
    status, headers, _ = ask(site, "/api/v1/uploads", "POST", new, **head)
    assert status == 201
    place, middle = headers["location"], len(data) // 2
    for begin, part in ((0, data[:middle]), (middle, data[middle:])):
        assert ask(site, place, "PATCH", part, Upload_Offset=str(begin), **head)[0] == 204
        assert ask(site, place, "HEAD", **ALICE)[1]["upload-offset"] == str(begin + len(part))
    assert ask(site, f"{place}/finish", "POST", **head)[0] == 201


def test_what_another_site_sends_is_refused(site):
    head = ALICE | {"Sec-Fetch-Site": "cross-site", "Content-Type": "application/octet-stream"}
    assert ask(site, "/api/v1/runs?name=a.json", "POST", b"{}", **head)[0] == 403


def test_no_get_fails_while_a_server_ends_under_it(site):
    answers, ended = [], threading.Event()

    def read():
        while not ended.is_set():
            answers.append(ask(site, "/api/v1/runs?limit=5", **ALICE)[0])

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    site.two.process.terminate()
    assert site.two.process.wait(PATIENCE_S) == 0
    after = len(answers)
    while len(answers) < after + 30:
        ended.wait(0.05)
    ended.set()
    for reader in readers:
        reader.join()
    assert set(answers) == {200}
