"""Settings of alerts: allowed receivers, signature, retries, mail server and code hosts."""

from __future__ import annotations

from typing import Self
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from app.config.part import SettingsPart

_MIN_SECRET_LENGTH = 16
"""Minimum length of `alert_secret` in characters."""


class AlertSettings(SettingsPart):
    """Hosts, secret, times and mail server of alerts; a base class of `Settings`."""

    alert_hosts: str = Field(
        "",
        description=(
            "Hosts that webhooks and posts of alerts may be sent to, separated by commas: names, addresses and networks, "
            "each with an optional port, such as `hooks.example.org,10.2.0.0/16,127.0.0.1:9000`. A name "
            "may resolve to public addresses and to listed addresses. Empty: no webhooks, no posts."
        ),
    )
    alert_secret: str = Field(
        "",
        description="Secret that signs messages to webhooks, at least 16 characters.",
        repr=False,
    )
    alert_timeout_s: float = Field(
        10.0,
        gt=0,
        le=300,
        description="Seconds within which the receiver of an alert must respond.",
    )
    alert_retry_s: float = Field(
        30.0,
        gt=0,
        le=3600,
        description="Seconds after which an undelivered message is sent again; doubled at each attempt, at most an hour.",
    )
    alert_attempts: int = Field(
        8, ge=1, le=100, description="Number of attempts to deliver a message."
    )
    alert_every_s: float = Field(
        0.0,
        ge=0,
        le=86_400,
        description="Seconds between two evaluations of the alerts by one of the servers. 0: only `alert run` evaluates them.",
    )
    smtp_url: str = Field(
        "",
        description="Mail server of alerts, as `smtp://user:password@host:port`, or `smtps://` for TLS from the start.",
        repr=False,
    )
    smtp_from: str = Field("", description="Sender address of alert mail.")

    github_token: str = Field(
        "",
        description="Token with which alerts comment pull requests and open issues on GitHub.",
        repr=False,
    )
    github_api: str = Field(
        "https://api.github.com",
        description=(
            "Address of the API of GitHub, for GitHub Enterprise `https://HOST/api/v3`; its host must be in `alert_hosts`."
        ),
    )
    gitlab_token: str = Field(
        "",
        description="Token with which alerts comment merge requests and open issues on GitLab.",
        repr=False,
    )
    gitlab_api: str = Field(
        "https://gitlab.com/api/v4",
        description="Address of the API of GitLab, as `https://HOST/api/v4`; its host must be in `alert_hosts`.",
    )

    @model_validator(mode="after")
    def _check_alerts(self) -> Self:
        """Check the settings of alerts together and return the settings; raises ValueError for the
        first invalid setting.

        Validators of single fields would put the rejected value, which may be a secret, into the
        error message.
        """
        for name in ("github", "gitlab"):
            _check_token(f"{name}_token", getattr(self, f"{name}_token"))
            _check_api(f"{name}_api", getattr(self, f"{name}_api"))
        if not (self.alert_hosts or self.alert_secret or self.smtp_url or self.smtp_from):
            return self
        from services.alerts.addresses import parse_hosts  # noqa: PLC0415 - few commands send
        from services.alerts.mail import is_mail_address, parse_mail_server  # noqa: PLC0415

        try:
            parse_hosts(self.alert_hosts)
        except ValueError as error:
            raise ValueError(f"alert_hosts: {error}") from error
        if self.alert_secret and len(self.alert_secret) < _MIN_SECRET_LENGTH:
            raise ValueError(f"alert_secret has less than {_MIN_SECRET_LENGTH} characters")
        if self.smtp_from and not is_mail_address(self.smtp_from):
            raise ValueError("smtp_from is not a mail address")
        if self.smtp_url:
            try:
                parse_mail_server(self.smtp_url)
            except ValueError as error:
                raise ValueError(f"smtp_url: {error}") from error
        return self


def _check_token(name: str, token: str) -> None:
    # A line break in a header would add another header.
    if not (token.isascii() and all(char.isprintable() and char != " " for char in token)):
        raise ValueError(f"{name} must have printable ASCII characters without spaces")


def _check_api(name: str, address: str) -> None:
    """Check the form of an address without importing what sends messages."""
    parts = urlsplit(address)
    is_plain = not (parts.username or parts.password or parts.query or parts.fragment)
    if parts.scheme not in ("http", "https") or not parts.hostname or not is_plain:
        raise ValueError(f"{name} must be an address such as https://HOST/api, without a user")
