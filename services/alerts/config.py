"""Settings of the installation for alerts."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class AlertConfig:
    """Settings of alerts. `hosts` has the form of setting `alert_hosts`; times are in seconds.

    `repr` shows no secret.
    """

    hosts: str = ""
    secret: str = field(default="", repr=False)
    timeout_s: float = 10.0
    retry_s: float = 30.0
    attempts: int = 8
    smtp_url: str = field(default="", repr=False)
    smtp_from: str = ""
    public_url: str = ""
    github_token: str = field(default="", repr=False)
    github_api: str = "https://api.github.com"
    gitlab_token: str = field(default="", repr=False)
    gitlab_api: str = "https://gitlab.com/api/v4"
