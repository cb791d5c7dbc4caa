"""A repository on GitHub, by its REST API (docs.github.com/rest), also of GitHub Enterprise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from services.alerts.code_hosts.api_requests import PAGE_SIZE, ApiRequests, StatusError
from services.alerts.code_hosts.code_host import LABEL, Issue, Post, to_post
from services.alerts.errors import SendError

_UNKNOWN_COMMIT = 422
"""Status for a commit that the repository does not have."""


def github_headers(token: str) -> dict[str, str]:
    """Return the headers of a request with a token."""
    return {
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {token}",
        "X-GitHub-Api-Version": "2022-11-28",
    }


class GitHub:
    """See `CodeHost`; a pull request is also an issue there, with the comments of an
    issue.
    """

    def __init__(self, requests: ApiRequests) -> None:
        self._requests = requests
        self._path = f"/repos/{requests.repository}"

    def check(self, *, needs_issues: bool) -> None:
        """See `CodeHost`."""
        found = self._requests.get(self._path)
        if not isinstance(found, dict) or found.get("archived"):
            raise SendError(f"repository {self._requests.repository} is archived")
        if needs_issues and not found.get("has_issues", True):
            raise SendError(f"repository {self._requests.repository} has issues disabled")

    def pull_requests(self, commit: str) -> list[int]:
        """See `CodeHost`."""
        try:
            found = [*self._requests.items(f"{self._path}/commits/{commit}/pulls", {})]
        except StatusError as error:
            if error.status == _UNKNOWN_COMMIT:
                return []
            raise
        return [
            int(pull["number"])
            for pull in found
            if pull.get("state") == "open" or pull.get("merged_at")
        ]

    def pull_comments(self, number: int) -> Iterator[Post]:
        """See `CodeHost`."""
        return self.issue_comments(number)

    def add_pull_comment(self, number: int, body: str) -> None:
        """See `CodeHost`."""
        self.add_issue_comment(number, body)

    def change_pull_comment(self, number: int, comment: int, body: str) -> None:
        """See `CodeHost`; comments have numbers of the whole repository."""
        self._requests.send("PATCH", f"{self._path}/issues/comments/{comment}", {"body": body})

    def issues(self) -> Iterator[Issue]:
        """See `CodeHost`."""
        query = {"state": "all", "sort": "created"}
        path = f"{self._path}/issues"
        labelled = {**query, "labels": LABEL, "direction": "asc"}
        yield from map(_issue, filter(_is_issue, self._requests.items(path, labelled)))
        newest = f"{path}?state=all&sort=created&direction=desc&per_page={PAGE_SIZE}"
        found = self._requests.get(newest)
        yield from map(_issue, filter(_is_issue, found if isinstance(found, list) else []))

    def add_issue(self, title: str, body: str) -> int:
        """See `CodeHost`."""
        content = {"title": title, "body": body, "labels": [LABEL]}
        return int(self._requests.send("POST", f"{self._path}/issues", content)["number"])

    def change_issue(self, number: int, title: str, body: str, *, is_open: bool | None) -> None:
        """See `CodeHost`."""
        content = {"title": title, "body": body}
        if is_open is not None:
            content["state"] = "open" if is_open else "closed"
        self._requests.send("PATCH", f"{self._path}/issues/{number}", content)

    def issue_comments(self, number: int) -> Iterator[Post]:
        """See `CodeHost`; the API lists them by ascending number."""
        return map(to_post, self._requests.items(f"{self._path}/issues/{number}/comments", {}))

    def add_issue_comment(self, number: int, body: str) -> None:
        """See `CodeHost`."""
        self._requests.send("POST", f"{self._path}/issues/{number}/comments", {"body": body})


def _is_issue(item: Any) -> bool:  # noqa: ANN401 - JSON
    # The list of issues contains pull requests.
    return isinstance(item, dict) and "pull_request" not in item


def _issue(item: dict[str, Any]) -> Issue:
    return Issue(
        int(item["number"]),
        str(item.get("body") or ""),
        str(item.get("title") or ""),
        item.get("state") == "open",
    )
