"""The page of a user's own tokens: whoever is signed in creates and revokes them, up to their role."""

import json
import re

import pytest

from app.pages.tokens.page import NEVER
from schema.roles import Role
from services.store.own_tokens import MAX_OWN_TOKENS, make_own_token, own_tokens
from storage.audit import Audit
from storage.tokens import Tokens

TEXT = re.compile(r"tsc_[a-z2-7]+_[a-z2-7]+")


def make(client, name="ci", scope="read", expiry="90d", clicks=1):
    """Press Create; return the response."""
    values = {"tokens-name.value": name, "tokens-scope.value": scope, "tokens-expiry.value": expiry}
    return client.post("tokens-name.value", **values, **{"tokens-make.n_clicks": clicks})


def revoke(client, token_id):
    """Press Revoke beside a token; return the response."""
    changed = (
        json.dumps({"token": token_id, "type": "tokens-revoke"}, separators=(",", ":"))
        + ".n_clicks"
    )
    body = client.body("tokens-list.children@", **{"tokens-revoke": {token_id: 1}}, changed=changed)
    return client.http.post("/_dash-update-component", json=body)


def works(client, text):
    """Return the role that the API gives to a token, None if it refuses the token."""
    response = client.app.server.test_client().get(
        "/api/v1/me", headers={"Authorization": f"Bearer {text}"}
    )
    return response.json["role"] if response.status_code == 200 else None


@pytest.mark.parametrize(
    ("user", "scopes"),
    [
        ("victor", ["read"]),
        ("edgar", ["read", "write"]),
        ("ada", ["read", "write", "admin"]),
    ],
)
def test_a_form_offers_the_scopes_of_the_role(signed_in, user, scopes):
    page = signed_in(user).open("/tokens")
    offered = [scope for scope in ("read", "write", "admin") if f'"value": "{scope}"' in page]
    assert offered == scopes


def test_a_token_is_shown_once_works_and_is_in_the_audit_log(signed_in, catalogue):
    edgar = signed_in("edgar")
    (text,) = set(TEXT.findall(make(edgar, "nightly", "write").text))
    assert works(edgar, text) == "editor"
    assert TEXT.search(edgar.open("/tokens")) is None
    assert "nightly" in edgar.open("/tokens")
    (token,) = own_tokens(catalogue, "edgar")
    assert (token.scope, token.created_by) == ("write", "edgar")
    assert token.expires_at is not None
    (entry,) = Audit(catalogue).entries(10, action="token.create")
    assert (entry.user, entry.object, entry.detail) == ("edgar", token.token_id, "write: nightly")


def test_no_token_grants_more_than_the_role(signed_in, catalogue):
    for user, scope in (("victor", "write"), ("edgar", "admin"), ("ada", "root")):
        response = make(signed_in(user), scope=scope)
        assert TEXT.search(response.text) is None
        assert "ts-trouble" in response.text
    assert Tokens(catalogue).all() == []


@pytest.mark.parametrize(
    ("name", "expiry"), [("", "90d"), ("a\u202eb", "90d"), ("n" * 101, NEVER), ("ci", "1000d")]
)
def test_a_wrong_name_or_age_makes_no_token(signed_in, catalogue, name, expiry):
    assert "ts-trouble" in make(signed_in("edgar"), name, expiry=expiry).text
    assert Tokens(catalogue).all() == []


def test_a_user_sees_and_revokes_only_their_own_tokens(signed_in, catalogue):
    _, text = make_own_token(
        catalogue, "edgar", Role.EDITOR, name="mine", scope="write", expires=""
    )
    (token,) = own_tokens(catalogue, "edgar")
    assert "mine" not in signed_in("ada").open("/tokens")
    assert "ts-trouble" in revoke(signed_in("ada"), token.token_id).text
    assert works(signed_in("ada"), text) == "editor"
    assert "mine" not in revoke(signed_in("edgar"), token.token_id).text
    assert works(signed_in("edgar"), text) is None
    (entry,) = Audit(catalogue).entries(10, action="token.revoke")
    assert (entry.user, entry.object) == ("edgar", token.token_id)


def test_a_token_makes_no_token(signed_in, catalogue):
    _, text = make_own_token(catalogue, "ada", Role.ADMIN, name="mine", scope="admin", expires="")
    client = signed_in("ada")
    del client.http.environ_base["HTTP_X_FORWARDED_USER"]
    client.http.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {text}"
    assert TEXT.search(make(client).text) is None
    assert len(Tokens(catalogue).all()) == 1


def test_without_sign_in_there_is_no_form(dashboard):
    page = dashboard.open("/tokens")
    assert "tokens-make" not in page
    assert "token create" in page
    assert TEXT.search(make(dashboard, scope="read").text) is None


def test_a_press_that_comes_with_the_page_makes_nothing(signed_in, catalogue):
    make(signed_in("edgar"), clicks=None)
    assert Tokens(catalogue).all() == []


def test_the_tokens_of_a_user_are_limited(signed_in, catalogue):
    for rank in range(MAX_OWN_TOKENS):
        make_own_token(catalogue, "victor", Role.VIEWER, name=f"t{rank}", scope="read", expires="")
    assert TEXT.search(make(signed_in("victor")).text) is None
    assert TEXT.search(make(signed_in("edgar")).text)


def test_a_token_has_at_most_the_present_role_of_its_owner(signed_in, catalogue):
    # victor was an admin when he created it
    _, text = make_own_token(catalogue, "victor", Role.ADMIN, name="old", scope="admin", expires="")
    assert works(signed_in("victor"), text) == "viewer"


def test_the_menu_of_a_user_leads_to_the_page(signed_in, dashboard):
    assert '"/tokens"' in json.dumps(signed_in("victor").get("/_dash-layout").json)
    assert '"/tokens"' not in json.dumps(dashboard.get("/_dash-layout").json)
