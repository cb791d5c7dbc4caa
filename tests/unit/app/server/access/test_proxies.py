"""People as a reverse proxy names them: only from where it stands, and only one name that is one."""

from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.config.settings import ConfigurationError, Settings, load_settings
from app.server.access.first_look import FirstLook
from app.server.access.proxies import behind, is_in
from tests.support.access import MODES, PROXY, SAME, Served

USER = "X-Forwarded-User"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    return Served(tmp_path_factory.mktemp("proxy"), **MODES["proxy"])


def wire(name):
    """Return a text as its UTF-8 bytes reach WSGI."""
    return name.encode().decode("latin-1")


@pytest.fixture
def named(served):
    """Return status, and name and role, for a header's bytes as WSGI has them."""

    def ask(header, peer=PROXY):
        answer = served.ask(
            "GET", "/api/v1/me", peer=peer, environ_overrides={"HTTP_X_FORWARDED_USER": header}
        )
        return answer.status_code, *(
            (answer.json["user"], answer.json["role"]) if answer.status_code == 200 else ()
        )

    return ask


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("carol", "admin"),
        ("bob", "editor"),
        ("alice", "viewer"),
        ("Zoë", "viewer"),
        ("王芳", "viewer"),
    ],
)
def test_a_name_has_its_role(named, name, role):
    assert named(wire(name)) == (200, name, role)


@pytest.mark.parametrize(
    "name",
    [
        "Carol",
        "CAROL",
        "ｃａｒｏｌ",
        "саrol",
        "carol.",
        "caroI",
        "carol/admin",
        "carol bob",
        "ᶜarol",
        "caroł",
    ],
)
def test_a_name_like_an_admins_is_another_ones(named, name):
    assert named(wire(name)) == (200, name, "viewer")


@pytest.mark.parametrize(
    "header",
    [
        "alice, carol",
        "carol,carol",
        ",carol",
        "carol,",
        wire("carol\u200b"),
        wire("carol\u00a0"),
        wire("\u2003carol"),
        wire("\u202ecarol"),
        wire("carol\u0085"),
        "carol\xa0",
        "carol\x85",
        "carol\x00",
        "carol\x1b[2J",
        "a\tb",
        "\xff\xfe",
        "\xe9l\xe9onore",
        "x" * 201,
        wire("é" * 201),
        "everyone",
        "anonymous",
        "token ci",
        "command line root",
    ],
)
def test_what_is_no_name_of_a_person_is_refused(named, header):
    assert named(header) == (400,)


@pytest.mark.parametrize("header", ["", " ", "\t"])
def test_an_empty_name_is_nobody(named, header):
    assert named(header) == (401,)


@given(st.text(alphabet=st.characters(max_codepoint=255), max_size=30))
def test_no_header_becomes_a_name_on_a_list_but_that_name(served, header):
    sent = {"HTTP_X_FORWARDED_USER": header}
    answer = served.ask("GET", "/api/v1/me", peer=PROXY, environ_overrides=sent)
    assert answer.status_code in (200, 400, 401)
    assert (
        answer.status_code != 200
        or answer.json["role"] == "viewer"
        or header.strip(" \t") in ("bob", "carol")
    )


@pytest.mark.parametrize(
    ("peer", "trusted"),
    [
        ("10.1.2.0", True),
        ("10.1.2.255", True),
        ("10.1.1.255", False),
        ("10.1.3.0", False),
        ("::ffff:10.1.2.3", True),
        ("::ffff:a01:203", True),
        ("::ffff:10.1.3.0", False),
        ("::10.1.2.3", False),
        ("fd00::1", True),
        ("fd00::ffff", True),
        ("fd00:0:0:1::1", False),
        ("fd00::1%eth0", True),
        ("fe80::1%10.1.2.3", False),
        ("10.1.2.3, 192.0.2.7", False),
        ("10.1.2.003", False),
        ("167838211", False),
        ("10.1.2", False),
        ("localhost", False),
        ("unix:", False),
        ("", False),
    ],
)
def test_which_addresses_are_those_of_proxies(peer, trusted):
    assert is_in(peer, [ip_network("10.1.2.0/24"), ip_network("fd00::/64")]) is trusted


def test_nobody_is_trusted_where_no_proxy_is_named():
    assert not is_in("127.0.0.1", [])


def seen(peer, **headers):
    """Return what the application is told of a client: its address and scheme."""
    told = {}

    def application(environ, _start):
        told.update(environ)
        return []

    environ = {"REMOTE_ADDR": peer, "wsgi.url_scheme": "http"} | {
        f"HTTP_{name}": text for name, text in headers.items()
    }
    behind([ip_network("10.1.2.0/24")], application)(environ, None)
    return told["REMOTE_ADDR"], told["wsgi.url_scheme"]


def test_a_proxy_tells_address_and_scheme():
    assert seen(PROXY, X_FORWARDED_FOR="198.51.100.4", X_FORWARDED_PROTO="https") == (
        "198.51.100.4",
        "https",
    )


def test_what_a_client_wrote_before_the_proxy_is_not_believed():
    told = seen(PROXY, X_FORWARDED_FOR="203.0.113.9, 198.51.100.4", X_FORWARDED_PROTO="https, http")
    assert told == ("198.51.100.4", "http")


@pytest.mark.parametrize("scheme", ["javascript", "HTTPS", "https://x", ""])
def test_a_scheme_is_one_of_two(scheme):
    assert seen(PROXY, X_FORWARDED_PROTO=scheme)[1] == "http"


def test_another_peer_tells_nothing():
    assert seen("10.1.3.0", X_FORWARDED_FOR=PROXY, X_FORWARDED_PROTO="https") == (
        "10.1.3.0",
        "http",
    )


def test_an_address_that_a_proxy_tells_makes_no_proxy(served):
    told = {USER: "carol", "X-Forwarded-For": PROXY}
    assert served.ask("GET", "/api/v1/me", told, peer="10.1.3.0").status_code == 401


@pytest.mark.parametrize(
    "proxies", ["", ",", " , ", "10.0.0.1/33", "proxy.example", "10.0.0.1;10.0.0.2"]
)
def test_proxies_are_named_and_networks(tmp_path, proxies):
    with pytest.raises(ConfigurationError, match="trusted_proxies"):
        load_settings(data=tmp_path, auth="proxy", trusted_proxies=proxies)


def test_the_headers_name_may_be_another(tmp_path):
    other = Served(tmp_path, **MODES["proxy"], proxy_user_header="Remote-User")
    assert other.ask("GET", "/api/v1/me", {"Remote-User": "bob"}, peer=PROXY).json["user"] == "bob"
    assert other.ask("GET", "/api/v1/me", {USER: "bob"}, peer=PROXY).status_code == 401


def test_names_are_text_in_pages_of_errors(served):
    name = "<img/src=x onerror=alert(1)>"
    asked = SAME | {USER: name, "Accept": "text/html"}
    answer = served.ask("POST", "/not/there", asked, peer=PROXY)
    assert answer.status_code == 403
    assert "&lt;img" in answer.text
    assert "<img" not in answer.text


def test_who_has_no_role_gets_nowhere(tmp_path):
    strict = Served(tmp_path, **MODES["proxy"], default_role="nobody", anonymous="viewer")
    assert strict.ask("GET", "/api/v1/me", {USER: "alice"}, peer=PROXY).status_code == 403
    assert strict.ask("GET", "/api/v1/me", {USER: "bob"}, peer=PROXY).json["role"] == "editor"


class TestFirstLook:
    @pytest.mark.parametrize(
        ("auth", "peer", "headers", "nobodys"),
        [
            ("none", "192.0.2.7", {}, False),
            ("proxy", PROXY, {}, True),
            ("proxy", PROXY, {"X_FORWARDED_USER": ""}, True),
            ("proxy", PROXY, {"X_FORWARDED_USER": "alice"}, False),
            ("proxy", "192.0.2.7", {"X_FORWARDED_USER": "alice"}, True),
            ("proxy", "192.0.2.7", {"COOKIE": "tilescope-session=x"}, True),
            ("proxy", "192.0.2.7", {"AUTHORIZATION": "Bearer tsc_abc_def"}, False),
            ("proxy", "192.0.2.7", {"AUTHORIZATION": "bearer  tsc_abc_def "}, False),
            ("proxy", "192.0.2.7", {"AUTHORIZATION": "Bearer x"}, True),
            ("proxy", "192.0.2.7", {"AUTHORIZATION": "Basic YTpi"}, True),
            ("oidc", "192.0.2.7", {"COOKIE": "a=b; tilescope-session=x"}, False),
            ("oidc", "192.0.2.7", {"COOKIE": "a=b"}, True),
            ("oidc", "192.0.2.7", {"X_FORWARDED_USER": "alice"}, True),
        ],
    )
    def test_whose_files_are_refused_before_they_come(self, tmp_path, auth, peer, headers, nobodys):
        look = FirstLook.by(Settings(data=tmp_path, **MODES[auth]))
        assert look.is_anonymous(peer, headers) is nobodys

    def test_clients_behind_a_proxy_are_told_apart(self, tmp_path):
        look = FirstLook.by(Settings(data=tmp_path, **MODES["proxy"]))
        assert look.client(PROXY, {"X_FORWARDED_FOR": "1.1.1.1, 198.51.100.4"}) == "198.51.100.4"
        assert look.client(PROXY, {}) == PROXY
        assert look.client("192.0.2.7", {"X_FORWARDED_FOR": "198.51.100.4"}) == "192.0.2.7"
