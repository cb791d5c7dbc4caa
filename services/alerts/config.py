"""What the installation sets of alerts."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class AlertConfig:
    """The settings of alerts; `hosts` as in setting `alert_hosts`, times in seconds. Secrets are in no text of it."""

    hosts: str = ""
    secret: str = field(default="", repr=False)
    timeout_s: float = 10.0
    retry_s: float = 30.0
    attempts: int = 8
    smtp_url: str = field(default="", repr=False)
    smtp_from: str = ""
    public_url: str = ""
