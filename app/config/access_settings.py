"""Settings of sign-in, roles and limits of users."""

from __future__ import annotations

import re
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from app.config.part import SettingsPart
from schema.roles import Role

_ORIGIN = re.compile(r"https?://(\*\.)?[\w.-]+(:\d{1,5})?", re.ASCII)
Network = IPv4Network | IPv6Network
_MIN_SECRET_LENGTH = 32
"""Minimum length of `secret_key` in characters."""


class AccessSettings(SettingsPart):
    """Sign-in, roles and limits of users; a base class of `Settings`."""

    auth: Literal["none", "proxy", "oidc"] = Field(
        "none",
        description=(
            "How users sign in. `none`: no sign-in, every user has all rights. `proxy`: a reverse proxy "
            "sends the user name in a header. `oidc`: an OpenID Connect provider."
        ),
    )
    anonymous: Literal["none", "viewer"] = Field(
        "none", description="Role of users who are not signed in, with `auth` of `proxy` or `oidc`."
    )
    default_role: Literal["nobody", "viewer", "editor", "admin"] = Field(
        "viewer", description="Role of signed-in users in neither list."
    )
    editors: str = Field(
        "",
        description="Names of users with the role editor, separated by commas: they may change runs.",
        examples=["bob,carol"],
    )
    admins: str = Field(
        "",
        description="Names of users with the role admin, who also see the audit log and manage tokens and retention.",
    )
    proxy_user_header: str = Field(
        "X-Forwarded-User",
        # No underscore: WSGI cannot distinguish it from a hyphen, and such headers are dropped.
        pattern=r"^[A-Za-z][A-Za-z0-9-]*$",
        description="Header in which the proxy names the user.",
    )
    trusted_proxies: str = Field(
        "",
        description="Addresses or networks (CIDR), separated by commas, of the reverse proxies before this server. "
        "The server trusts the user header, `X-Forwarded-For` and `X-Forwarded-Proto` only from these addresses.",
    )
    public_url: str = Field(
        "",
        pattern=r"^(https?://[^/?#\s]+/?)?$",
        description="Address by which browsers reach this server, such as `https://tiles.example`. "
        "Empty: the host name of the request.",
    )
    secret_key: str = Field(
        "",
        description=(
            "Text of at least 32 characters, the same for all servers of a store, which signs "
            "the state of an unfinished sign-in and addresses of panels and badges. Required by `auth=oidc`."
        ),
        repr=False,
    )
    oidc_issuer: str = Field("", description="URL of the OpenID Connect provider.")
    oidc_client_id: str = Field("", description="Client id of this installation at the provider.")
    oidc_client_secret: str = Field(
        "", description="Client secret of this installation at the provider.", repr=False
    )
    embed_ancestors: str = Field(
        "",
        description="Origins, separated by commas, whose pages may show signed panels in a frame, such as "
        "`https://wiki.example`. Empty: none.",
    )
    session_hours: float = Field(
        168.0,
        gt=0,
        le=8760,
        description="Hours after which users must sign in again, with `auth=oidc`.",
    )
    uploads_per_minute: int = Field(
        0,
        ge=0,
        description="Uploads that a user may start per minute, over all servers of a store. 0: no limit.",
    )

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: str) -> str:
        for part in split_names(value):
            # strict=False accepts a network with host bits, such as 10.1.2.3/16.
            ip_network(part, strict=False)
        return value

    @field_validator("embed_ancestors")
    @classmethod
    def _origins(cls, value: str) -> str:
        # The names become part of a content policy, in which a space or semicolon has a meaning.
        for part in split_names(value):
            if not _ORIGIN.fullmatch(part):
                raise ValueError(f"{part!r} is not an origin such as https://wiki.example")
        return value

    @model_validator(mode="after")
    def _complete(self) -> Self:
        # Without a list of proxies, any client could name itself in the header.
        if self.auth == "proxy" and not self.proxies:
            raise ValueError(
                "auth=proxy needs setting trusted_proxies, the addresses of the proxies"
            )
        if self.auth == "oidc":
            needed = ("oidc_issuer", "oidc_client_id", "oidc_client_secret", "secret_key")
            missing = [name for name in needed if not getattr(self, name)]
            if missing:
                raise ValueError(f"auth=oidc needs {', '.join(missing)}")
            if len(self.secret_key) < _MIN_SECRET_LENGTH:
                raise ValueError(f"secret_key has less than {_MIN_SECRET_LENGTH} characters")
        return self

    @property
    def proxies(self) -> tuple[Network, ...]:
        """Networks of setting `trusted_proxies`, in its order; empty if it is ""."""
        return tuple(ip_network(part, strict=False) for part in split_names(self.trusted_proxies))

    def role_of(self, name: str) -> Role:
        """Return the role of a signed-in user: admin or editor if these settings list the exact
        name, else `default_role`.
        """
        # Compared exactly: capitals, spaces and look-alikes make another name.
        if name in split_names(self.admins):
            return Role.ADMIN
        if name in split_names(self.editors):
            return Role.EDITOR
        return Role[self.default_role.upper()]


def split_names(text: str) -> list[str]:
    """Split a list separated by commas into its stripped parts, without empty parts."""
    return [part.strip() for part in text.split(",") if part.strip()]
