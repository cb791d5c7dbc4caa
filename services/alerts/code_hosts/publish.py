"""Publication of a message on a code host: a post is found by its marker, then created or changed.

Every message can be published again: whatever an attempt has done whose response was lost is found
by the next attempt. Two messages of a repository must not be published at the same time, since
both could find no post.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from schema.code_hosts import ISSUE
from services.alerts.code_hosts.code_host import CodeHost, Issue, Post
from services.alerts.code_hosts.content import (
    issue_body,
    issue_title,
    marker_of,
    pull_request_body,
    step_comment,
)
from services.alerts.code_hosts.marker import Marker, read_marker
from services.alerts.errors import SendError

MAX_PULL_REQUESTS = 10
"""Maximum number of pull requests of a commit that are commented."""
_P = TypeVar("_P", bound=Post)


def publish(host: CodeHost, payload: Mapping[str, Any]) -> None:
    """Publish a message. Nothing is done if a newer message about the same post was published.

    Raises SendError, after which the message can be published again.
    """
    try:
        if payload["post"] == ISSUE:
            _publish_issue(host, payload)
        else:
            _publish_pull_request(host, payload)
    # A server of another version, or a server that is no code host, returns JSON of another shape.
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SendError("the server returned JSON of an unknown shape") from error


def _publish_pull_request(host: CodeHost, payload: Mapping[str, Any]) -> None:
    body = pull_request_body(payload)
    for number in host.pull_requests(str(payload["commit"]))[:MAX_PULL_REQUESTS]:
        comment = _find(host.pull_comments(number), marker_of(payload))
        if comment is None:
            host.add_pull_comment(number, body)
        elif _is_outdated(comment, payload):
            host.change_pull_comment(number, comment.number, body)


def _publish_issue(host: CodeHost, payload: Mapping[str, Any]) -> None:
    """Create, change, close or reopen the issue of a key and a rule.

    A key has a single issue for all its regressions. If a regression returns, its issue is reopened, so
    that the discussion stays together and a key that swings around its threshold does not fill
    the list of issues. An issue that a person closed stays closed until the key regresses again.
    """
    step = str(payload["step"])
    issue = _find(host.issues(), marker_of(payload))
    if issue is None:
        # Without an issue, a recovery has nothing to close.
        if step != "recovered":
            host.add_issue(issue_title(payload), issue_body(payload))
        return
    if not _is_outdated(issue, payload):
        return
    is_open = step == "regressed" or (step == "lasting" and issue.is_open)
    # The comment comes first: the change of the issue marks the message as published.
    is_changed = is_open != issue.is_open
    if is_changed:
        _comment_once(host, issue, payload)
    host.change_issue(
        issue.number,
        issue_title(payload),
        issue_body(payload),
        is_open=is_open if is_changed else None,
    )


def _comment_once(host: CodeHost, issue: Issue, payload: Mapping[str, Any]) -> None:
    """Add the comment about a step, unless an attempt before has added it."""
    marker = marker_of(payload, str(payload["step"]))
    markers = (read_marker(comment.body) for comment in host.issue_comments(issue.number))
    if marker not in markers:
        host.add_issue_comment(issue.number, step_comment(payload))


def _find(posts: Iterable[_P], marker: Marker) -> _P | None:
    """Return the oldest post of a marker: a later post is a copy that a person made.

    If this installation has no post, it continues a post whose marker names no installation.
    """
    unnamed = None
    for post in posts:
        found = read_marker(post.body)
        if marker.is_same_post(found):
            return post
        if unnamed is None and marker.may_adopt(found):
            unnamed = post
    return unnamed


def _is_outdated(post: Post, payload: Mapping[str, Any]) -> bool:
    """Whether the message is newer than the published post."""
    published = read_marker(post.body)
    return published is None or marker_of(payload).is_newer_than(published)
