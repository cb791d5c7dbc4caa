"""Code hosts by their channel names: settings, headers, and the repository that an alert names."""

from __future__ import annotations

import re
import time

from services.alerts.code_hosts.api import CodeHost
from services.alerts.code_hosts.api_requests import ApiRequests
from services.alerts.code_hosts.github import GitHub, github_headers
from services.alerts.code_hosts.gitlab import GitLab, gitlab_headers
from services.alerts.config import AlertConfig
from services.alerts.errors import SendError

CHANNELS = ("github", "gitlab")
"""Channels of alerts that are code hosts, with the names of their settings' prefixes."""
MAX_REPOSITORY = 255
"""Maximum characters of the name of a repository."""
# A part `.` or `..` would lead to another address.
_PART = r"(?!\.{1,2}(?:/|$))[A-Za-z0-9_.-]+"
_FORMS = {
    "github": re.compile(rf"{_PART}/{_PART}"),
    "gitlab": re.compile(rf"{_PART}(?:/{_PART})+"),
}
_HEADERS = {"Content-Type": "application/json", "User-Agent": "Tilescope", "Connection": "close"}


def is_repository(channel: str, name: str) -> bool:
    """Whether a text is the name of a repository: `owner/name` on GitHub, a path of two or more
    parts on GitLab.
    """
    return len(name) <= MAX_REPOSITORY and _FORMS[channel].fullmatch(name) is not None


def open_code_host(config: AlertConfig, channel: str, repository: str) -> CodeHost:
    """Return the code host of a channel for the requests of one message, which must end within two
    timeouts, before the lease of the message ends.

    Raises SendError if the token is not set, or the alert no longer has the channel.
    """
    if not is_repository(channel, repository):
        raise SendError("the alert no longer has this channel")
    is_github = channel == "github"
    token = config.github_token if is_github else config.gitlab_token
    if not token:
        raise SendError(f"setting {channel}_token, which the requests need, is not set")
    headers = github_headers(token) if is_github else gitlab_headers(token)
    requests = ApiRequests(
        config.github_api if is_github else config.gitlab_api,
        config.hosts,
        repository,
        config.timeout_s,
        time.monotonic() + 2 * config.timeout_s,
        _HEADERS | headers,
    )
    return GitHub(requests) if is_github else GitLab(requests)
