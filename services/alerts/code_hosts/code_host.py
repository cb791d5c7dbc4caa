"""The operations of a code host that alerts need, in common for GitHub and GitLab."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

LABEL = "tilescope"
"""Label of the issues of alerts, by which they are listed."""


@dataclass(frozen=True)
class Post:
    """A comment or an issue: its number in the API, and its text."""

    number: int
    body: str


@dataclass(frozen=True)
class Issue(Post):
    """An issue, open or closed; `number` is the number that users see."""

    title: str
    is_open: bool


class CodeHost(Protocol):
    """A repository on a code host. Every operation raises SendError (see `ApiRequests`)."""

    def check(self, *, needs_issues: bool) -> None:
        """Read the repository; raises SendError also if it is archived or, if `needs_issues`, has
        no issues.
        """

    def pull_requests(self, commit: str) -> list[int]:
        """List the numbers of the pull requests that contain a commit and are open or merged; empty
        if the server does not know the commit.
        """

    def pull_comments(self, number: int) -> Iterator[Post]:
        """List the comments of a pull request, oldest first."""

    def add_pull_comment(self, number: int, body: str) -> None:
        """Add a comment to a pull request."""

    def change_pull_comment(self, number: int, comment: int, body: str) -> None:
        """Replace the text of a comment of a pull request."""

    def issues(self) -> Iterator[Issue]:
        """List the open and closed issues that have LABEL, oldest first, then the newest 100 of all
        issues.

        The label can be missing: GitHub drops it silently if the token must not set labels, and a
        person can remove it.
        """

    def add_issue(self, title: str, body: str) -> int:
        """Create an issue with LABEL and return its number."""

    def change_issue(self, number: int, title: str, body: str, *, is_open: bool | None) -> None:
        """Replace title and text of an issue, and reopen or close it; `None` leaves its state."""

    def issue_comments(self, number: int) -> Iterator[Post]:
        """List the comments of an issue, oldest first."""

    def add_issue_comment(self, number: int, body: str) -> None:
        """Add a comment to an issue."""


def to_post(item: dict[str, Any]) -> Post:
    """Convert a comment of either API."""
    return Post(int(item.get("id") or 0), str(item.get("body") or ""))
