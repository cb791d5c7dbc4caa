"""Code hosts on which alerts post, and the kinds of posts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CODE_HOSTS = ("github", "gitlab")
"""Code hosts: names of channels of alerts, whose receivers are repositories."""
ISSUE, PULL_REQUEST = "issue", "pull_request"
POSTS = (PULL_REQUEST, ISSUE)
"""Kinds of posts: comments of pull requests, and issues about regressions."""


def repository_texts(alert: Mapping[str, Any]) -> list[str]:
    """Describe the repositories of an alert's record with the kinds of posts there; empty without
    repositories.
    """
    posts = " and ".join(alert["posts"]).replace("_", " ")
    return [f"{name} {alert[name]} ({posts})" for name in CODE_HOSTS if alert[name]]
