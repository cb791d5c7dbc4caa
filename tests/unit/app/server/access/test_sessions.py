"""Sessions after a sign-in, and the names of users."""

import pytest

from app.request.errors import RequestError
from app.server.access.identity import SESSION_COOKIE
from app.server.access.oidc import person
from storage.audit import Audit
from tests.support.access import SAME, Served
from tests.support.browser import Browser


class TestSessions:
    def test_sign_out_ends_it_for_every_server(self, settings, tmp_path):
        one, other = Served(tmp_path, **settings), Served(tmp_path, **settings)
        browser = Browser(one)
        browser.sign_in("alice@example.org")
        kept = {"Cookie": f"{SESSION_COOKIE}={browser.secret}"}
        assert other.ask("GET", "/api/v1/me", kept).status_code == 200
        assert browser.http.post("/auth/logout", headers=SAME).status_code == 200
        assert browser.secret is None
        assert [server.ask("GET", "/api/v1/me", kept).status_code for server in (one, other)] == [
            401,
            401,
        ]

    def test_a_sign_in_may_end_at_another_server_of_the_same_secret(self, settings, tmp_path):
        one, other = Served(tmp_path, **settings), Served(tmp_path, **settings)
        browser = Browser(one)
        back = browser.signed_in("alice@example.org", browser.to_provider("/compare"))
        browser.http.application = other.server
        assert browser.http.get(back).headers["Location"] == "/compare"
        browser.http.application = one.server
        assert browser.me() == ("alice@example.org", "viewer")

    def test_a_server_of_another_secret_knows_nothing_of_it(self, settings, tmp_path):
        one, other = (
            Served(tmp_path, **settings),
            Served(tmp_path, **settings | {"secret_key": "o" * 32}),
        )
        browser = Browser(one)
        back = browser.signed_in("alice@example.org", browser.to_provider())
        browser.http.application = other.server
        assert browser.http.get(back).status_code == 400

    def test_one_of_several_sessions_ends_alone(self, served):
        browsers = [Browser(served), Browser(served)]
        for one in browsers:
            one.sign_in("alice@example.org")
        browsers[0].http.post("/auth/logout", headers=SAME)
        assert [one.me() for one in browsers] == [401, ("alice@example.org", "viewer")]

    def test_a_session_is_over_some_day(self, served):
        assert (
            served.ask("GET", "/api/v1/me", served.session("bob", hours=-0.001)).status_code == 401
        )

    def test_roles_are_those_of_today(self, settings, tmp_path):
        before = Served(tmp_path, **settings)
        cookie = before.session("bob@example.org")
        after = Served(tmp_path, **settings | {"editors": "", "admins": "carol@example.org"})
        none = Served(tmp_path, **settings | {"editors": "", "default_role": "nobody"})
        roles = [server.ask("GET", "/api/v1/me", cookie) for server in (before, after, none)]
        assert [answer.status_code for answer in roles] == [200, 200, 403]
        assert [answer.json["role"] for answer in roles[:2]] == ["editor", "viewer"]

    def test_who_has_no_role_any_more_can_still_sign_out(self, settings, tmp_path):
        strict = Served(tmp_path, **settings | {"default_role": "nobody"})
        cookie = strict.session("mallory")
        assert strict.ask("POST", "/auth/logout", cookie | SAME).status_code == 200
        assert strict.ask("GET", "/api/v1/me", cookie).status_code == 401

    def test_signing_out_without_a_session_is_no_failure(self, browser):
        assert browser.http.post("/auth/logout", headers=SAME).status_code == 200

    def test_a_sign_in_is_in_the_audit_log(self, browser, served):
        browser.sign_in("dora@example.org")
        entry = Audit(served.catalogue).entries(user="dora@example.org")[0]
        assert entry.action == "login"
        assert entry.object.endswith(" dora@example.org")


class TestNames:
    CLAIMS = {"iss": "https://id.example", "sub": "u1"}  # noqa: RUF012

    @pytest.mark.parametrize("verified", [False, None, "true", "false", 1, [True]])
    def test_an_address_that_is_not_verified_is_nobodys(self, verified):
        claims = self.CLAIMS | {"email": "carol@example.org", "email_verified": verified}
        assert person(claims)[1] == "u1"

    def test_an_address_without_a_word_of_it_is_not_verified(self):
        assert person(self.CLAIMS | {"email": "carol@example.org"})[1] == "u1"

    def test_a_verified_address_is_the_name(self):
        found = person(self.CLAIMS | {"email": "carol@example.org", "email_verified": True})
        assert found == ("https://id.example u1", "carol@example.org")

    def test_other_claims_name_nobody(self):
        claims = self.CLAIMS | {"preferred_username": "carol", "name": "carol", "nickname": "carol"}
        assert person(claims)[1] == "u1"

    @pytest.mark.parametrize(
        "name",
        [
            "",
            "x" * 201,
            "a\nb",
            "carol@example.org\u200b",
            " carol",
            "token ci",
            "everyone",
            "anonymous",
            "a\x00",
        ],
    )
    def test_a_name_that_is_none_signs_nobody_in(self, name):
        with pytest.raises(RequestError) as refused:
            person({"iss": "https://id.example", "sub": name})
        assert refused.value.status == 403

    def test_the_key_tells_issuers_apart(self):
        assert person(self.CLAIMS)[0] != person(self.CLAIMS | {"iss": "https://other.example"})[0]
