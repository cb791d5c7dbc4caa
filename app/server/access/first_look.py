"""Read the client address and the presence of credentials from a request header.

The connection calls this before it receives the request body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.config.access_settings import AccessSettings, Network
from app.server.access.identity import SESSION_COOKIE, bearer
from app.server.access.proxies import is_in, last_item
from services.store.tokens import is_token


@dataclass(frozen=True)
class FirstLook:
    """Reads headers without a database, so that the event loop may call it.

    `headers` have the names of WSGI without `HTTP_`, such as `X_FORWARDED_FOR`.
    """

    settings: AccessSettings
    proxies: Sequence[Network]

    @classmethod
    def by(cls, settings: AccessSettings) -> FirstLook:
        """Return a new `FirstLook` with the values of the settings."""
        return cls(settings, settings.proxies)

    def client(self, peer: str, headers: Mapping[str, str]) -> str:
        """Return the client's address: the address that `X-Forwarded-For` has if the peer is a
        trusted proxy, else the peer's.
        """
        forwarded = last_item(headers.get("X_FORWARDED_FOR", ""))
        return forwarded if forwarded and is_in(peer, self.proxies) else peer

    def is_anonymous(self, peer: str, headers: Mapping[str, str]) -> bool:
        """Whether the request has no credentials (token, session cookie or proxy header, which are
        not verified); False without sign-in.

        A file from such a client is refused, even if anonymous users may read.
        """
        if self.settings.auth == "none" or is_token(bearer(headers.get("AUTHORIZATION", "")) or ""):
            return False
        if self.settings.auth == "oidc":
            return f"{SESSION_COOKIE}=" not in headers.get("COOKIE", "")
        name = headers.get(self.settings.proxy_user_header.upper().replace("-", "_"))
        return not name or not is_in(peer, self.proxies)
