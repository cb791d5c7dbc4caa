"""Servers that know who asks, and what different people and programs send them."""

from dataclasses import replace
from datetime import timedelta

from app.server.access.identity import SESSION_COOKIE
from app.server.factory import create_app
from app.settings import Settings
from services.sessions import begin_session
from services.tokens import make_token
from storage.clock import timestamp
from storage.tokens import Tokens

OIDC = {"oidc_issuer": "http://127.0.0.1:9", "oidc_client_id": "tilescope", "oidc_client_secret": "hush"}
PROXY, STRANGER = "10.1.2.3", "192.0.2.7"
MODES = {
    "none": {},
    "proxy": {"auth": "proxy", "trusted_proxies": "10.1.2.0/24"},
    "oidc": {"auth": "oidc", "secret_key": "k" * 32, **OIDC},
}
SAME = {"Sec-Fetch-Site": "same-origin"}


class Served:
    """A server in this process, and its store."""

    def __init__(self, folder, **settings):
        self.settings = Settings(data=folder, **({"editors": "bob", "admins": "carol"} | settings))
        made = self.settings.catalogue()
        made.create()  # as `serve` does before it starts
        made.close()
        self.server = create_app(self.settings).server
        self.context = self.server.extensions["tilescope"]
        self.repository = self.context.repository
        self.catalogue = self.repository.catalogue

    def ask(self, method, path, headers=None, peer="127.0.0.1", **options):
        """Return the answer, read whole, of a client that keeps no cookies."""
        client = self.server.test_client(use_cookies=False)
        with client.open(path, method=method, headers=headers, environ_base={"REMOTE_ADDR": peer}, **options) as answer:
            answer.get_data()
            return answer

    def token(self, scope="write", name="ci", *, expired=False, revoked=False):
        """Return a header with a new token."""
        token, text = make_token(self.catalogue, name, scope, "tests")
        if expired:
            over = replace(token, token_id=f"{token.token_id}x", expires_at=timestamp(-timedelta(milliseconds=1)))
            Tokens(self.catalogue).add(over)
            text = text.replace(token.token_id, over.token_id)
        if revoked:
            Tokens(self.catalogue).revoke(token.token_id)
        return {"Authorization": f"Bearer {text}"}

    def session(self, name, hours=1.0):
        """Return a header with the cookie of a new session."""
        secret = begin_session(self.catalogue, f"issuer {name}", name, timedelta(hours=hours))
        return {"Cookie": f"{SESSION_COOKIE}={secret}"}


def is_problem(answer):
    """Return whether an answer is an error as programs read it."""
    told = answer.get_json(force=True, silent=True) or {}
    named = {"type", "title", "status", "detail"}
    return answer.mimetype == "application/problem+json" and named <= set(told) and told["status"] == answer.status_code
