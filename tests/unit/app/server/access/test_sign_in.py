"""Sign-in at a provider of OpenID Connect, and the sessions that come of it."""

import http.cookies
from hashlib import sha256
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.config.settings import ConfigurationError, load_settings
from app.server.access.identity import SESSION_COOKIE
from app.server.access.oidc import safe_path
from tests.support.access import MODES, OIDC, Served
from tests.support.browser import Browser

PAGE = {"Accept": "text/html"}


@pytest.mark.parametrize(
    ("subject", "role"),
    [
        ("alice@example.org", "viewer"),
        ("bob@example.org", "editor"),
        ("carol@example.org", "admin"),
        ("Carol@example.org", "viewer"),
        ("carol@example.org.evil", "viewer"),
        ("ｃarol@example.org", "viewer"),
    ],
)
def test_people_sign_in(browser, subject, role):
    answer = browser.sign_in(subject, "/run/x?window=1&a=b")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/run/x?window=1&a=b")
    assert browser.me() == (subject, role)


def test_what_the_provider_is_asked(browser):
    asked = parse_qs(urlsplit(browser.to_provider()).query)
    assert asked["response_type"] == ["code"]
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["redirect_uri"] == ["http://localhost/auth/callback"]
    assert {"state", "nonce", "code_challenge"} <= set(asked)
    again = parse_qs(urlsplit(browser.to_provider()).query)
    assert not [name for name in ("state", "nonce", "code_challenge") if asked[name] == again[name]]


@pytest.mark.parametrize(
    "path", ["/", "/run/x?window=1", "/compare?a=%2F&b=%C3%A9", "/no/page?q=//evil"]
)
def test_a_page_leads_to_sign_in_and_back(browser, path):
    answer = browser.http.get(path, headers=PAGE)
    assert answer.status_code == 302
    to = urlsplit(answer.headers["Location"])
    assert to.path == "/auth/login"
    assert Browser.signed_in(
        browser,
        "alice@example.org",
        browser.http.get(answer.headers["Location"]).headers["Location"],
    )
    then = parse_qs(to.query)["next"][0]
    assert parse_qs(urlsplit(then).query) == parse_qs(urlsplit(path).query)
    assert urlsplit(then).path == urlsplit(path).path


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/api/v1/runs"), ("POST", "/"), ("HEAD", "/"), ("GET", "/api/x")]
)
def test_what_is_no_page_is_refused(browser, method, path):
    assert browser.http.open(path, method=method, headers=PAGE).status_code == 401


class TestCookies:
    @pytest.mark.parametrize(
        ("public", "scheme", "secure"),
        [
            ("", "http", False),
            ("", "https", True),
            ("https://localhost", "http", True),
            ("http://localhost", "http", False),
        ],
    )
    def test_scripts_and_other_sites_do_not_have_it(
        self, settings, tmp_path, public, scheme, secure
    ):
        served = Served(tmp_path, **settings, public_url=public)
        answer = Browser(served).sign_in("alice@example.org", base_url=f"{scheme}://localhost")
        sent = http.cookies.SimpleCookie("; ".join(answer.headers.getlist("Set-Cookie")[:1]))[
            SESSION_COOKIE
        ]
        assert (sent["httponly"], sent["samesite"], sent["path"], sent["domain"]) == (
            True,
            "Lax",
            "/",
            "",
        )
        assert bool(sent["secure"]) is secure
        assert 0 < int(sent["max-age"]) <= 168 * 3600

    def test_the_store_holds_no_secret(self, browser, served):
        browser.sign_in("alice@example.org")
        files = [file.read_bytes() for file in served.settings.data.rglob("*") if file.is_file()]
        assert files
        assert not [content for content in files if browser.secret.encode() in content]

    @pytest.mark.parametrize(
        "bend",
        [
            lambda s: s[:-1],
            lambda s: s + "A",
            lambda s: s.swapcase(),
            lambda s: "",
            lambda s: f'"{s}x"',
        ],
    )
    def test_a_bent_cookie_is_nobodys(self, browser, served, bend):
        browser.sign_in("alice@example.org")
        sent = {"Cookie": f"{SESSION_COOKIE}={bend(browser.secret)}"}
        assert served.ask("GET", "/api/v1/me", sent).status_code == 401

    def test_a_cookie_that_was_there_before_is_not_the_session(self, browser, served):
        fixed = served.session("mallory")["Cookie"].partition("=")[2]
        browser.http.set_cookie(SESSION_COOKIE, fixed)
        browser.sign_in("alice@example.org")
        assert browser.secret != fixed
        assert browser.me() == ("alice@example.org", "viewer")
        assert (
            served.ask("GET", "/api/v1/me", {"Cookie": f"{SESSION_COOKIE}={fixed}"}).status_code
            == 401
        )

    def test_a_sign_in_ends_the_session_before(self, browser, served):
        browser.sign_in("alice@example.org")
        before = {"Cookie": f"{SESSION_COOKIE}={browser.secret}"}
        browser.sign_in("bob@example.org")
        assert served.ask("GET", "/api/v1/me", before).status_code == 401
        assert browser.me() == ("bob@example.org", "editor")


class TestWhatIsNoSignIn:
    def test_a_code_is_of_use_once(self, browser):
        back = browser.signed_in("alice@example.org", browser.to_provider())
        assert browser.http.get(back).status_code == 302
        assert browser.http.get(back).status_code == 400

    def test_another_browsers_code_is_of_no_use(self, browser, served):
        """Else a link would sign people in as somebody else."""
        back = browser.signed_in("mallory@example.org", browser.to_provider())
        victim = Browser(served)
        assert victim.http.get(back).status_code == 400
        victim.to_provider()
        assert victim.http.get(back).status_code == 400
        assert victim.me() == 401

    def test_a_code_of_another_sign_in_of_this_browser_is_of_no_use(self, browser):
        first, second = browser.to_provider(), browser.to_provider()
        codes = [
            parse_qs(urlsplit(browser.signed_in("alice@example.org", to)).query)
            for to in (first, second)
        ]
        mixed = {"code": codes[0]["code"][0], "state": codes[1]["state"][0]}
        assert browser.http.get("/auth/callback", query_string=mixed).status_code == 400
        assert browser.me() == 401

    @pytest.mark.parametrize(
        "query",
        [
            "",
            "code=x",
            "state=x",
            "code=none&state=forged",
            "code=&state=",
            "error=access_denied",
            "state=%00&code=%00",
        ],
    )
    def test_a_made_up_answer_of_the_provider_is_refused(self, browser, query):
        browser.to_provider()
        answer = browser.http.get(f"/auth/callback?{query}", headers=PAGE)
        assert answer.status_code in (400, 403)
        assert browser.secret is None

    def test_a_code_that_the_provider_never_gave_is_refused(self, browser):
        state = parse_qs(urlsplit(browser.to_provider()).query)["state"][0]
        answer = browser.http.get(
            "/auth/callback", query_string={"code": "made-up", "state": state}
        )
        assert answer.status_code == 400

    def test_the_state_cookie_is_signed(self, browser):
        back = browser.signed_in("alice@example.org", browser.to_provider())
        cookie = browser.http.get_cookie("tilescope-sign-in", path="/auth")
        assert cookie.http_only
        assert cookie.same_site == "Lax"
        browser.http.set_cookie("tilescope-sign-in", cookie.value[:-2] + "xx", path="/auth")
        assert browser.http.get(back).status_code == 400

    def test_a_provider_that_does_not_answer_is_said_so(self, tmp_path):
        away = Served(tmp_path, **MODES["oidc"])
        answer = away.ask("GET", "/auth/login")
        assert answer.status_code == 503
        assert OIDC["oidc_issuer"] not in answer.text

    def test_what_is_refused_is_logged_without_the_code(self, browser, caplog):
        state = parse_qs(urlsplit(browser.to_provider()).query)["state"][0]
        browser.http.get("/auth/callback", query_string={"code": "made-up-secret", "state": state})
        assert caplog.records
        assert "made-up-secret" not in caplog.text
        assert OIDC["oidc_client_secret"] not in caplog.text

    def test_many_sign_ins_that_were_begun_leave_room_for_one_that_ends(self, browser):
        """A browser with many pages open begins one for each."""
        for page in range(8):
            names = {str(i): sha256(f"{page} {i}".encode()).hexdigest() for i in range(25)}
            browser.to_provider(f"/run/x?{urlencode(names)}")
            assert len(browser.http.get_cookie("tilescope-sign-in", path="/auth").value) < 4_000
        assert browser.sign_in("alice@example.org", "/compare").headers["Location"] == "/compare"


AWAY = [
    "//evil.example/x",
    "///evil.example",
    "https://evil.example",
    "HTTPS:evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "\t//evil.example",
    " //evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "evil.example",
    "@evil.example",
    "/x\r\nSet-Cookie: a=b",
    "/" + "x" * 3_000,
    "//[::1",
    "",
]


@pytest.mark.parametrize("path", AWAY, ids=repr)
def test_nothing_leads_away_after_sign_in(path):
    assert safe_path(path) == "/"


@pytest.mark.parametrize("path", ["//evil.example/x", "https://evil.example", "/\\evil.example"])
def test_the_last_redirect_stays_here(browser, path):
    assert browser.sign_in("alice@example.org", path).headers["Location"] == "/"


@given(
    st.text(alphabet=st.sampled_from("/\\:@?#.% \t\r\n\x00aeé／＼。x"), max_size=12)
    | st.text(max_size=30)
)
def test_a_browser_stays_here_whatever_is_asked(path):
    found = safe_path(path)
    assert found in ("/", path)
    as_browsers_read = "".join(c for c in found if c not in "\t\r\n").replace("\\", "/").strip()
    assert as_browsers_read.startswith("/")
    assert not as_browsers_read.startswith("//")


@pytest.mark.parametrize(
    "missing", ["oidc_issuer", "oidc_client_id", "oidc_client_secret", "secret_key"]
)
def test_what_sign_in_needs(tmp_path, missing):
    with pytest.raises(ConfigurationError, match=missing):
        load_settings(data=tmp_path, **MODES["oidc"] | {missing: ""})


def test_a_short_secret_is_refused_and_not_told(tmp_path):
    with pytest.raises(ConfigurationError, match="secret_key") as refused:
        load_settings(data=tmp_path, **MODES["oidc"] | {"secret_key": "hunter2-hunter2"})
    assert "hunter2" not in str(refused.value)


def test_secrets_are_not_in_the_settings_as_text(tmp_path):
    settings = load_settings(data=tmp_path, **MODES["oidc"])
    assert not [secret for secret in ("k" * 32, "hush") if secret in repr(settings) + str(settings)]
