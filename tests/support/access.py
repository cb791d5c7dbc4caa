"""Servers with users: signed-in people and programs with tokens, and their requests."""

from dataclasses import replace
from datetime import timedelta

from app.config.settings import Settings
from app.server.access.identity import SESSION_COOKIE
from app.server.factory import create_app
from services.store.sessions import begin_session
from services.store.tokens import make_token
from storage.clock import timestamp
from storage.tokens import Tokens

OIDC = {
    "oidc_issuer": "http://127.0.0.1:9",
    "oidc_client_id": "tilescope",
    "oidc_client_secret": "hush",
}
PROXY, STRANGER = "10.1.2.3", "192.0.2.7"
NOBODY, VIEWER, EDITOR, ADMIN = range(4)
MODES = {
    "none": {},
    "proxy": {"auth": "proxy", "trusted_proxies": "10.1.2.0/24"},
    "oidc": {"auth": "oidc", "secret_key": "k" * 32, **OIDC},
}
SAME = {"Sec-Fetch-Site": "same-origin"}


class Served:
    """A server in this process, and its store; bob is an editor, carol an admin."""

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
        """Send a request without cookies from address `peer`, and return the response, completely
        read.
        """
        client = self.server.test_client(use_cookies=False)
        with client.open(
            path, method=method, headers=headers, environ_base={"REMOTE_ADDR": peer}, **options
        ) as answer:
            answer.get_data()
            return answer

    def token(self, scope="write", name="ci", *, expired=False, revoked=False):
        """Make a token and return its Authorization header."""
        token, text = make_token(self.catalogue, name, scope, "command line tests")
        if expired:
            expires_at = timestamp(-timedelta(milliseconds=1))
            over = replace(token, token_id=f"{token.token_id}x", expires_at=expires_at)
            Tokens(self.catalogue).add(over)
            text = text.replace(token.token_id, over.token_id)
        if revoked:
            Tokens(self.catalogue).revoke(token.token_id)
        return {"Authorization": f"Bearer {text}"}

    def session(self, name, hours=1.0):
        """Begin a session of a user and return the header with its cookie."""
        secret = begin_session(self.catalogue, f"issuer {name}", name, timedelta(hours=hours))
        return {"Cookie": f"{SESSION_COOKIE}={secret}"}


def problem(number):
    """Return the content of a small MiniMalloc file; every number gives another run."""
    return f"id,lower,upper,size\n0,0,10,{16 * number + 16}\n1,5,12,32\n".encode()


class Team:
    """A server with a token of each scope (read, write, admin). A call sends a request to the API
    with the token of `scope`, and returns the response.
    """

    def __init__(self, folder, **settings):
        self.served = Served(folder, **MODES["proxy"] | settings)
        self.tokens = {
            scope: self.served.token(scope, scope) for scope in ("read", "write", "admin")
        }

    def __call__(self, method, path, body=None, scope="admin", **options):
        headers = self.tokens[scope] | options.pop("headers", {})
        more = {"json": body} if isinstance(body, dict | list) else {"data": body}
        place = path if path.startswith("/api/v1") else f"/api/v1{path}"
        return self.served.ask(method, place, headers, **more, **options)

    def runs(self, *numbers):
        """Ingest runs and return their ids."""
        answers = [self("POST", f"/runs?name=p{n}.81920.csv", problem(n)) for n in numbers]
        return [answer.json["runs"][0]["run_id"] for answer in answers]

    def audit(self):
        """Return (user, action, object) of each entry of the audit log, oldest first."""
        entries = self("GET", "/audit?limit=5000").json["entries"]
        return [(entry["user"], entry["action"], entry["object"]) for entry in reversed(entries)]


def is_problem(answer):
    """Whether a response is a JSON problem (type, title, status, detail) with the status of the
    response.
    """
    told = answer.get_json(force=True, silent=True) or {}
    named = {"type", "title", "status", "detail"}
    return (
        answer.mimetype == "application/problem+json"
        and named <= set(told)
        and told["status"] == answer.status_code
    )
