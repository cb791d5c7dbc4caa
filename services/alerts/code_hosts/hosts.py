"""Code hosts by their channel names: settings, headers, and the repository that an alert names."""

from __future__ import annotations

import re
import time

from services.alerts.code_hosts.api_requests import ApiRequests
from services.alerts.code_hosts.code_host import CodeHost
from services.alerts.code_hosts.github import GitHub, github_headers
from services.alerts.code_hosts.gitlab import GitLab, gitlab_headers
from services.alerts.config import AlertConfig
from services.alerts.errors import SendError

MAX_REPOSITORY = 255
"""Maximum characters of the name of a repository."""
_PART = re.compile(r"[A-Za-z0-9_.-]{1,255}")
_MAX_PARTS = {"github": 2, "gitlab": MAX_REPOSITORY}
_HEADERS = {"Content-Type": "application/json", "User-Agent": "Tilescope", "Connection": "close"}


def is_repository(channel: str, name: str) -> bool:
    """Whether a text is the name of a repository: `owner/name` on GitHub, a path of two or more
    parts on GitLab.
    """
    parts = name.split("/")
    # A part `.` or `..` would lead to another address.
    are_names = all(_PART.fullmatch(part) and part not in (".", "..") for part in parts)
    return len(name) <= MAX_REPOSITORY and 2 <= len(parts) <= _MAX_PARTS[channel] and are_names


def code_host_settings(config: AlertConfig, channel: str) -> tuple[str, str]:
    """Return (token, address of the API) of a channel; the token is "" if it is not set."""
    if channel == "github":
        return config.github_token, config.github_api
    return config.gitlab_token, config.gitlab_api


def open_code_host(config: AlertConfig, channel: str, repository: str) -> CodeHost:
    """Return the code host of a channel for the requests of a message, which must end within two
    timeouts, before the lease of the message ends.

    Raises SendError if the token is not set, or the alert no longer has the channel.
    """
    if not is_repository(channel, repository):
        raise SendError("the alert no longer has this channel")
    token, base = code_host_settings(config, channel)
    if not token:
        raise SendError(f"setting {channel}_token, which the requests need, is not set")
    is_github = channel == "github"
    headers = github_headers(token) if is_github else gitlab_headers(token)
    requests = ApiRequests(
        base,
        config.hosts,
        repository,
        config.timeout_s,
        time.monotonic() + 2 * config.timeout_s,
        _HEADERS | headers,
    )
    return GitHub(requests) if is_github else GitLab(requests)
