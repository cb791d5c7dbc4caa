"""What a request's header says before its body is received: from whom it comes, and whether it names anybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.config.access_settings import AccessSettings, Network
from app.server.access.identity import SESSION_COOKIE, bearer
from app.server.access.proxies import is_in, last_of
from services.store.tokens import is_token


@dataclass(frozen=True)
class FirstLook:
    """Asks no database, so that it may be taken where nothing may wait; `headers` are as WSGI names them."""

    settings: AccessSettings
    proxies: Sequence[Network]

    @classmethod
    def by(cls, settings: AccessSettings) -> FirstLook:
        """Return what looks by these settings."""
        return cls(settings, settings.proxies)

    def client(self, peer: str, headers: Mapping[str, str]) -> str:
        """Return the address of the client: the peer's, or the one that a trusted proxy tells."""
        told = last_of(headers.get("X_FORWARDED_FOR", ""))
        return told if told and is_in(peer, self.proxies) else peer

    def is_anonymous(self, peer: str, headers: Mapping[str, str]) -> bool:
        """Return whether a request will be refused for want of any name, whoever may read without one."""
        if self.settings.auth == "none" or is_token(bearer(headers.get("AUTHORIZATION", "")) or ""):
            return False
        if self.settings.auth == "oidc":
            return f"{SESSION_COOKIE}=" not in headers.get("COOKIE", "")
        name = headers.get(self.settings.proxy_user_header.upper().replace("-", "_"))
        return not name or not is_in(peer, self.proxies)
